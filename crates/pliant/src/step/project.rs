//! Turns a violation into motion. The same for every kind, every lane width and every solver.
//!
//! The WGSL twin of this file is `project.wgsl`; a kind's shader is that file and the kind's own.

use std::array::from_fn;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec4};

use crate::coloring::Colored;
use crate::constraint::set::Set;
use crate::constraint::{Constraint, Sense};
use crate::lanes::{Lanes, Real, V3, at_best_level};
use crate::parallel::{Group, Share};
use crate::solver::unordered::Race;
use crate::world::{Config, Method, Precision};

/// The part of the GPU's shader that is the same for every kind.
pub const WGSL: &str = include_str!("project.wgsl");

/// What a solver needs to visit the constraints of a set.
pub(crate) struct Work<'a> {
    pub(crate) kernels: &'static Kernels,
    pub(crate) batch: Batch<'a>,
    pub(crate) colored: &'a Colored,
    /// The slots of all that are solved, in the order in which they were added.
    pub(crate) order: &'a [u32],
    pub(crate) lambda: &'a mut [f32],
}

impl<'a> Work<'a> {
    /// The work on `set`, with particles that were predicted at `predicted` to move with `v`.
    pub(crate) fn new(
        set: &'a mut Set,
        (predicted, v): (&'a [Vec4], &'a [Vec4]),
        config: &Config,
        Substep { h, iteration }: Substep,
    ) -> Self {
        let kernels = &set.kind().kernels;
        let Set { colored, rest, compliance, damping, lambda, order, share, damped, .. } = set;
        let rule = match (config.method, *damped) {
            (Method::Pbd, _) => Rule::Pbd,
            (Method::Xpbd, false) => Rule::Elastic,
            (Method::Xpbd, true) => Rule::Damped,
        };
        let Config { precision, omega, .. } = *config;
        let (first, seen) = (iteration == 0, None);
        let batch = Batch {
            rest,
            compliance,
            damping,
            share,
            predicted,
            v,
            seen,
            h,
            first,
            rule,
            precision,
            omega,
        };
        Self { kernels, batch, colored, order, lambda }
    }
}

/// Where in a step we are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substep {
    /// Length of the substep (s).
    pub(crate) h: f32,
    /// Solver iteration within it, from 0.
    pub(crate) iteration: u32,
}

/// The multiplier's change by XPBD.
///
/// ```text
/// Δλ = (−C − α̃λ) / (Σ wᵢ|∇ᵢC|² + α̃),    α̃ = α/h²       eq. 18
/// ```
///
/// Macklin et al. 2016, "XPBD: Position-Based Simulation of Compliant Constrained Dynamics".
#[inline(always)]
pub fn xpbd<R: Real>(c: R, lambda: R, weighted_gradient: R, alpha: R) -> R {
    (-c - alpha * lambda).div_or_zero(weighted_gradient + alpha)
}

/// The multiplier's change by XPBD with a dashpot beside the spring.
///
/// ```text
/// Δλ = (−C − α̃λ − γ ∇C·(x − x_prev)) / ((1 + γ) Σ wᵢ|∇ᵢC|² + α̃),    γ = αβ/h       eq. 26
/// ```
///
/// `motion` is ∇C·(x − x_prev), the change of C since the substep began. Macklin et al. 2016.
#[inline(always)]
pub fn xpbd_damped<R: Real>(
    c: R,
    lambda: R,
    weighted_gradient: R,
    [alpha, gamma]: [R; 2],
    motion: R,
) -> R {
    let one = c.lit(1.0);
    (-c - alpha * lambda - gamma * motion).div_or_zero((one + gamma) * weighted_gradient + alpha)
}

/// The multiplier's change by PBD: the share k of the error goes.
///
/// ```text
/// Δλ = −k C / Σ wᵢ|∇ᵢC|²       eq. 8 and 9
/// ```
///
/// With k = 1 − (1 − k_total)^(1/n) the share left after n rounds is 1 − k_total, whatever n.
/// Müller et al. 2007, "Position Based Dynamics", section 3.3.
#[inline(always)]
pub fn pbd<R: Real>(c: R, weighted_gradient: R, k: R) -> R {
    (-c).div_or_zero(weighted_gradient) * k
}

/// Σ wᵢ|∇ᵢC|².
#[inline(always)]
pub fn weighted_gradient<R: Real, const N: usize>(grad: [V3<R>; N], w: [R; N]) -> R {
    let mut sum = w[0] * grad[0].length_squared();
    for k in 1..N {
        sum = sum + w[k] * grad[k].length_squared();
    }
    sum
}

/// What the kernels of all kinds read; what they write is in the [`Share`].
pub(crate) struct Batch<'a> {
    rest: &'a [Vec<f32>],
    compliance: &'a [f32],
    damping: &'a [f32],
    share: &'a [f32],
    predicted: &'a [Vec4],
    v: &'a [Vec4],
    /// What every constraint sees, where that is not what it moves. The rows that are moved then
    /// hold Σ Δx so far and, in `w`, the inverse mass of the particle's part; see
    /// [`crate::solver::jacobi`].
    pub(crate) seen: Option<&'a [Vec4]>,
    h: f32,
    /// In the first iteration of a substep the multipliers start from 0.
    first: bool,
    rule: Rule,
    precision: Precision,
    /// Multiple of each correction that is made.
    omega: f32,
}

