//! Budget mode: given the time that a frame may take, how many substeps and iterations?
//!
//! The engine has no clock, and neither has this: durations come in, settings go out.
//!
//! ```
//! use pliant::{Config, budget::Budget};
//!
//! let mut config = Config::default();
//! let mut budget = Budget::new(4e-3)?;
//! for _frame in 0..60 {
//!     budget.begin(&mut config);
//!     // Take a step whose hooks ask `budget.keep_going(elapsed)`, and read a clock.
//!     let (elapsed, iterations) = (1e-3 + 1e-4 * f64::from(config.substeps), config.substeps);
//!     budget.end(elapsed, iterations.into());
//! }
//! assert_eq!(config.substeps, 28); // 1 ms and 28 × 0.1 ms: 95 % of 4 ms
//! # Ok::<(), pliant::budget::BudgetError>(())
//! ```

use std::error::Error;
use std::fmt;

use crate::world::Config;

/// Chooses substeps and iterations such that a frame takes the time it may.
///
/// Substeps come first, since they do more for the same time (Macklin et al. 2019, "Small Steps in
/// Physics Simulation"); iterations follow once there are [`Self::most_substeps`]. The number for
/// the next frame is what a frame has done, times the time it should have taken over the time it
/// took. Nothing is assumed about the cost: if it is a + b·n for n iterations, each frame comes
/// closer to the right n by the factor a/(a + b·n).
///
/// The median of the last [`MEMORY`] frames counts, since other programs may hold up any one of
/// them. So a change of the load is believed after three. Until then, and within every frame,
/// [`Self::keep_going`] ends it when time is up: the world then falls behind rather than the frame.
///
/// Substeps may become fewer at once, but more only by [`RISE`] per frame: what a long substep has
/// left unsolved, a short one throws out at a speed of C/h, and the body gains energy.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The time that a frame may take (s).
    seconds: f64,
    /// Substeps beyond which iterations are added instead. Single precision is enough for 40 at
    /// the scale of a metre; see `docs/conventions.md`.
    pub most_substeps: u32,
    /// Iterations of all substeps together that would have fit in each of the last frames.
    fitting: [f64; MEMORY],
    /// Frames so far.
    frames: usize,
    /// Iterations that were planned for the last of them.
    planned: f64,
    /// Questions of this frame so far: one for each iteration.
    asked: u32,
    /// Whether this frame was ended early.
    cut: bool,
}

/// The share of a frame that is planned for; the rest is for what differs from frame to frame.
const PLANNED: f64 = 0.95;

/// How many times the iterations of a frame the next may have, and one more.
pub const RISE: f64 = 1.1;

/// Frames that are remembered.
pub const MEMORY: usize = 5;

impl Budget {
    /// A budget of `seconds` for each frame.
    ///
    /// # Errors
    /// If that is not a positive, finite number.
    pub fn new(seconds: f64) -> Result<Self, BudgetError> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(BudgetError { seconds });
        }
        Ok(Self {
            seconds,
            most_substeps: 40,
            fitting: [1.0; MEMORY],
            frames: 0,
            planned: 0.0,
            asked: 0,
            cut: false,
        })
    }

    /// Before a frame: sets its substeps and iterations.
    pub fn begin(&mut self, config: &mut Config) {
        (self.asked, self.cut) = (0, false);
        let most = f64::from(self.most_substeps.max(1));
        let fitting = self.typical().min(RISE * self.planned + 1.0);
        let fitting = fitting.round().clamp(1.0, 1e4 * most);
        self.planned = fitting;
        config.iterations = (fitting / most).floor().max(1.0) as u32;
        config.substeps = fitting.min(most) as u32;
    }

    /// During a frame, `elapsed` seconds after its start: whether there is time for more.
    ///
    /// One more must fit that takes as long as one has taken so far.
    pub fn keep_going(&mut self, elapsed: f64) -> bool {
        self.asked += 1;
        let go = elapsed + elapsed / f64::from(self.asked) <= self.seconds;
        self.cut |= !go;
        go
    }

    /// After a frame: how long it took (s), and how many iterations that were.
    pub fn end(&mut self, elapsed: f64, iterations: u64) {
        if iterations == 0 || !(elapsed > 0.0 && elapsed.is_finite()) {
            return; // all were asleep, or the clock stood still: nothing to learn
        }
        let fitting = iterations as f64 * PLANNED * self.seconds / elapsed;
        self.fitting[self.frames % MEMORY] = fitting;
        self.frames += 1;
    }

    /// The median of what fit in the last frames.
    fn typical(&self) -> f64 {
        let known = self.frames.clamp(1, MEMORY);
        let mut fitting = self.fitting;
        fitting[..known].sort_by(f64::total_cmp);
        fitting[(known - 1) / 2]
    }

    /// Whether time ran out in the last frame, so that its end was left out.
    pub fn was_cut(&self) -> bool {
        self.cut
    }
}

