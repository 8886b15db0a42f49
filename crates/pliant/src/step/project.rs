//! Turns a violation into motion. The same for every kind, every lane width and every solver.
//!
//! The WGSL twin of this file is `project.wgsl`; a kind's shader is that file and the kind's own.

use std::array::from_fn;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec4};

use crate::coloring::Colored;
use crate::constraint::set::Set;
use crate::constraint::{Constraint, Gradients, Kind, Sense};
use crate::lanes::{Lanes, Real, V3, at_best_level, each, vectors, weights};
use crate::parallel::{Group, Share};
use crate::solver::unordered::Race;
use crate::world::{Config, Method, Precision};

/// The GPU's shader of a kind, if it has a twin: its own file, what is declared of it, and what is the
/// same for every kind.
pub fn shader(kind: &Kind) -> Option<String> {
    let sense = match kind.sense {
        Sense::Equal => 0,
        Sense::AtLeast => 1,
        Sense::AtMost => -1,
    };
    let is_unit = kind.gradients == Gradients::Unit;
    let declared = format!("const UNIT_GRADIENTS = {is_unit};\nconst SENSE = {sense};\n");
    Some([kind.wgsl?, &declared, include_str!("project.wgsl")].concat())
}

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
            per_h2: 1.0 / (h * h),
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

/// Σ wᵢ.
#[inline(always)]
fn total<R: Real, const N: usize>(w: [R; N]) -> R {
    let mut sum = w[0];
    for k in 1..N {
        sum = sum + w[k];
    }
    sum
}

/// What the kernels of all kinds read; what they write is in the [`Share`].
#[derive(Clone, Copy)]
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
    per_h2: f32,
    /// In the first iteration of a substep the multipliers start from 0.
    first: bool,
    rule: Rule,
    precision: Precision,
    /// Multiple of each correction that is made.
    omega: f32,
}

impl<'a> Batch<'a> {
    /// The same, if it is as most are. The compiler sees what that is, and leaves out all else; what
    /// is left needs no memory for numbers in between.
    #[inline(always)]
    fn usual(&self) -> Option<Self> {
        let (rule, precision, omega) = (Rule::Elastic, Precision::Plain, 1.0);
        let usual = Self { seen: None, rule, precision, omega, ..*self };
        let same = self.seen.is_none() && self.rule == rule && self.precision == precision;
        (same && self.omega == omega).then_some(usual)
    }

    /// The columns of the constraints in `slots`.
    #[inline(always)]
    fn columns<const P: usize>(&self, slots: Range<usize>) -> Columns<'a, P> {
        Columns {
            rest: from_fn(|p| &self.rest[p][slots.clone()]),
            compliance: &self.compliance[slots.clone()],
            damping: &self.damping[slots.clone()],
            share: self.share.get(slots).unwrap_or_default(),
        }
    }
}

/// What there is one number of for every constraint.
struct Columns<'a, const P: usize> {
    rest: [&'a [f32]; P],
    compliance: &'a [f32],
    damping: &'a [f32],
    /// Empty under XPBD.
    share: &'a [f32],
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
    let mut members = share.members::<N>();
    let columns = batch.columns::<P>(members.slots());
    for slot in slots.iter().map(|&slot| slot as usize) {
        solve::<K, f32, N, P>(batch, &columns, &mut members.group(slot), (), slot);
    }
}

fn solve_racing<K: Constraint<N, P>, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    race: &Race<'_>,
    slots: &[u32],
) {
    let columns = batch.columns::<P>(0..batch.compliance.len());
    for slot in slots.iter().map(|&slot| slot as usize) {
        solve::<K, f32, N, P>(batch, &columns, &mut race.entrant::<N>(slot), (), slot);
    }
}

fn solve_by_lanes<K: Constraint<N, P>, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    share: &mut Share<'_>,
) {
    let mut done = 0;
    at_best_level!(Wide, simd => done += match batch.usual() {
        Some(usual) => solve_groups::<K, Wide, N, P>(usual, share, simd, 0),
        None => solve_groups::<K, Wide, N, P>(*batch, share, simd, 0),
    });
    solve_groups::<K, f32, N, P>(*batch, share, (), done);
}