/// A kind's functions, compiled for every lane width.
#[derive(Debug)]
pub(crate) struct Kernels {
    /// Solves all slots of the share, several at once: they must share no particle.
    pub(crate) by_lanes: fn(&Batch<'_>, &mut Share<'_>),
    /// Solves the listed slots one after the other.
    pub(crate) in_order: fn(&Batch<'_>, &mut Share<'_>, &[u32]),
    /// The same, while others do it with other slots.
    pub(crate) racing: fn(&Batch<'_>, &Race<'_>, &[u32]),
    pub(crate) eval_f64: Eval<f64>,
    pub(crate) eval_f32: Eval<f32>,
    pub(crate) rest: fn(&[V3<f64>]) -> Vec<f64>,
}

/// C at `x`; the gradient goes to the last slice.
type Eval<R> = fn(x: &[V3<R>], rest: &[R], grad: &mut [V3<R>]) -> R;

impl Kernels {
    pub(crate) const fn of<K: Constraint<N, P>, const N: usize, const P: usize>() -> Self {
        Self {
            by_lanes: solve_by_lanes::<K, N, P>,
            in_order: solve_in_order::<K, N, P>,
            racing: solve_racing::<K, N, P>,
            eval_f64: eval_slices::<K, f64, N, P>,
            eval_f32: eval_slices::<K, f32, N, P>,
            rest: |x| K::rest(from_fn(|k| x[k])).to_vec(),
        }
    }
}

fn eval_slices<K: Constraint<N, P>, R: Real, const N: usize, const P: usize>(
    x: &[V3<R>],
    rest: &[R],
    grad: &mut [V3<R>],
) -> R {
    let (c, gradient) = K::eval(from_fn(|k| x[k]), from_fn(|p| rest[p]));
    grad.copy_from_slice(&gradient);
    c
}

fn solve_in_order<K: Constraint<N, P>, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
    slots: &[u32],
) {
    for &slot in slots {
        solve::<K, f32, N, P>(batch, &mut share.group::<_, N>(slot as usize), (), slot as usize);
    }
}

fn solve_racing<K: Constraint<N, P>, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    race: &Race<'_>,
    slots: &[u32],
) {
    for &slot in slots {
        solve::<K, f32, N, P>(batch, &mut race.entrant::<N>(slot as usize), (), slot as usize);
    }
}

fn solve_by_lanes<K: Constraint<N, P>, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
) {
    let Range { start: mut slot, end } = share.slots();
    at_best_level!(simd => {
        while slot + crate::lanes::LANES <= end {
            solve::<K, fearless_simd::f32x8<_>, N, P>(batch, &mut share.group::<_, N>(slot), simd, slot);
            slot += crate::lanes::LANES;
        }
    });
    while slot < end {
        solve::<K, f32, N, P>(batch, &mut share.group::<_, N>(slot), (), slot);
        slot += 1;
    }
}

/// Solves as many constraints as `R` has lanes, from `slot` on: gather, evaluate, correct, scatter.
///
/// ```text
/// Δxᵢ = wᵢ ∇ᵢC Δλ       Macklin et al. 2016, eq. 17
/// ```
#[inline(always)]
fn solve<K: Constraint<N, P>, R: Lanes, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    group: &mut impl Access<R, N>,
    proof: R::Proof,
    slot: usize,
) {
    let moved: [[R; 4]; N] = from_fn(|k| R::gather(proof, |lane| group.row(lane, k)));
    let seen = match batch.seen {
        None => moved,
        Some(rows) => from_fn(|k| R::gather(proof, |lane| rows[group.id(lane, k)])),
    };
    let [w, part] = [seen, moved].map(|rows| rows.map(|[_, _, _, w]| w));
    let [rows, moved] = [seen, moved].map(|rows| rows.map(|[x, y, z, _]| V3 { x, y, z }));
    let x = match batch.precision {
        Precision::Plain => rows,
        Precision::Carried => from_fn(|k| column(batch.predicted, group, proof, k) + rows[k]),
    };
    let rest = from_fn(|p| R::load(proof, &batch.rest[p][slot..]));
    let lambda = if batch.first { R::splat(proof, 0.0) } else { group.lambda(proof) };

    let (c, grad) = K::eval(x, rest);
    let sum = weighted_gradient(grad, part);
    let at = At { slot, group: &*group, proof, rows, c, lambda, grad, sum };
    let d_lambda = at.d_lambda(batch) * R::splat(proof, batch.omega);
    let new_lambda = allowed(K::SENSE, lambda + d_lambda);
    let d_lambda = new_lambda - lambda;

    group.set_lambda(new_lambda);
    for k in 0..N {
        let row = moved[k] + grad[k] * (w[k] * d_lambda);
        R::scatter([row.x, row.y, row.z, part[k]], |lane, row| group.set_row(lane, k, row));
    }
}

