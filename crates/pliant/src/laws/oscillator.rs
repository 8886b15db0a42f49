//! What the laws of integrators share: a mass that hangs on a spring with a dashpot.

use super::LawError;
use super::rig::stepper::step;
use super::rig::{Bead, down, string};
use crate::constraint::set::Hold;
use crate::integrate::{Integrator, Scalar, Springs, State, Stepping, System, Work};
use crate::lanes::V3;
use crate::world::Config;

/// A mass below a fixed point. Along the line, how far it is from its rest y obeys
///
/// ```text
/// y'' = −ω² y − γ y',    ω² = k/m,    γ = β/m
/// ```
#[derive(Clone, Copy)]
pub(super) struct Oscillator {
    /// Mass (kg).
    pub(super) mass: f64,
    /// Stiffness (N/m).
    pub(super) stiffness: f64,
    /// Dashpot coefficient (N·s/m).
    pub(super) damping: f64,
    /// Rest length of the spring (m).
    pub(super) rest: f64,
    /// Gravity, which points along the spring (m/s²).
    pub(super) gravity: f64,
    /// Length of the spring when it is let go (m).
    pub(super) start: f64,
}

impl Oscillator {
    /// The length at which it would hang still (m).
    pub(super) fn level(&self) -> f64 {
        self.rest + self.mass * self.gravity / self.stiffness
    }

    /// ω (1/s).
    pub(super) fn omega(&self) -> f64 {
        (self.stiffness / self.mass).sqrt()
    }

    /// Offset y (m) and speed y' (m/s) after each step, by an integrator in double precision.
    pub(super) fn run(&self, integrator: &Integrator, h: f64, steps: u32) -> Vec<[f64; 2]> {
        let along = |y: f64| V3 { x: 0.0, y: -y, z: 0.0 };
        let springs = Springs {
            ends: vec![[0, 1]],
            rest: vec![self.rest],
            stiffness: vec![self.stiffness],
            damping: vec![self.damping],
        };
        let (w, pull) = ([0.0, 1.0 / self.mass], [along(self.gravity); 2]);
        let system = System { w: &w, pull: &pull, springs: &springs };
        let mut state = State { x: vec![along(0.0), along(self.start)], v: vec![along(0.0); 2] };
        let mut work = Work::default();
        let next = |_| {
            integrator.step(&system, &mut state, f64::of(h), &mut work);
            [-state.x[1].y - self.level(), -state.v[1].y]
        };
        (0..steps).map(next).collect()
    }

    /// The offsets by the engine itself, in single precision.
    pub(super) fn in_engine(
        &self,
        integrator: &'static Integrator,
        h: f64,
        steps: u32,
    ) -> Result<Vec<f64>, LawError> {
        let hold = Hold::spring(self.stiffness as f32).damped(self.damping as f32);
        let x = glam::DVec3::NEG_Y * self.start;
        let beads =
            [Bead::first(glam::DVec3::ZERO), Bead { x, mass: self.mass, rest: self.rest, hold }];
        let config = Config { gravity: down(self.gravity), ..super::rig::config(1, 1) };
        let mut world = string(config, &beads)?;
        let (body, _) = world.bodies().next().ok_or(crate::WorldError::NoSuchBody)?;
        world.set_stepping(body, Stepping::Forces(integrator))?;
        let mut offsets = Vec::new();
        for _ in 0..steps {
            step(&mut world, h as f32)?;
            offsets.push(-f64::from(world.particles.position(1).y) - self.level());
        }
        Ok(offsets)
    }

    /// Offset and speed at time `t` (s), exactly.
    pub(super) fn exact(&self, t: f64) -> [f64; 2] {
        let (half, y0) = (self.damping / self.mass / 2.0, self.start - self.level());
        let omega = (self.omega().powi(2) - half * half).sqrt();
        let (sin, cos) = libm::sincos(omega * t);
        let fade = libm::exp(-half * t) * y0;
        [fade * (cos + half / omega * sin), -fade * (omega + half * half / omega) * sin]
    }
}
