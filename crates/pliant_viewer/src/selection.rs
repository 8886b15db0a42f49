//! Particles that somebody has selected, to do something with all of them at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant::glam::Vec3;

use crate::frame::{Frame, Plan};

/// What becomes of what was selected before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It no longer is.
    Replace,
    /// It stays.
    Add,
    /// It stays, but for what is selected now.
    Take,
}

/// Particles that are selected.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// In increasing order.
    particles: Arc<[u32]>,
    /// What there was when they got these numbers.
    plan: Arc<Plan>,
}

impl Selection {
    /// Which they are, in increasing order.
    pub fn particles(&self) -> &Arc<[u32]> {
        &self.particles
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Nothing is selected any more.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Selects particles of a plan.
    pub fn change(&mut self, found: &[u32], how: How, plan: &Arc<Plan>) {
        self.follow(plan);
        let mut all = if how == How::Replace { Vec::new() } else { self.particles.to_vec() };
        match how {
            How::Take => {
                let mut found = found.to_vec();
                found.sort_unstable();
                all.retain(|i| found.binary_search(i).is_err());
            }
            How::Replace | How::Add => all.extend(found),
        }
        all.sort_unstable();
        all.dedup();
        (self.particles, self.plan) = (all.into(), Arc::clone(plan));
    }

    /// There is another plan, in which particles may have other numbers: they are known by where they
    /// were made, and what a cut has made of one is selected with it.
    pub fn follow(&mut self, plan: &Arc<Plan>) {
        if plan.version == self.plan.version {
            return;
        }
        let old = std::mem::replace(&mut self.plan, Arc::clone(plan));
        if self.is_empty() {
            return;
        }
        let made = |plan: &Plan, i: u32| {
            plan.rest.get(i as usize).map(|row| row.truncate().to_array().map(f32::to_bits))
        };
        let mut by_place: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
        for i in 0..plan.rest.len() as u32 {
            made(plan, i).into_iter().for_each(|at| by_place.entry(at).or_default().push(i));
        }
        let again = |i: &u32| made(&old, *i).and_then(|at| by_place.get(&at));
        let mut all: Vec<u32> =
            self.particles.iter().filter_map(again).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        self.particles = all.into();
    }

    /// Numbers about them.
    pub fn sums(&self, frame: &Frame) -> Sums {
        let mut sums = Sums { particles: self.particles.len(), ..Sums::default() };
        let shapes = frame.plan.bodies.iter();
        let holds = |shape: &&crate::frame::Shape| {
            let first = self.particles.partition_point(|i| *i < shape.particles.start);
            self.particles.get(first).is_some_and(|i| shape.particles.contains(i))
        };
        sums.bodies = shapes.filter(holds).map(|shape| shape.name.clone()).collect();
        for &i in self.particles.iter() {
            let (Some(x), Some(v)) = (frame.rows.get(i as usize), frame.speeds.get(i as usize))
            else {
                continue;
            };
            sums.pinned += usize::from(frame.pins.binary_search(&i).is_ok());
            sums.middle += x.truncate() / self.particles.len() as f32;
            if x.w > 0.0 {
                let v = v.truncate();
                sums.mass += 1.0 / x.w;
                sums.momentum += v / x.w;
                sums.energy += 0.5 * v.length_squared() / x.w;
                sums.fastest = sums.fastest.max(v.length());
            }
        }
        let strain = frame
            .strain
            .iter()
            .flat_map(|all| self.particles.iter().filter_map(|i| all.get(*i as usize).copied()));
        sums.strain = strain.reduce(f32::max);
        sums
    }
}

/// Numbers about particles that are selected. What is pinned or asleep has no mass in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// How many they are.
    pub particles: usize,
    /// Bodies that they belong to, by name.
    pub bodies: Vec<String>,
    /// How many of them are pinned.
    pub pinned: usize,
    /// The middle of all (m).
    pub middle: Vec3,
    /// Mass of those that can move (kg).
    pub mass: f32,
    /// Their momentum (kg m/s).
    pub momentum: Vec3,
    /// Their energy of motion (J).
    pub energy: f32,
    /// Speed of the fastest (m/s).
    pub fastest: f32,
    /// Largest strain, if it is computed.
    pub strain: Option<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::session::Session;

    #[test]
    fn boxes_are_added_and_taken_away() {
        let plan = Session::quick("hanging-cloth").plan();
        let mut selection = Selection::default();
        selection.change(&[5, 3, 4], How::Replace, &plan);
        selection.change(&[9, 4], How::Add, &plan);
        assert_eq!(selection.particles()[..], [3, 4, 5, 9]);
        selection.change(&[4, 5, 6], How::Take, &plan);
        assert_eq!(selection.particles()[..], [3, 9]);
        selection.change(&[1], How::Replace, &plan);
        assert_eq!(selection.particles()[..], [1]);
    }

    #[test]
    fn what_is_selected_stays_so_when_a_cut_or_a_ball_gives_other_numbers() {
        let mut session = Session::quick("hanging-cloth");
        let before = session.plan();
        let mut selection = Selection::default();
        let right: Vec<u32> =
            (0..before.rest.len() as u32).filter(|&i| before.rest[i as usize].x > 0.3).collect();
        selection.change(&right, How::Replace, &before);
        let edge = |z: f32| [Vec3::new(0.02, 5.0, z), Vec3::new(0.02, -5.0, z)];
        session.apply(Command::Cut { edges: vec![edge(-3.0), edge(3.0)] });
        let (from, velocity) = (Vec3::Y * 9.0, Vec3::ZERO);
        session.apply(Command::Shoot { from, velocity, radius: 0.1 });
        let after = session.plan();
        assert!(after.rest.len() > before.rest.len());
        selection.follow(&after);
        assert_eq!(selection.particles().len(), right.len());
        assert!(selection.particles().iter().all(|i| after.rest[*i as usize].x > 0.3));
    }

    #[test]
    fn numbers_are_those_of_the_particles() {
        let mut session = Session::quick("hanging-cloth");
        (0..30).for_each(|_| session.step());
        let frame = session.frame();
        let mut selection = Selection::default();
        let all: Vec<u32> = (0..frame.rows.len() as u32).collect();
        selection.change(&all, How::Replace, &frame.plan);
        let sums = selection.sums(&frame);
        let measured = pliant::measure::readings(session.world());
        let motion = measured.iter().find(|reading| reading.name == "kinetic energy").unwrap();
        assert!((f64::from(sums.energy) / motion.value - 1.0).abs() < 1e-3, "{sums:?} {motion:?}");
        assert_eq!(sums.bodies.len(), frame.plan.bodies.len());
        assert_eq!(sums.pinned, frame.pins.len());
    }
}