/// A budget that is no length of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetError {
    /// What was asked for (s).
    pub seconds: f64,
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds } = self;
        write!(f, "a budget of {seconds} s; it must be positive and finite, such as 0.008")
    }
}

impl Error for BudgetError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Scene;
    use crate::step::{Hooks, Stage};
    use crate::{World, step_with};

    /// A clock that goes on as work is done: what the controller does not know.
    struct Machine {
        now: f64,
        /// Cost of a step, of a substep and of an iteration over one constraint (s).
        costs: [f64; 3],
        constraints: f64,
        budget: Budget,
    }

    impl Hooks for Machine {
        fn begin(&mut self, _: Stage) {}
        fn end(&mut self, stage: Stage) {
            self.now += match stage {
                Stage::Prepare => self.costs[0],
                Stage::Predict => self.costs[1],
                Stage::Project => self.costs[2] * self.constraints,
                _ => 0.0,
            };
        }
        fn keep_going(&mut self) -> bool {
            self.budget.keep_going(self.now)
        }
    }

    const SECONDS: f64 = 8e-3;

    fn machine(costs: [f64; 3]) -> Machine {
        Machine { now: 0.0, costs, constraints: 1000.0, budget: Budget::new(SECONDS).unwrap() }
    }

    /// A frame, and the time it took as a share of the budget.
    fn frame(world: &mut World, machine: &mut Machine) -> f64 {
        machine.now = 0.0;
        machine.budget.begin(&mut world.config);
        step_with(world, 1.0 / 60.0, machine).unwrap();
        machine.budget.end(machine.now, world.iterations_done());
        machine.now / SECONDS
    }

    fn cloth() -> World {
        (Scene::find("hanging_cloth").unwrap().build)(8).unwrap()
    }

    #[test]
    fn every_frame_keeps_its_time_while_the_load_doubles_and_halves() {
        for costs in [[0.0, 0.0, 3e-7], [1e-3, 0.0, 2e-7], [2e-3, 5e-5, 1.5e-7]] {
            let (mut world, mut machine) = (cloth(), machine(costs));
            (0..30).for_each(|_| _ = frame(&mut world, &mut machine));
            for (constraints, settling) in [(1000.0, 0), (2000.0, 0), (1000.0, 12)] {
                machine.constraints = constraints;
                for number in 0..30 {
                    let share = frame(&mut world, &mut machine);
                    let (substeps, cut) = (world.config.substeps, machine.budget.was_cut());
                    let what = format!("{costs:?}, {constraints}, frame {number}: {share}");
                    // Also the first frames of twice the load, which nobody could foresee.
                    assert!(share <= 1.1, "{what} with {substeps} substeps");
                    assert!(share >= 0.9 || number < settling, "{what} with {substeps} substeps");
                    assert!(!cut || number < 3, "{what} was cut");
                }
            }
        }
    }

    #[test]
    fn what_substeps_cannot_use_goes_to_iterations() {
        let (mut world, mut machine) = (cloth(), machine([0.0, 0.0, 3e-8]));
        let shares: Vec<f64> = (0..60).map(|_| frame(&mut world, &mut machine)).collect();
        // 8 ms hold 266 iterations of 30 µs: 40 × 6.
        assert_eq!((world.config.substeps, world.config.iterations), (40, 6));
        assert!(shares.iter().all(|share| *share <= 1.0), "{shares:?}");
    }

    #[test]
    fn what_cannot_be_done_in_time_is_done_once() {
        let (mut world, mut machine) = (cloth(), machine([0.0, 0.0, 1e-3]));
        (0..10).for_each(|_| _ = frame(&mut world, &mut machine));
        assert_eq!((world.config.substeps, world.config.iterations), (1, 1));
        assert_eq!(world.iterations_done(), 1);
    }

    #[test]
    fn noise_makes_few_frames_late_and_none_by_much() {
        let (mut world, mut machine) = (cloth(), machine([1e-3, 0.0, 2e-7]));
        let mut state = 1u32;
        let (mut late, mut cuts) = (0, 0);
        for number in 0..300 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            machine.constraints = 1000.0 + 100.0 * f64::from(state >> 8) / f64::from(1 << 24);
            let share = frame(&mut world, &mut machine);
            assert!(share <= 1.1, "frame {number}: {share}");
            late += u32::from(share > 1.0);
            cuts += u32::from(machine.budget.was_cut());
        }
        assert!(late < 30 && cuts < 60, "{late} late, {cuts} cut");
    }

    #[test]
    fn a_budget_must_be_a_time() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Budget::new(seconds).unwrap_err().to_string();
            assert!(error.contains("positive"), "{error}");
        }
        let mut budget = Budget::new(1.0).unwrap();
        for (elapsed, iterations) in [(0.0, 1), (f64::NAN, 1), (1.0, 0), (-1.0, 3)] {
            budget.end(elapsed, iterations);
        }
        let mut config = Config::default();
        budget.begin(&mut config);
        assert_eq!((config.substeps, config.iterations), (1, 1));
    }
}