/// Solves the constraints of `share` from `first` on, as many at once as `R` has lanes. Returns
/// where those begin that are fewer.
///
/// The batch is a copy: nothing that is written can change it, so that the compiler need not read
/// it again for every group.
#[inline(always)]
fn solve_groups<K: Constraint<N, P>, R: Lanes, const N: usize, const P: usize>(
    batch: Batch<'_>,
    share: &mut Share<'_>,
    proof: R::Proof,
    mut first: usize,
) -> usize {
    let mut members = share.members::<N>();
    let columns = batch.columns::<P>(members.slots());
    while first + R::WIDTH <= members.len() {
        solve::<K, R, N, P>(&batch, &columns, &mut members.group(first), proof, first);
        first += R::WIDTH;
    }
    first
}

/// Solves as many constraints as `R` has lanes, from `first` of the columns on: gather, evaluate,
/// correct, scatter.
///
/// ```text
/// Δxᵢ = wᵢ ∇ᵢC Δλ       Macklin et al. 2016, eq. 17
/// ```
#[inline(always)]
fn solve<K: Constraint<N, P>, R: Lanes, const N: usize, const P: usize>(
    batch: &Batch<'_>,
    columns: &Columns<'_, P>,
    group: &mut impl Access<R, N>,
    proof: R::Proof,
    first: usize,
) {
    let moved: [[R; 4]; N] = each(
        #[inline(always)]
        |k| R::gather(proof, |lane| group.row(lane, k)),
    );
    let seen = match batch.seen {
        None => moved,
        Some(rows) => each(|k| R::gather(proof, |lane| rows[group.id(lane, k)])),
    };
    let (w, part) = (weights(seen), weights(moved));
    let (rows, moved) = (vectors(seen), vectors(moved));
    let x = match batch.precision {
        Precision::Plain => rows,
        Precision::Carried => each(|k| column(batch.predicted, group, proof, k) + rows[k]),
    };
    let rest = each(|p| R::load(proof, &columns.rest[p][first..first + R::WIDTH]));
    let lambda = if batch.first { R::splat(proof, 0.0) } else { group.lambda(proof) };

    let (c, grad) = K::eval(x, rest);
    let sum = match K::GRADIENTS {
        Gradients::Any => weighted_gradient(grad, part),
        Gradients::Unit => total(part),
    };
    let at = At { columns, first, group: &*group, proof, rows, c, lambda, grad, sum };
    let d_lambda = at.d_lambda(batch) * R::splat(proof, batch.omega);
    let d_lambda = allowed(K::SENSE, lambda, d_lambda);

    group.set_lambda(lambda + d_lambda);
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
        lambda.store(self.lambda());
    }
}

/// The part of λ's change that keeps it on the side on which the constraint may act.
#[inline(always)]
fn allowed<R: Real>(sense: Sense, lambda: R, by: R) -> R {
    let zero = lambda.lit(0.0);
    match sense {
        Sense::Equal => by,
        Sense::AtLeast => (lambda + by).at_least(zero) - lambda,
        Sense::AtMost => (lambda + by).at_most(zero) - lambda,
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
struct At<'a, R: Lanes, G, const N: usize, const P: usize> {
    columns: &'a Columns<'a, P>,
    first: usize,
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
/// Apart from the usual one, they are asked about once per group of lanes instead of compiled apart:
/// six variants of every kernel would take six times as long to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// [`xpbd`].
    Elastic,
    /// [`xpbd_damped`].
    Damped,
    /// [`pbd`].
    Pbd,
}

impl<R: Lanes, G: Access<R, N>, const N: usize, const P: usize> At<'_, R, G, N, P> {
    #[inline(always)]
    fn d_lambda(&self, batch: &Batch<'_>) -> R {
        match batch.rule {
            Rule::Elastic => xpbd(self.c, self.lambda, self.sum, self.alpha(batch)),
            Rule::Damped => self.damped(batch),
            Rule::Pbd => pbd(self.c, self.sum, self.load(self.columns.share)),
        }
    }

    /// What `column` says of each.
    #[inline(always)]
    fn load(&self, column: &[f32]) -> R {
        R::load(self.proof, &column[self.first..self.first + R::WIDTH])
    }

    #[inline(always)]
    fn damped(&self, batch: &Batch<'_>) -> R {
        let h = R::splat(self.proof, batch.h);
        let alpha = self.alpha(batch);
        let beta = self.load(self.columns.damping);
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
        let per_h2 = R::splat(self.proof, batch.per_h2);
        self.load(self.columns.compliance) * per_h2
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
