//! Integrators: how bodies of springs move under forces, and the list of ours.
//!
//! The other way to move the same bodies: no projection, but forces, and one of these to step
//! through time. [`crate::World::set_stepping`] switches a body from one to the other while it
//! moves. Everything here is generic over the precision, so that the laws of each integrator are
//! checked in `f64` and the engine runs the same code in `f32`. One more integrator is one file
//! here and one line in [`ALL`].

use std::fmt;

use crate::lanes::{Real, V3};

pub mod explicit_euler;
pub mod implicit_euler;
pub mod rk2;
pub mod rk4;
pub mod symplectic_euler;
pub mod verlet;

/// Every integrator, from simple to costly.
pub const ALL: &[&Integrator] = &[
    explicit_euler::INTEGRATOR,
    symplectic_euler::INTEGRATOR,
    verlet::INTEGRATOR,
    rk2::INTEGRATOR,
    rk4::INTEGRATOR,
    implicit_euler::INTEGRATOR,
];

/// The integrator of that name.
pub fn find(name: &str) -> Option<&'static Integrator> {
    ALL.iter().copied().find(|integrator| integrator.name == name)
}

/// A way to step through time.
pub struct Integrator {
    /// The name, as in scene files and snapshots.
    pub name: &'static str,
    /// One sentence: what it is good for.
    pub shows: &'static str,
    /// The power of the step with which its error shrinks.
    pub order: u32,
    /// The largest ωh at which an undamped oscillator of frequency ω does not grow; 0 where it
    /// always does, infinite where it never does.
    pub stable_below: f64,
    single: Step<f32>,
    double: Step<f64>,
}

/// Moves the state by h (s).
type Step<R> = fn(&System<'_, R>, &mut State<R>, h: R, &mut Work<R>);

impl Integrator {
    /// Moves `state` by `h` (s).
    ///
    /// # Panics
    /// If the slices of `system` and `state` differ in length, or a spring ends nowhere.
    pub fn step<R: Scalar>(
        &self,
        system: &System<'_, R>,
        state: &mut State<R>,
        h: R,
        work: &mut Work<R>,
    ) {
        let count = system.w.len();
        assert_eq!([system.pull.len(), state.x.len(), state.v.len()], [count; 3], "particles");
        work.resize(count);
        R::step_of(self)(system, state, h, work);
    }
}

/// A method, for every precision.
trait Method {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>);
}

impl fmt::Debug for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Integrator({})", self.name)
    }
}

impl PartialEq for Integrator {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Integrator {}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// By constraints alone.
    #[default]
    Constraints,
    /// Its springs, the distance constraints between its own particles that are not rigid, pull
    /// with forces. All else still holds it: other constraints, pins and colliders.
    Forces(&'static Integrator),
}

impl Stepping {
    /// Its name: that of the integrator, or `constraints`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constraints => "constraints",
            Self::Forces(integrator) => integrator.name,
        }
    }

    /// The stepping of that name.
    pub fn find(name: &str) -> Option<Self> {
        let steppings = ALL.iter().map(|integrator| Self::Forces(integrator));
        std::iter::once(Self::Constraints).chain(steppings).find(|stepping| stepping.name() == name)
    }
}

/// A plain number that an integrator computes with.
pub trait Scalar: Real + PartialOrd + Default + 'static {
    /// Where rounding takes over: the share at which a linear solve has converged.
    const PRECISION: f64;
    /// The number nearest to `value`.
    fn of(value: f64) -> Self;
    /// An integrator's code in this precision.
    fn step_of(integrator: &Integrator) -> Step<Self>;
}

impl Scalar for f32 {
    const PRECISION: f64 = 1e-6;
    fn of(value: f64) -> Self {
        value as Self
    }
    fn step_of(integrator: &Integrator) -> Step<Self> {
        integrator.single
    }
}

impl Scalar for f64 {
    const PRECISION: f64 = 1e-16;
    fn of(value: f64) -> Self {
        value
    }
    fn step_of(integrator: &Integrator) -> Step<Self> {
        integrator.double
    }
}

