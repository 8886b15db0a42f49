//! Numbers over time, to be plotted.

use std::collections::VecDeque;

use crate::frame::Frame;
use crate::session::Stages;

/// How many are kept of each.
const KEPT: usize = 600;

/// A quantity over time.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Time (s) and value.
    pub points: VecDeque<[f64; 2]>,
}

/// All that is plotted.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// When a step was taken (s) and the time of its stages (s).
    pub stages: VecDeque<(f64, Stages)>,
    /// Measurements.
    pub curves: Vec<Curve>,
    /// The scene and step that were last added.
    last: Option<(String, u64)>,
}

impl Series {
    /// Adds what a frame says. Another scene, or a time before the last, begins anew.
    pub fn add(&mut self, frame: &Frame) {
        let begins = self
            .last
            .as_ref()
            .is_none_or(|(title, step)| *title != frame.title || frame.step < *step);
        if begins {
            *self = Self::default();
        }
        let stepped = self.last.as_ref().is_none_or(|(_, step)| *step != frame.step);
        self.last = Some((frame.title.clone(), frame.step));
        if !stepped || frame.step == 0 {
            return;
        }
        push(&mut self.stages, (frame.time, frame.stages));
        for reading in &frame.readings {
            let index = self.curves.iter().position(|curve| curve.name == reading.name);
            let index = index.unwrap_or_else(|| {
                let (name, unit) = (reading.name.clone(), reading.unit);
                self.curves.push(Curve { name, unit, points: VecDeque::new() });
                self.curves.len() - 1
            });
            if reading.value.is_finite() {
                push(&mut self.curves[index].points, [frame.time, reading.value]);
            }
        }
    }

    /// Mean time of a step (s) over what is kept, of the last second at most.
    pub fn step_time(&self) -> f64 {
        let recent = self.stages.iter().rev().take(60);
        let count = recent.len().max(1) as f64;
        // From 0, since the sum of nothing is -0, which people would see.
        recent.flat_map(|(_, stages)| stages).fold(0.0, |sum, time| sum + time) / count
    }
}

fn push<T>(queue: &mut VecDeque<T>, value: T) {
    if queue.len() == KEPT {
        queue.pop_front();
    }
    queue.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, Wants};
    use crate::session::Session;

    #[test]
    fn every_step_counts_once_and_the_past_begins_anew() {
        let mut session = Session::quick("hanging-cloth");
        session.apply(Command::Want(Wants { readings: true, ..Wants::NONE }));
        let mut series = Series::default();
        for _ in 0..5 {
            session.step();
            series.add(&session.frame());
            series.add(&session.frame());
        }
        assert_eq!(series.stages.len(), 5);
        assert!(series.curves.iter().any(|curve| curve.name == "kinetic energy"), "{series:?}");
        assert!(series.curves.iter().all(|curve| curve.points.len() == 5));
        session.apply(Command::Seek(2));
        series.add(&session.frame());
        assert_eq!(series.stages.len(), 1);
    }
}
