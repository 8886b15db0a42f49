//! What several laws share: strings of beads, one spring in three ways, seeded random poses.

use glam::{DVec3, Vec3};

use super::{LawError, Measured};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::lanes::V3;
use crate::solver::Solver;
use crate::step::project::{weighted_gradient, xpbd, xpbd_damped};
use crate::world::{Config, World};

pub(super) mod beam;
pub(super) mod contact;
pub(super) mod plane;
pub(super) mod specimen;
pub(super) mod stepper;

use stepper::step;

/// Time of a step (s): a frame at 60 Hz.
pub(super) const FRAME: f64 = 1.0 / 60.0;

/// Settings of a law's world: no gravity, one thread (the worlds are tiny), constraints in the
/// order of the string.
pub(super) fn config(substeps: u32, iterations: u32) -> Config {
    let solver = Solver::InOrder;
    Config { substeps, iterations, solver, threads: 1, gravity: Vec3::ZERO, ..Config::default() }
}

/// Gravity of `strength` (m/s²), downwards.
pub(super) fn down(strength: f64) -> Vec3 {
    Vec3::new(0.0, -strength as f32, 0.0)
}

/// A bead of a string: where it is (m), its mass (kg), and the link to the bead before.
#[derive(Clone, Copy)]
pub(super) struct Bead {
    pub(super) x: DVec3,
    pub(super) mass: f64,
    /// Rest length (m) of the link to the bead before.
    pub(super) rest: f64,
    pub(super) hold: Hold,
}

impl Bead {
    /// The bead that a string begins with.
    pub(super) fn first(x: DVec3) -> Self {
        Self { x, mass: 1.0, rest: 0.0, hold: Hold::RIGID }
    }
}

/// A world with one string of beads, of which the first is pinned. Link `i` is constraint `i` of
/// the distance kind and joins beads `i` and `i + 1`.
pub(super) fn string(config: Config, beads: &[Bead]) -> Result<World, LawError> {
    let mut body = Blueprint { name: "string".into(), ..Blueprint::default() };
    for (i, bead) in beads.iter().enumerate() {
        let id = body.particle(bead.x.as_vec3(), bead.mass as f32);
        if i > 0 {
            body.join_with_rest(&distance::KIND, &[id - 1, id], &[bead.rest as f32], bead.hold)?;
        }
    }
    let mut world = World::new(config);
    world.add(&body.pinned(&[0]))?;
    Ok(world)
}

/// Takes `frames` steps of a frame each.
pub(super) fn run(world: &mut World, frames: u32) -> Result<(), LawError> {
    for _ in 0..frames {
        step(world, FRAME as f32)?;
    }
    Ok(())
}

/// Takes `frames` steps and returns the average of what `read` says after each. A settled world
/// of single precision still trembles by the last bit; the average does not.
pub(super) fn average(
    world: &mut World,
    frames: u32,
    read: impl Fn(&World) -> f64,
) -> Result<f64, LawError> {
    let mut sum = 0.0;
    for _ in 0..frames {
        run(world, 1)?;
        sum += read(world);
    }
    Ok(sum / f64::from(frames))
}

/// Where bead `i` is (m).
pub(super) fn position(world: &World, i: usize) -> DVec3 {
    world.particles.position(i).as_dvec3()
}

/// Distance of the beads of link `i` (m).
pub(super) fn length(world: &World, i: usize) -> f64 {
    position(world, i).distance(position(world, i + 1))
}

/// Tension of link `i` (N): −λ/h².
pub(super) fn tension(world: &World, i: usize) -> f64 {
    let h = f64::from(world.substep());
    let links = world.constraints().iter().find(|set| set.kind().name == distance::KIND.name);
    links.map_or(f64::NAN, |links| -f64::from(links.lambda(i)) / (h * h))
}

/// The one that is farthest off, as a share of what is allowed. NaN is farther than anything.
pub(super) fn worst(measured: impl IntoIterator<Item = Measured>) -> Option<Measured> {
    let strain = |m: &Measured| {
        let share = m.error() / m.allowed();
        if share.is_nan() { f64::INFINITY } else { share }
    };
    measured.into_iter().max_by(|a, b| strain(a).total_cmp(&strain(b)))
}

/// A mass on a spring with a dashpot, let go at rest.
#[derive(Clone, Copy)]
pub(super) struct Spring {
    /// Mass (kg).
    pub(super) mass: f64,
    /// Inverse stiffness (m/N).
    pub(super) compliance: f64,
    /// Dashpot coefficient (N·s/m).
    pub(super) damping: f64,
    /// How far it is stretched when let go (m).
    pub(super) offset: f64,
    /// Time step (s).
    pub(super) h: f64,
    /// Solver iterations in each step.
    pub(super) iterations: u32,
    /// Steps to take.
    pub(super) steps: u32,
}

/// Rest length of a [`Spring`] (m).
const REST: f64 = 1.0;
/// Its direction, along no axis, of length 1.
const ALONG: DVec3 = DVec3::new(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);

