//! Turns a violation into motion. The same for every kind, every lane width and every solver.
//!
//! The WGSL twin of this file is `project.wgsl`; a kind's shader is that file and the kind's own.

use std::array::from_fn;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec4};

use crate::constraint::set::Set;
use crate::constraint::{Constraint, Sense};
use crate::lanes::{Lanes, Real, V3, at_best_level};
use crate::parallel::{Group, Pool, Share};
use crate::particles::Particles;
use crate::world::{Config, Method, Precision, Solver};

/// The part of the GPU's shader that is the same for every kind.
pub const WGSL: &str = include_str!("project.wgsl");

/// Constraints of a colour that are worth a second thread; below, waking it costs more.
const GRAIN: usize = 256;

/// One iteration of `config.solver` over the constraints of `set`.
pub(crate) fn project(
    set: &mut Set,
    particles: &mut Particles,
    pool: &Pool,
    config: &Config,
    Substep { h, iteration }: Substep,
) {
    let kernels = &set.kind().kernels;
    let Set { colored, rest, compliance, damping, lambda, order, share, damped, .. } = set;
    let Particles { xw, predicted, v, .. } = particles;
    let first = iteration == 0;
    let batch = Batch { rest, compliance, damping, share, predicted, v, h, first };
    let rules = match config.precision {
        Precision::Plain => &kernels.plain,
        Precision::Carried => &kernels.carried,
    };
    let kernel = match (config.method, *damped) {
        (Method::Pbd, _) => &rules.pbd,
        (Method::Xpbd, false) => &rules.elastic,
        (Method::Xpbd, true) => &rules.damped,
    };
    match config.solver {
        Solver::InOrder => {
            Pool::alone(colored, (xw, lambda), |share| (kernel.in_order)(&batch, share, order));
        }
        Solver::Colored => {
            pool.for_colors(colored, GRAIN, (xw, lambda), |share| (kernel.by_lanes)(&batch, share));
        }
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

/// The root mean square of what `set` has left unsolved, C + α̃λ, in the unit of C.
pub(crate) fn residual(set: &Set, particles: &Particles, method: Method, h: f32) -> f64 {
    let active = set.colored.active();
    if active == 0 || h <= 0.0 {
        return 0.0;
    }
    let n = set.kind().particles;
    let mut x = vec![V3::from(DVec3::ZERO); n];
    let mut grad = x.clone();
    let mut rest = vec![0.0; set.kind().rest_values];
    let mut sum = 0.0;
    for slot in 0..active {
        for (x, &id) in x.iter_mut().zip(set.colored.particles(slot)) {
            *x = V3::from(particles.xw[id as usize].truncate().as_dvec3());
        }
        for (value, column) in rest.iter_mut().zip(&set.rest) {
            *value = f64::from(column[slot]);
        }
        let lambda = f64::from(set.lambda[slot]);
        let alpha = match method {
            Method::Xpbd => f64::from(set.compliance[slot]) / f64::from(h * h),
            Method::Pbd => 0.0,
        };
        let c = set.kind().eval(&x, &rest, &mut grad) + alpha * lambda;
        let left = match set.kind().sense {
            Sense::AtLeast if lambda == 0.0 => c.min(0.0),
            Sense::AtMost if lambda == 0.0 => c.max(0.0),
            _ => c,
        };
        sum += left * left;
    }
    (sum / active as f64).sqrt()
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
    h: f32,
    /// In the first iteration of a substep the multipliers start from 0.
    first: bool,
}

/// A kind's functions, compiled for every rule and lane width.
#[derive(Debug)]
pub(crate) struct Kernels {
    plain: Rules,
    carried: Rules,
    pub(crate) eval_f64: Eval<f64>,
    pub(crate) eval_f32: Eval<f32>,
    pub(crate) rest: fn(&[V3<f64>]) -> Vec<f64>,
}

/// C at `x`; the gradient goes to the last slice.
type Eval<R> = fn(x: &[V3<R>], rest: &[R], grad: &mut [V3<R>]) -> R;

/// One kind in one frame.
#[derive(Debug)]
struct Rules {
    elastic: Kernel,
    damped: Kernel,
    pbd: Kernel,
}

/// One kind in one frame under one rule.
#[derive(Debug)]
struct Kernel {
    /// Solves all slots of the share, several at once: they must share no particle.
    by_lanes: fn(&Batch<'_>, &mut Share<'_>),
    /// Solves the listed slots one after the other.
    in_order: fn(&Batch<'_>, &mut Share<'_>, &[u32]),
}

impl Kernels {
    pub(crate) const fn of<K: Constraint<N, P>, const N: usize, const P: usize>() -> Self {
        Self {
            plain: Rules::of::<K, Positions, N, P>(),
            carried: Rules::of::<K, Displacements, N, P>(),
            eval_f64: eval_slices::<K, f64, N, P>,
            eval_f32: eval_slices::<K, f32, N, P>,
            rest: |x| K::rest(from_fn(|k| x[k])).to_vec(),
        }
    }
}

impl Rules {
    const fn of<K: Constraint<N, P>, F: Frame, const N: usize, const P: usize>() -> Self {
        Self {
            elastic: Kernel::of::<K, (F, Elastic), N, P>(),
            damped: Kernel::of::<K, (F, Damped), N, P>(),
            pbd: Kernel::of::<K, (F, Pbd), N, P>(),
        }
    }
}

impl Kernel {
    const fn of<K: Constraint<N, P>, M: Mode, const N: usize, const P: usize>() -> Self {
        Self { by_lanes: solve_by_lanes::<K, M, N, P>, in_order: solve_in_order::<K, M, N, P> }
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

fn solve_in_order<K: Constraint<N, P>, M: Mode, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
    slots: &[u32],
) {
    for &slot in slots {
        solve::<K, M, f32, N, P>(batch, share, (), slot as usize);
    }
}

fn solve_by_lanes<K: Constraint<N, P>, M: Mode, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
) {
    let Range { start: mut slot, end } = share.slots();
    at_best_level!(simd => {
        while slot + crate::lanes::LANES <= end {
            solve::<K, M, fearless_simd::f32x8<_>, N, P>(batch, share, simd, slot);
            slot += crate::lanes::LANES;
        }
    });
    while slot < end {
        solve::<K, M, f32, N, P>(batch, share, (), slot);
        slot += 1;
    }
}

/// Solves as many constraints as `R` has lanes, from `slot` on: gather, evaluate, correct, scatter.
///
/// ```text
/// Δxᵢ = wᵢ ∇ᵢC Δλ       Macklin et al. 2016, eq. 17
/// ```
#[inline(always)]
fn solve<K: Constraint<N, P>, M: Mode, R: Lanes, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
    proof: R::Proof,
    slot: usize,
) {
    let mut group = share.group::<R, N>(slot);
    let rows: [[R; 4]; N] = from_fn(|k| R::gather(proof, |lane| group.particle(lane, k)));
    let w = rows.map(|[_, _, _, w]| w);
    let rows = rows.map(|[x, y, z, _]| V3 { x, y, z });
    let x = from_fn(|k| M::Frame::position(batch, &group, proof, k, rows[k]));
    let rest = from_fn(|p| R::load(proof, &batch.rest[p][slot..]));
    let lambda = if batch.first { R::splat(proof, 0.0) } else { R::load(proof, group.lambda()) };

    let (c, grad) = K::eval(x, rest);
    let sum = weighted_gradient(grad, w);
    let at = At { slot, group: &group, proof, rows, c, lambda, grad, sum };
    let d_lambda = M::Rule::d_lambda::<M::Frame, R, N>(batch, &at);
    let new_lambda = allowed(K::SENSE, lambda + d_lambda);
    let d_lambda = new_lambda - lambda;

    group.lambda().copy_from_slice(&new_lambda.store()[..R::WIDTH]);
    for k in 0..N {
        let row = rows[k] + grad[k] * (w[k] * d_lambda);
        R::scatter([row.x, row.y, row.z, w[k]], |lane, row| group.set_particle(lane, k, row));
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

/// What the rows of the particles hold while a substep is solved.
trait Frame {
    /// The position of particle `k`, whose row is given.
    fn position<R: Lanes, const N: usize>(
        batch: &Batch<'_>,
        group: &Group<'_, R, N>,
        proof: R::Proof,
        k: usize,
        row: V3<R>,
    ) -> V3<R>;

    /// How far constraints have moved particle `k` from where it was predicted.
    fn displacement<R: Lanes, const N: usize>(
        batch: &Batch<'_>,
        at: &At<'_, R, N>,
        k: usize,
    ) -> V3<R>;
}

/// Positions; see [`Precision::Plain`].
struct Positions;
/// Displacements from the prediction; see [`Precision::Carried`].
struct Displacements;

impl Frame for Positions {
    #[inline(always)]
    fn position<R: Lanes, const N: usize>(
        _: &Batch<'_>,
        _: &Group<'_, R, N>,
        _: R::Proof,
        _: usize,
        row: V3<R>,
    ) -> V3<R> {
        row
    }

    #[inline(always)]
    fn displacement<R: Lanes, const N: usize>(
        batch: &Batch<'_>,
        at: &At<'_, R, N>,
        k: usize,
    ) -> V3<R> {
        at.rows[k] - column(batch.predicted, at.group, at.proof, k)
    }
}

impl Frame for Displacements {
    #[inline(always)]
    fn position<R: Lanes, const N: usize>(
        batch: &Batch<'_>,
        group: &Group<'_, R, N>,
        proof: R::Proof,
        k: usize,
        row: V3<R>,
    ) -> V3<R> {
        column(batch.predicted, group, proof, k) + row
    }

    #[inline(always)]
    fn displacement<R: Lanes, const N: usize>(_: &Batch<'_>, at: &At<'_, R, N>, k: usize) -> V3<R> {
        at.rows[k]
    }
}

/// The vectors of particle `k` of each constraint of a group.
#[inline(always)]
fn column<R: Lanes, const N: usize>(
    rows: &[Vec4],
    group: &Group<'_, R, N>,
    proof: R::Proof,
    k: usize,
) -> V3<R> {
    let [x, y, z, _] = R::gather(proof, |lane| rows[group.id(lane, k)]);
    V3 { x, y, z }
}

/// Constraints evaluated at the present positions.
struct At<'a, R: Lanes, const N: usize> {
    slot: usize,
    group: &'a Group<'a, R, N>,
    proof: R::Proof,
    rows: [V3<R>; N],
    c: R,
    lambda: R,
    grad: [V3<R>; N],
    /// Σ wᵢ|∇ᵢC|².
    sum: R,
}

/// How a violation becomes a change of the multiplier.
trait Rule {
    fn d_lambda<F: Frame, R: Lanes, const N: usize>(batch: &Batch<'_>, at: &At<'_, R, N>) -> R;
}

/// A frame and a rule: what a kernel is compiled for, beside its kind and lanes.
trait Mode {
    type Frame: Frame;
    type Rule: Rule;
}

impl<F: Frame, Q: Rule> Mode for (F, Q) {
    type Frame = F;
    type Rule = Q;
}

/// [`xpbd`].
struct Elastic;
/// [`xpbd_damped`].
struct Damped;
/// [`pbd`].
struct Pbd;

impl Rule for Elastic {
    #[inline(always)]
    fn d_lambda<F: Frame, R: Lanes, const N: usize>(batch: &Batch<'_>, at: &At<'_, R, N>) -> R {
        xpbd(at.c, at.lambda, at.sum, at.alpha(batch))
    }
}

impl Rule for Damped {
    #[inline(always)]
    fn d_lambda<F: Frame, R: Lanes, const N: usize>(batch: &Batch<'_>, at: &At<'_, R, N>) -> R {
        let h = R::splat(at.proof, batch.h);
        let alpha = at.alpha(batch);
        let beta = R::load(at.proof, &batch.damping[at.slot..]);
        let gamma = alpha * beta * h; // αβ/h = α̃βh
        let mut motion = R::splat(at.proof, 0.0);
        for k in 0..N {
            // x − x_prev = (x − x*) + h v
            let v = column(batch.v, at.group, at.proof, k);
            motion = motion + at.grad[k].dot(F::displacement(batch, at, k) + v * h);
        }
        xpbd_damped(at.c, at.lambda, at.sum, [alpha, gamma], motion)
    }
}

impl Rule for Pbd {
    #[inline(always)]
    fn d_lambda<F: Frame, R: Lanes, const N: usize>(batch: &Batch<'_>, at: &At<'_, R, N>) -> R {
        pbd(at.c, at.sum, R::load(at.proof, &batch.share[at.slot..]))
    }
}

impl<R: Lanes, const N: usize> At<'_, R, N> {
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
