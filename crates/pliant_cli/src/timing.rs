//! Where the time of a step goes.

use std::error::Error;
use std::time::{Duration, Instant};

use pliant::budget::Budget;
use pliant::step::{Hooks, Stage};
use pliant::{World, step_with};

use crate::backend::Elsewhere;

/// Sums up the time of every stage, and keeps frames within a budget if there is one.
pub(crate) struct Timing {
    began: Instant,
    spent: Vec<(Stage, Duration)>,
    frame: Instant,
    budget: Option<Budget>,
    /// Who takes the steps instead of the CPU.
    elsewhere: Option<Elsewhere>,
    /// Every frame that was taken under a budget.
    frames: Vec<Frame>,
    steps: u64,
    /// Time that all steps have taken the world on (s).
    simulated: f64,
}

/// A frame under a budget.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) time: Duration,
    pub(crate) substeps: u32,
    pub(crate) iterations: u32,
    /// Whether time ran out, so that the end of the frame was left out.
    pub(crate) cut: bool,
}

impl Timing {
    pub(crate) fn new(budget: Option<Budget>) -> Self {
        let spent = Stage::ALL.iter().map(|&stage| (stage, Duration::ZERO)).collect();
        let now = Instant::now();
        Self {
            began: now,
            spent,
            frame: now,
            budget,
            elsewhere: None,
            frames: Vec::new(),
            steps: 0,
            simulated: 0.0,
        }
    }

    /// The same with steps that are taken elsewhere.
    pub(crate) fn on(self, elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, ..self }
    }

    /// Brings the state into `world`, wherever it is.
    pub(crate) fn read_into(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        self.elsewhere.as_mut().map_or(Ok(()), |elsewhere| elsewhere.read_into(world))
    }

    /// Tells whoever has the state what was changed in `world`.
    pub(crate) fn push(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        self.elsewhere.as_mut().map_or(Ok(()), |elsewhere| elsewhere.push(world))
    }

    /// Takes a step of `dt` seconds.
    pub(crate) fn step(&mut self, world: &mut World, dt: f32) -> Result<(), Box<dyn Error>> {
        (self.steps, self.simulated) = (self.steps + 1, self.simulated + f64::from(dt));
        if let Some(elsewhere) = &mut self.elsewhere {
            for (stage, time) in elsewhere.step(dt)? {
                self.add(stage, time);
            }
            return Ok(());
        }
        if let Some(budget) = &mut self.budget {
            budget.begin(&mut world.config);
        }
        self.frame = Instant::now();
        step_with(world, dt, self)?;
        let time = self.frame.elapsed();
        if let Some(budget) = &mut self.budget {
            budget.end(time.as_secs_f64(), world.iterations_done());
            let (substeps, iterations) = (world.config.substeps, world.config.iterations);
            self.frames.push(Frame { time, substeps, iterations, cut: budget.was_cut() });
        }
        Ok(())
    }

    fn add(&mut self, stage: Stage, time: Duration) {
        if let Some((_, spent)) = self.spent.iter_mut().find(|(known, _)| *known == stage) {
            *spent += time;
        }
    }

    /// Every frame that was taken under a budget.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// How many steps were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Time that all steps have taken the world on (s); a budget may have cut some short.
    pub(crate) fn simulated(&self) -> f64 {
        self.simulated
    }

    /// Every stage and the time spent in it.
    pub(crate) fn stages(&self) -> &[(Stage, Duration)] {
        &self.spent
    }

    /// The time spent in all of them.
    pub(crate) fn total(&self) -> Duration {
        self.spent.iter().map(|(_, time)| *time).sum()
    }
}

impl Hooks for Timing {
    fn begin(&mut self, _: Stage) {
        self.began = Instant::now();
    }

    fn end(&mut self, stage: Stage) {
        self.add(stage, self.began.elapsed());
    }

    fn keep_going(&mut self) -> bool {
        let elapsed = self.frame.elapsed().as_secs_f64();
        self.budget.as_mut().is_none_or(|budget| budget.keep_going(elapsed))
    }
}
