//! Where the time of a step goes.

use pliant::step::{Hooks, Stage};

/// A clock: seconds since some moment. The web has another than the rest of the world.
pub type Clock = fn() -> f64;

/// Time of every stage (s), in the order of [`Stage::ALL`].
pub type Stages = [f64; Stage::ALL.len()];

/// Adds up the time of every stage of a step.
pub(crate) struct Stopwatch {
    clock: Clock,
    began: f64,
    pub(crate) spent: Stages,
}

impl Stopwatch {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, began: 0.0, spent: Stages::default() }
    }
}

impl Hooks for Stopwatch {
    fn begin(&mut self, _: Stage) {
        self.began = (self.clock)();
    }

    fn end(&mut self, stage: Stage) {
        if let Some(index) = Stage::ALL.iter().position(|known| *known == stage) {
            self.spent[index] += (self.clock)() - self.began;
        }
    }
}
