//! Constraint kinds: what a kind is, and the list of ours.
//!
//! A kind is C(x) and its gradient, nothing else ([`Constraint`]). Masses, multipliers, time
//! steps, colours, lanes, threads and the GPU are the same for every kind and written once, in
//! [`crate::step::project`]. One more kind is one file here, its WGSL twin beside it, and one line
//! in [`ALL`].

use glam::Vec3;

use crate::lanes::{Real, V3};
use crate::step::project::Kernels;

pub mod anchor;
pub mod angle;
pub mod attach;
pub mod bend;
pub mod curvature;
pub mod dilation;
pub mod distance;
pub mod isometric_bend;
pub mod link_bend;
pub mod neo_hookean;
pub mod saddle;
pub mod set;
pub mod shear;
pub mod slide;
pub mod stretch;
pub mod tether;
pub mod volume;

/// Every kind of ours, in the order in which a solver iteration visits them: what holds a shape
/// first, what ties it to something else last, so that ties give the least.
pub const ALL: &[&Kind] = &[
    &neo_hookean::KIND,
    &stretch::TET_KIND,
    &shear::TET_KIND,
    &dilation::TET_KIND,
    &volume::KIND,
    &bend::KIND,
    &isometric_bend::KIND,
    &curvature::KIND_4,
    &curvature::KIND_6,
    &curvature::KIND_8,
    &curvature::KIND_12,
    &saddle::KIND,
    &saddle::EDGE_KIND,
    &link_bend::KIND,
    &angle::KIND,
    &stretch::TRIANGLE_KIND,
    &shear::TRIANGLE_KIND,
    &dilation::TRIANGLE_KIND,
    &distance::KIND,
    &distance::MIN_KIND,
    &tether::KIND,
    &attach::KIND,
    &slide::KIND,
    &anchor::KIND,
];

/// A scalar function of `N` particle positions that wants to be zero, with `P` rest values; at
/// least one of each, since WGSL has no empty arrays.
///
/// Mark `eval` `#[inline(always)]`: it is compiled once per SIMD level, inside the solver's loop.
pub trait Constraint<const N: usize, const P: usize>: 'static {
    /// The name, as in scene files and snapshots.
    const NAME: &'static str;
    /// One sentence: what it keeps.
    const SHOWS: &'static str;
    /// The unit of C, such as `m` or `rad`.
    const UNIT: &'static str;
    /// The same function for the GPU: declares `N`, `P` and `eval`. `None` keeps it on the CPU.
    const WGSL: Option<&'static str>;
    /// Whether C may also be positive or negative.
    const SENSE: Sense = Sense::Equal;
    /// What C does not notice.
    const SYMMETRY: Symmetry = Symmetry::RigidMotion;
    /// How long the gradients are.
    const GRADIENTS: Gradients = Gradients::Any;

    /// C and its gradient at each particle. Degenerate shapes give zero gradients, never NaN.
    fn eval<R: Real>(x: [V3<R>; N], rest: [R; P]) -> (R, [V3<R>; N]);

    /// The rest values for which this pose is at rest, C = 0.
    fn rest(x: [V3<f64>; N]) -> [f64; P];
}

/// Which side of zero a constraint is allowed to be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// C = 0.
    Equal,
    /// C ≥ 0: only pushes.
    AtLeast,
    /// C ≤ 0: only pulls.
    AtMost,
}

/// Motions of all particles together that leave C as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Translations and rotations: the constraint makes no net force and no net torque.
    RigidMotion,
    /// None, for the reason given.
    None(&'static str),
}

/// What is known of the lengths |∇ᵢC| before C is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// Nothing.
    Any,
    /// They are 1 wherever C has a direction, as those of a distance: Σ wᵢ|∇ᵢC|² is Σ wᵢ, and the
    /// solver need not wait for a root to know it.
    Unit,
}

/// A constraint kind as data: what any part of the engine needs to know of it.
///
/// Make it a `static`: a `const` would compile its kernels anew wherever it is named.
///
/// ```
/// # use pliant::constraint::{Kind, distance::Distance};
/// static KIND: Kind = Kind::of::<Distance, 2, 1>();
/// assert_eq!(KIND.name, "distance");
/// ```
#[derive(Debug)]
pub struct Kind {
    /// See [`Constraint::NAME`].
    pub name: &'static str,
    /// See [`Constraint::SHOWS`].
    pub shows: &'static str,
    /// See [`Constraint::UNIT`].
    pub unit: &'static str,
    /// How many particles one constraint joins.
    pub particles: usize,
    /// How many rest values one constraint has.
    pub rest_values: usize,
    /// See [`Constraint::WGSL`].
    pub wgsl: Option<&'static str>,
    /// See [`Constraint::SENSE`].
    pub sense: Sense,
    /// See [`Constraint::SYMMETRY`].
    pub symmetry: Symmetry,
    /// See [`Constraint::GRADIENTS`].
    pub gradients: Gradients,
    pub(crate) kernels: Kernels,
}

impl Kind {
    /// The kind that `K` defines.
    pub const fn of<K: Constraint<N, P>, const N: usize, const P: usize>() -> Self {
        const { assert!(N > 0 && P > 0, "a kind has particles and rest values") };
        Self {
            name: K::NAME,
            shows: K::SHOWS,
            unit: K::UNIT,
            particles: N,
            rest_values: P,
            wgsl: K::WGSL,
            sense: K::SENSE,
            symmetry: K::SYMMETRY,
            gradients: K::GRADIENTS,
            kernels: Kernels::of::<K, N, P>(),
        }
    }

    /// Whether `other` is this kind, and not another of the same name.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let about = |kind: &Self| (kind.name, kind.shows, kind.particles, kind.rest_values);
        about(self) == about(other)
    }

    /// C in double precision at `x`; the gradient at each particle goes to `grad`.
    ///
    /// # Panics
    /// If the slices do not have the kind's lengths.
    pub fn eval(&self, x: &[V3<f64>], rest: &[f64], grad: &mut [V3<f64>]) -> f64 {
        (self.kernels.eval_f64)(x, rest, grad)
    }

    /// The same in single precision, as the solver computes it.
    ///
    /// # Panics
    /// If the slices do not have the kind's lengths.
    pub fn eval_f32(&self, x: &[V3<f32>], rest: &[f32], grad: &mut [V3<f32>]) -> f32 {
        (self.kernels.eval_f32)(x, rest, grad)
    }

    /// C of the `particles` at `positions`.
    pub(crate) fn violation(&self, particles: &[u32], positions: &[Vec3], rest: &[f32]) -> f32 {
        let x: Vec<_> =
            particles.iter().map(|&i| V3::from(positions[i as usize].as_dvec3())).collect();
        let rest: Vec<_> = rest.iter().map(|&value| f64::from(value)).collect();
        let mut grad = x.clone();
        self.eval(&x, &rest, &mut grad) as f32
    }

    /// The rest values for which the pose `x` is at rest.
    ///
    /// # Panics
    /// If `x` does not have as many entries as the kind has particles.
    pub fn rest(&self, x: &[Vec3]) -> Vec<f32> {
        let x: Vec<_> = x.iter().map(|x| V3::from(x.as_dvec3())).collect();
        (self.kernels.rest)(&x).into_iter().map(|value| value as f32).collect()
    }
}