impl Spring {
    /// The offsets (m) after each step, by backward Euler:
    ///
    /// ```text
    /// (1 + h²/(αm) + hβ/m) yₙ₊₁ = (2 + hβ/m) yₙ − yₙ₋₁,    y₋₁ = y₀
    /// ```
    pub(super) fn recurrence(&self) -> Vec<f64> {
        let Self { mass, h, .. } = *self;
        // As a constraint keeps them.
        let [compliance, damping] = [self.compliance, self.damping].map(|x| f64::from(x as f32));
        let (spring, dashpot) = (h * h / (compliance * mass), h * damping / mass);
        let (mut before, mut y) = (self.offset, self.offset);
        let next = |_| {
            let next = ((2.0 + dashpot) * y - before) / (1.0 + spring + dashpot);
            (before, y) = (y, next);
            y
        };
        (0..self.steps).map(next).collect()
    }

    /// The same by the engine's rule, in double precision.
    pub(super) fn in_double(&self) -> Vec<f64> {
        let mut string = Double::new(&self.beads(), DVec3::ZERO);
        let step = |_| {
            string.step(self.h, self.iterations);
            string.position(1).dot(ALONG)
        };
        (0..self.steps).map(step).collect()
    }

    /// The same by the engine itself, in single precision.
    pub(super) fn in_engine(&self) -> Result<Vec<f64>, LawError> {
        let mut world = string(config(1, self.iterations), &self.beads())?;
        let mut offsets = Vec::new();
        for _ in 0..self.steps {
            step(&mut world, self.h as f32)?;
            offsets.push(position(&world, 1).dot(ALONG));
        }
        Ok(offsets)
    }

    /// At rest the mass is at the origin, where single precision is finest.
    fn beads(&self) -> [Bead; 2] {
        let hold = Hold {
            compliance: self.compliance as f32,
            damping: self.damping as f32,
            ..Hold::RIGID
        };
        let x = ALONG * self.offset;
        [Bead::first(-ALONG * REST), Bead { x, mass: self.mass, rest: REST, hold }]
    }
}

/// A string of beads in double precision, moved by the engine's rules and its distance kind: what
/// the engine would do if it did not round.
pub(super) struct Double {
    x: Vec<V3<f64>>,
    v: Vec<V3<f64>>,
    /// Inverse masses (1/kg).
    w: Vec<f64>,
    beads: Vec<Bead>,
    gravity: V3<f64>,
}

impl Double {
    pub(super) fn new(beads: &[Bead], gravity: DVec3) -> Self {
        let mut w: Vec<_> = beads.iter().map(|bead| 1.0 / bead.mass).collect();
        w[0] = 0.0;
        Self {
            x: beads.iter().map(|bead| bead.x.into()).collect(),
            v: vec![DVec3::ZERO.into(); beads.len()],
            w,
            beads: beads.to_vec(),
            gravity: gravity.into(),
        }
    }

    /// One substep, as in [`crate::step::step_with`].
    pub(super) fn step(&mut self, h: f64, iterations: u32) {
        let start = self.x.clone();
        for i in 1..self.x.len() {
            self.v[i] = self.v[i] + self.gravity * h;
            self.x[i] = self.x[i] + self.v[i] * h;
        }
        let predicted = self.x.clone();
        let mut lambda = vec![0.0; self.x.len()];
        for _ in 0..iterations {
            for i in 1..self.x.len() {
                lambda[i] += self.project(i, &start, lambda[i], h);
            }
        }
        for i in 1..self.x.len() {
            self.v[i] = self.v[i] + (self.x[i] - predicted[i]) * (1.0 / h);
        }
    }

    /// Solves the link before bead `i` and returns the change of its multiplier.
    fn project(&mut self, i: usize, start: &[V3<f64>], lambda: f64, h: f64) -> f64 {
        let Hold { compliance, damping, .. } = self.beads[i].hold;
        let (compliance, damping) = (f64::from(compliance), f64::from(damping));
        let (alpha, gamma) = (compliance / (h * h), compliance * damping / h);
        let w = [self.w[i - 1], self.w[i]];
        let mut grad = [V3::from(DVec3::ZERO); 2];
        let c = distance::KIND.eval(&self.x[i - 1..=i], &[self.beads[i].rest], &mut grad);
        let sum = weighted_gradient(grad, w);
        let d_lambda = if damping > 0.0 {
            let moved = [0, 1].map(|k| grad[k].dot(self.x[i - 1 + k] - start[i - 1 + k]));
            xpbd_damped(c, lambda, sum, [alpha, gamma], moved[0] + moved[1])
        } else {
            xpbd(c, lambda, sum, alpha)
        };
        for k in 0..2 {
            self.x[i - 1 + k] = self.x[i - 1 + k] + grad[k] * (w[k] * d_lambda);
        }
        d_lambda
    }

    /// Where bead `i` is (m).
    pub(super) fn position(&self, i: usize) -> DVec3 {
        let V3 { x, y, z } = self.x[i];
        DVec3::new(x, y, z)
    }

    /// How fast it moves (m/s).
    pub(super) fn velocity(&self, i: usize) -> DVec3 {
        let V3 { x, y, z } = self.v[i];
        DVec3::new(x, y, z)
    }
}

/// The largest difference of two lists.
pub(super) fn departure(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
}

/// The larger of the two, and NaN if one is; `f64::max` would hide it.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