/// How a solver lets a few constraints reach their particles and multipliers.
pub(crate) trait Access<R: Lanes, const N: usize> {
    /// The index of particle `k` of the constraint in `lane`.
    fn id(&self, lane: usize, k: usize) -> usize;
    /// The row that this particle has in what is moved.
    fn row(&self, lane: usize, k: usize) -> Vec4;
    /// Replaces it.
    fn set_row(&self, lane: usize, k: usize, row: Vec4);
    /// The multipliers.
    fn lambda(&mut self, proof: R::Proof) -> R;
    /// Replaces them.
    fn set_lambda(&mut self, lambda: R);
}

impl<R: Lanes, const N: usize> Access<R, N> for Group<'_, R, N> {
    #[inline(always)]
    fn id(&self, lane: usize, k: usize) -> usize {
        self.id(lane, k)
    }
    #[inline(always)]
    fn row(&self, lane: usize, k: usize) -> Vec4 {
        self.particle(lane, k)
    }
    #[inline(always)]
    fn set_row(&self, lane: usize, k: usize, row: Vec4) {
        self.set_particle(lane, k, row);
    }
    #[inline(always)]
    fn lambda(&mut self, proof: R::Proof) -> R {
        R::load(proof, self.lambda())
    }
    #[inline(always)]
    fn set_lambda(&mut self, lambda: R) {
        self.lambda().copy_from_slice(&lambda.store()[..R::WIDTH]);
    }
}

/// λ brought to the side on which the constraint may act.
#[inline(always)]
fn allowed<R: Real>(sense: Sense, lambda: R) -> R {
    match sense {
        Sense::Equal => lambda,
        Sense::AtLeast => lambda.at_least(lambda.lit(0.0)),
        Sense::AtMost => lambda.at_most(lambda.lit(0.0)),
    }
}

/// The vectors of particle `k` of each constraint of a group.
#[inline(always)]
fn column<R: Lanes, const N: usize>(
    rows: &[Vec4],
    group: &impl Access<R, N>,
    proof: R::Proof,
    k: usize,
) -> V3<R> {
    let [x, y, z, _] = R::gather(proof, |lane| rows[group.id(lane, k)]);
    V3 { x, y, z }
}

/// Constraints evaluated at the present positions.
struct At<'a, R: Lanes, G, const N: usize> {
    slot: usize,
    group: &'a G,
    proof: R::Proof,
    rows: [V3<R>; N],
    c: R,
    lambda: R,
    grad: [V3<R>; N],
    /// Σ wᵢ|∇ᵢC|².
    sum: R,
}

/// How a violation becomes a change of the multiplier.
///
/// Frame and rule are asked about once per group of lanes instead of compiled apart: six variants
/// of every kernel would take six times as long to build, and the branch always goes the same way.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// [`xpbd`].
    Elastic,
    /// [`xpbd_damped`].
    Damped,
    /// [`pbd`].
    Pbd,
}

impl<R: Lanes, G: Access<R, N>, const N: usize> At<'_, R, G, N> {
    #[inline(always)]
    fn d_lambda(&self, batch: &Batch<'_>) -> R {
        match batch.rule {
            Rule::Elastic => xpbd(self.c, self.lambda, self.sum, self.alpha(batch)),
            Rule::Damped => self.damped(batch),
            Rule::Pbd => pbd(self.c, self.sum, R::load(self.proof, &batch.share[self.slot..])),
        }
    }

    #[inline(always)]
    fn damped(&self, batch: &Batch<'_>) -> R {
        let h = R::splat(self.proof, batch.h);
        let alpha = self.alpha(batch);
        let beta = R::load(self.proof, &batch.damping[self.slot..]);
        let gamma = alpha * beta * h; // αβ/h = α̃βh
        let mut motion = R::splat(self.proof, 0.0);
        for k in 0..N {
            // x − x_prev = (x − x*) + h v
            let v = column(batch.v, self.group, self.proof, k);
            motion = motion + self.grad[k].dot(self.displacement(batch, k) + v * h);
        }
        xpbd_damped(self.c, self.lambda, self.sum, [alpha, gamma], motion)
    }

    /// How far constraints have moved particle `k` from where it was predicted.
    #[inline(always)]
    fn displacement(&self, batch: &Batch<'_>, k: usize) -> V3<R> {
        match batch.precision {
            Precision::Plain => self.rows[k] - column(batch.predicted, self.group, self.proof, k),
            Precision::Carried => self.rows[k],
        }
    }

    /// α̃ = α/h².
    #[inline(always)]
    fn alpha(&self, batch: &Batch<'_>) -> R {
        let per_h2 = R::splat(self.proof, 1.0 / (batch.h * batch.h));
        R::load(self.proof, &batch.compliance[self.slot..]) * per_h2
    }
}

impl From<DVec3> for V3<f64> {
    fn from(v: DVec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Vec3> for V3<f32> {
    fn from(v: Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}
