//! Where the time of a step goes.

use std::time::{Duration, Instant};

use pliant::step::{Hooks, Stage};

/// Sums up the time of every stage.
pub(crate) struct Timing {
    began: Instant,
    spent: Vec<(Stage, Duration)>,
}

impl Timing {
    pub(crate) fn new() -> Self {
        let spent = Stage::ALL.iter().map(|&stage| (stage, Duration::ZERO)).collect();
        Self { began: Instant::now(), spent }
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
        let time = self.began.elapsed();
        if let Some((_, spent)) = self.spent.iter_mut().find(|(known, _)| *known == stage) {
            *spent += time;
        }
    }
}