/// Springs, one array per quantity.
#[derive(Clone, Debug, Default)]
pub struct Springs<R> {
    /// The particles at both ends.
    pub ends: Vec<[u32; 2]>,
    /// Rest length l₀ (m).
    pub rest: Vec<R>,
    /// Stiffness k (N/m).
    pub stiffness: Vec<R>,
    /// Dashpot coefficient β (N·s/m).
    pub damping: Vec<R>,
}

impl<R> Springs<R> {
    /// Removes all and keeps the memory.
    pub(crate) fn clear(&mut self) {
        let Self { ends, rest, stiffness, damping } = self;
        ends.clear();
        [rest, stiffness, damping].into_iter().for_each(Vec::clear);
    }
}

/// What does not change during a step.
#[derive(Clone, Copy, Debug)]
pub struct System<'a, R> {
    /// Inverse masses (1/kg); 0 holds a particle, which then moves with its velocity.
    pub w: &'a [R],
    /// Acceleration of each particle by gravity and other forces (m/s²).
    pub pull: &'a [V3<R>],
    /// What joins them.
    pub springs: &'a Springs<R>,
}

impl<R: Scalar> System<'_, R> {
    /// What springs and pull do to each particle (m/s²); held ones feel nothing.
    ///
    /// ```text
    /// F₀ = −(k (l − l₀) + β n·(v₀ − v₁)) n,    F₁ = −F₀,    n = (x₀ − x₁)/l
    /// ```
    ///
    /// Ends in one place have no direction, and no force.
    pub fn accelerations(&self, State { x, v }: &State<R>, a: &mut [V3<R>]) {
        a.fill(zero());
        let Springs { ends, rest, stiffness, damping } = self.springs;
        for (s, &[i, j]) in ends.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let d = x[i] - x[j];
            let length = d.length();
            let n = d * R::of(1.0).div_or_zero(length);
            let rate = n.dot(v[i] - v[j]);
            let force = n * (stiffness[s] * (length - rest[s]) + damping[s] * rate);
            a[i] = a[i] - force;
            a[j] = a[j] + force;
        }
        for i in 0..a.len() {
            a[i] = if self.w[i] > R::of(0.0) { self.pull[i] + a[i] * self.w[i] } else { zero() };
        }
    }
}

/// What moves.
#[derive(Clone, Debug, Default)]
pub struct State<R> {
    /// Positions (m).
    pub x: Vec<V3<R>>,
    /// Velocities (m/s).
    pub v: Vec<V3<R>>,
}

/// Memory for a step, to be used again and again.
#[derive(Clone, Debug, Default)]
pub struct Work<R> {
    /// A state to look ahead with.
    ahead: State<R>,
    /// One vector per particle each.
    rows: [Vec<V3<R>>; 4],
    /// See [`implicit_euler`].
    linear: implicit_euler::Linear<R>,
}

impl<R: Scalar> Work<R> {
    fn resize(&mut self, count: usize) {
        let Self { ahead, rows, .. } = self;
        let columns = rows.iter_mut().chain([&mut ahead.x, &mut ahead.v]);
        columns.for_each(|column| column.resize(count, zero()));
    }
}

fn zero<R: Scalar>() -> V3<R> {
    V3 { x: R::of(0.0), y: R::of(0.0), z: R::of(0.0) }
}

/// `a ← b + h c`, for each particle.
fn set_sum<R: Scalar>(a: &mut [V3<R>], b: &[V3<R>], h: R, c: &[V3<R>]) {
    for i in 0..a.len() {
        a[i] = b[i] + c[i] * h;
    }
}

/// `a ← a + h c`, for each particle.
fn add<R: Scalar>(a: &mut [V3<R>], h: R, c: &[V3<R>]) {
    for i in 0..a.len() {
        a[i] = a[i] + c[i] * h;
    }
}

#[cfg(test)]
mod tests;
