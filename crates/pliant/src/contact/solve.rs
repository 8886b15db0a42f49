//! Keeps pairs apart: positions first, then velocities, and what slid although it sticks. WGSL twin:
//! `solve.wgsl`
//!
//! Every function visits the pairs of a set zone by zone on all threads (`zones.rs`), and in a zone by colour,
//! several at once: no two of a colour share a particle, so the result is the same for any number of threads and
//! lanes. `split.rs` has the schedule of the shader: all pairs at once.

use std::array::from_fn;

use glam::{Vec3, Vec4};

use super::pair::{Near, Pair, sum};
use super::set::{IDLE, SLIDES, Set};
use crate::lanes::{LANES, Lanes, Real, V3, at_best_level, vectors, weights};
use crate::parallel::{Group, Pool, ZoneShare};
use crate::world::{ContactSolver, Precision};

pub(crate) const WGSL: &str = include_str!("solve.wgsl");

/// Pairs that are worth a second thread.
const GRAIN: usize = 2048;
/// Share of the distance within which two parties must pass to have gone through each other.
/// Parties that go around each other stay a whole distance apart.
const THROUGH: f32 = 0.5;

/// Into how many pieces a path is cut to find where parties change sides: the volume between four
/// particles that move straight is a cubic of time, which may have three zeros.
const PIECES: u32 = 8;
/// How often a piece is halved then: to 1/8192 of the path.
const HALVINGS: u32 = 10;

/// Share of the distance that is put back at most: what stuck after a fast impact came from far,
/// and may not be torn out of its place.
const CREEP: f32 = 0.1;

/// What the kernels read of the world.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    /// Where particles were when the substep began.
    pub(crate) start: &'a [Vec4],
    /// Where they would be if nothing had held them.
    pub(crate) predicted: &'a [Vec4],
    /// Where they are, and their inverse masses; for sums over all pairs at once (`split.rs`).
    pub(crate) xw: &'a [Vec4],
    /// Whether what is moved is a displacement from `predicted`.
    pub(crate) precision: Precision,
    /// Length of the substep (s).
    pub(crate) h: f32,
    /// Whether this is the first iteration of the substep.
    pub(crate) first: bool,
    /// See [`crate::Config::max_depenetration`] (m/s).
    pub(crate) max_depenetration: f32,
    /// Impacts slower than this do not bounce (m/s).
    pub(crate) rest_speed: f32,
}

/// What the kernels read of the pairs.
struct Pairs<'a> {
    distance: &'a [f32],
    friction: &'a [f32],
    restitution: &'a [f32],
}

macro_rules! pass {
    ($(#[$doc:meta])* $name:ident, $kernel:ident, $columns:literal) => {
        $(#[$doc])*
        pub(crate) fn $name<P: Pair<N>, const N: usize>(
            set: &mut Set<N>,
            pool: &Pool,
            (moved, order): ([&mut [Vec4]; $columns], ContactSolver),
            stage: Stage<'_>,
        ) {
            let Set { zoned, slots, load, distance, friction, restitution, .. } = set;
            let pairs = Pairs { distance, friction, restitution };
            if order == ContactSolver::InOrder {
                Pool::alone_in(zoned, (moved, load), |all| {
                    for &slot in &*slots {
                        let slot = slot as usize;
                        let mut pair = all.single(slot);
                        $kernel::<P, f32, N>(&stage, &pairs, &mut pair.group(0), (), slot);
                    }
                });
                return;
            }
            pool.for_zones(zoned, GRAIN, (moved, load), |zone: &mut ZoneShare<'_, N, $columns>| {
                at_best_level!(Wide, simd => while let Some(mut run) = zone.next() {
                    let start = run.slots().start;
                    for first in (0..run.len()).step_by(Wide::WIDTH) {
                        let group = &mut run.group::<Wide>(first);
                        $kernel::<P, Wide, N>(&stage, &pairs, group, simd, start + first);
                    }
                });
                while let Some(mut run) = zone.next() {
                    let start = run.slots().start;
                    for first in 0..run.len() {
                        let group = &mut run.group(first);
                        $kernel::<P, f32, N>(&stage, &pairs, group, (), start + first);
                    }
                }
            });
        }
    };
}

pass! {
    /// Moves the parties of every pair apart that are nearer than they may be.
    push, push_lanes, 1
}
pass! {
    /// Friction and restitution: corrects the velocities of what touched in this substep. Where it slid although
    /// friction holds it, it is put back: or it would creep down a slope by g h sin θ in every second. Moves positions
    /// and velocities.
    respond, respond_lanes, 2
}

/// Where a pair touches, and which way is apart.
pub(super) struct Touching<R, const N: usize> {
    pub(super) b: [R; N],
    /// Unit length, from the second party to the first.
    pub(super) n: V3<R>,
    /// Distance along `n` (m), negative where they have gone through each other.
    pub(super) apart: R,
}

/// The normal is that of the face, or of both edges, where the nearest points are inside, and on
/// the side where the pair has been so far: what has gone through is pushed back. On borders it is
/// the direction from one nearest point to the other.
#[inline(always)]
pub(super) fn touching<R: Real, const N: usize>(
    near: Near<R, N>,
    side: R,
    through: R,
) -> Touching<R, N> {
    let (zero, one) = (side.lit(0.0), side.lit(1.0));
    let length = near.d.length();
    let across = near.across.length();
    let by_side = near.across * side.div_or_zero(across);
    let by_distance = near.d * one.div_or_zero(length);
    let sided = near.inside.at_least(through) * zero.where_less(across, one, zero);
    let n = V3 {
        x: zero.where_less(sided, by_side.x, by_distance.x),
        y: zero.where_less(sided, by_side.y, by_distance.y),
        z: zero.where_less(sided, by_side.z, by_distance.z),
    };
    Touching { b: near.b, n, apart: near.d.dot(n) }
}

/// ```text
/// C = n·d − distance ≥ 0,   Δλ = −C / Σ wₖbₖ²,   Δxₖ = wₖ bₖ n Δλ
/// ```
///
/// What was too near when the substep began comes apart with `max_depenetration`; what came too
/// near since, at once. Macklin et al. 2016, eq. 17 and 18, without compliance.
#[inline(always)]
fn push_lanes<P: Pair<N>, R: Lanes, const N: usize>(
    stage: &Stage<'_>,
    pairs: &Pairs<'_>,
    group: &mut Group<'_, R, N>,
    proof: R::Proof,
    slot: usize,
) {
    let rows = own_rows(group, 0, proof);
    let moved = vectors(rows);
    let x = match stage.precision {
        Precision::Plain => moved,
        Precision::Carried => sums(columns(stage.predicted, group, proof), moved),
    };
    let mut load = R::load(proof, group.lambda());
    let (zero, one) = (R::splat(proof, 0.0), R::splat(proof, 1.0));
    let side = load.where_less(zero, -one, one);
    if stage.first {
        load = side * R::splat(proof, IDLE);
    }
    let distance = R::load(proof, &pairs.distance[slot..]);
    let near = P::near(x);
    let gap = near.d.length_squared() - distance * distance;
    // Negative where a pair is looked at: by itself, whatever is in the lanes beside it.
    let open = gap.at_most(near.turned * side);
    if P::SIDED && !any_negative(open) {
        load.store(group.lambda());
        return;
    }
    let start: [V3<R>; N] = columns(stage.start, group, proof);
    let mut settled = Settled { side, fresh: zero, blocked: zero };
    let touching = if P::SIDED {
        if any_negative(near.turned * side) {
            settled = settle::<P, R, N>(proof, [x, start], [side, distance]);
        }
        touching(near, settled.side, settled.fresh)
    } else {
        passing(near, P::near(start).d, distance)
    };
    let Settled { side, fresh, blocked } = settled;
    let Touching { b, n, apart } = touching;
    let c = zero.where_less(blocked, zero, apart - distance);
    let c = if P::SIDED { open.where_less(zero, c, zero) } else { c };
    if !any_negative(c) {
        (load.abs() * side).store(group.lambda());
        return;
    }
    let w = weights(rows);
    let motion = n.dot(sum(b, differences(x, start)));
    let d_lambda = amount(stage, c, motion, fresh).div_or_zero(weight(b, w));
    load = (load.abs() + d_lambda) * side;
    load.store(group.lambda());
    for k in 0..N {
        let row = moved[k] + n * (w[k] * b[k] * d_lambda);
        put(group, (0, k), (row, w[k]));
    }
}

/// By how much parties come apart that are too near by −`c` and have moved apart by `motion` in this
/// substep (m).
#[inline(always)]
pub(super) fn amount<R: Real>(stage: &Stage<'_>, c: R, motion: R, fresh: R) -> R {
    let zero = c.lit(0.0);
    let most = c.lit(f64::from(stage.max_depenetration * stage.h));
    // What went through just now goes back at once, wherever a straight line says that it began.
    let target = zero.where_less(fresh, zero, (c - motion + most).at_most(zero));
    (target - c).at_least(zero)
}

/// Parties without sides that have passed each other in this substep: `before` was the vector
/// between them when it began. Then they go back the way they came.
#[inline(always)]
pub(super) fn passing<R: Real, const N: usize>(
    near: Near<R, N>,
    before: V3<R>,
    distance: R,
) -> Touching<R, N> {
    let (zero, one) = (distance.lit(0.0), distance.lit(1.0));
    // How near they came on a straight path: |before + t u|.
    let u = near.d - before;
    let t = (-before.dot(u)).div_or_zero(u.length_squared()).at_least(zero).at_most(one);
    let nearest = (before + u * t).length_squared();
    let hit = nearest.where_less(distance * distance, one, zero);
    let passed = near.d.dot(before).where_less(zero, hit, zero);
    touching(Near { across: before, ..near }, one, passed)
}

/// What is known of a pair that seems to have changed sides.
pub(super) struct Settled<R> {
    /// The side it belongs to.
    pub(super) side: R,
    /// 1 where it has gone through in this substep.
    pub(super) fresh: R,
    /// 1 where it must not push: it would push the wrong way.
    pub(super) blocked: R,
}

/// Which side each pair is on that seems to have changed it, and whether it went through.
///
/// A pair that was on its side when the substep began has gone through the other party if, at the
/// moment at which it changed sides, it was near it, not beside it. One that was on the wrong side
/// already is still through where its nearest points are inside. Elsewhere it leaves that to its
/// neighbours, until it is out of reach: then it has found its way around.
#[inline(never)]
pub(super) fn settle<P: Pair<N>, R: Lanes, const N: usize>(
    proof: R::Proof,
    [x, start]: [[V3<R>; N]; 2],
    [side, distance]: [R; 2],
) -> Settled<R> {
    let stored = [x, start].map(|x| x.map(|v| [v.x.values(), v.y.values(), v.z.values()]));
    let (mut sides, distances) = (side.values(), distance.values());
    let (mut fresh, mut blocked) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..R::WIDTH {
        let at = |k: usize| stored[k].map(|v| Vec3::new(v[0][lane], v[1][lane], v[2][lane]));
        let (now, before) = (at(0), at(1));
        let near = P::near_at(now);
        if near.turned * sides[lane] >= 0.0 {
            continue;
        }
        if P::near_at(before).turned * sides[lane] < 0.0 {
            let away = near.inside == 0.0 && near.d.length() > distances[lane];
            sides[lane] *= if away { -1.0 } else { 1.0 };
            blocked[lane] = 1.0 - near.inside - f32::from(away);
        } else if goes_through::<P, N>([before, now], distances[lane]) {
            fresh[lane] = 1.0;
        } else {
            sides[lane] = -sides[lane];
        }
    }
    let load = |values: &[f32; LANES]| R::load(proof, values);
    Settled { side: load(&sides), fresh: load(&fresh), blocked: load(&blocked) }
}

/// Whether a pair that changes sides on straight paths goes through, not around.
fn goes_through<P: Pair<N>, const N: usize>([before, now]: [[Vec3; N]; 2], distance: f32) -> bool {
    let at = |t: f32| P::near_at(from_fn(|k| before[k] + (now[k] - before[k]) * t));
    let turns = (0..PIECES).map(|k| [k, k + 1].map(|k| k as f32 / PIECES as f32));
    turns.filter(|ends| at(ends[0]).turned * at(ends[1]).turned <= 0.0).any(|mut ends| {
        for _ in 0..HALVINGS {
            let middle = (ends[0] + ends[1]) / 2.0;
            let same = at(middle).turned * at(ends[0]).turned > 0.0;
            ends[usize::from(!same)] = middle;
        }
        at(ends[0]).d.length().min(at(ends[1]).d.length()) < THROUGH * distance
    })
}

/// What contact is given of a pair's velocity, and what the pair is like.
pub(super) struct Motion<R> {
    /// Unit length, from the second party to the first.
    pub(super) n: V3<R>,
    /// Of the first party against the second, now (m/s).
    pub(super) after: V3<R>,
    /// The same along `n` if nothing had held them (m/s).
    pub(super) vn_before: R,
    /// Along `n`, by contact in this substep (m/s).
    pub(super) given: R,
    pub(super) friction: R,
    pub(super) restitution: R,
}

/// What it makes of it.
pub(super) struct Answer<R> {
    /// Change of the velocity (m/s).
    pub(super) change: V3<R>,
    /// How fast they slide, and how much of that friction can stop (m/s).
    pub(super) speed: R,
    pub(super) most: R,
}

/// What contact makes of a pair's velocity.
///
/// Normal: a fast impact leaves with `restitution` times its speed; to be pushed apart makes
/// nothing faster than it would have been by itself.
///
/// Tangential: Coulomb friction, limited by μ times the speed that contact has given, as
/// `step/contacts.rs` does for colliders: right for any mass and any substep.
#[inline(always)]
pub(super) fn answer<R: Real>(stage: &Stage<'_>, motion: Motion<R>) -> Answer<R> {
    let Motion { n, after, vn_before, given, friction, restitution } = motion;
    let (zero, one) = (given.lit(0.0), given.lit(1.0));
    let vn = n.dot(after);
    let by_itself = vn - given;
    let calm = vn.at_most(by_itself.at_least(zero));
    let impact = given.lit(f64::from(-stage.rest_speed));
    let bounce = vn_before.where_less(impact, -(restitution * vn_before), zero);
    let vn_new = calm.at_least(bounce);
    let sliding = after - n * vn;
    let (speed, most) = (sliding.length(), friction * (vn_new - by_itself).at_least(zero));
    let lost = most.where_less(speed, most.div_or_zero(speed), one);
    Answer { change: n * (vn_new - vn) - sliding * lost, speed, most }
}

/// [`answer`] by colour.
#[inline(always)]
fn respond_lanes<P: Pair<N>, R: Lanes, const N: usize>(
    stage: &Stage<'_>,
    pairs: &Pairs<'_>,
    group: &mut Group<'_, R, N, 2>,
    proof: R::Proof,
    slot: usize,
) {
    let load = R::load(proof, group.lambda());
    let (zero, one) = (R::splat(proof, 0.0), R::splat(proof, 1.0));
    let idle = R::splat(proof, SLIDES);
    if !any_negative(idle - load.abs()) {
        return;
    }
    let side = load.where_less(zero, -one, one);
    let rows = own_rows(group, 0, proof);
    let (x, w) = (vectors(rows), weights(rows));
    let v = vectors(own_rows(group, 1, proof));
    let start = columns(stage.start, group, proof);
    let Touching { b, n, .. } = touching(P::near(x), side, zero);
    let per_h = R::splat(proof, 1.0 / stage.h);
    let restitution = R::load(proof, &pairs.restitution[slot..]);
    // What does not bounce leaves alike however fast it came.
    let vn_before = if any_negative(-restitution) {
        let moved = differences(columns(stage.predicted, group, proof), start);
        n.dot(sum(b, times(moved, per_h)))
    } else {
        zero
    };
    let weight = weight(b, w);
    let motion = Motion {
        n,
        after: sum(b, v),
        vn_before,
        given: load.abs() * weight * per_h,
        friction: R::load(proof, &pairs.friction[slot..]),
        restitution,
    };
    let Answer { change, speed, most } = answer(stage, motion);
    let touches = idle.where_less(load.abs(), one, zero);
    let sticks = most.where_less(speed, zero, touches);
    let moved = sum(b, differences(x, start));
    let slid = slid(moved, n, R::load(proof, &pairs.distance[slot..]));
    let (sped, back) = (change * touches.div_or_zero(weight), slid * sticks.div_or_zero(weight));
    for k in 0..N {
        let share = w[k] * b[k];
        put(group, (0, k), (x[k] - back * share, w[k]));
        put(group, (1, k), (v[k] + sped * share, zero));
    }
    let slides = most.where_less(speed, side * idle, load);
    let load = zero.where_less(touches, slides, load);
    load.store(group.lambda());
}

/// How far parties that have `moved` against each other slid, as far as that is put back (m).
#[inline(always)]
pub(super) fn slid<R: Real>(moved: V3<R>, n: V3<R>, distance: R) -> V3<R> {
    let slid = moved - n * n.dot(moved);
    let (length, most) = (slid.length(), distance * distance.lit(f64::from(CREEP)));
    slid * most.where_less(length, most.div_or_zero(length), distance.lit(1.0))
}

/// Σ wₖ bₖ².
#[inline(always)]
pub(super) fn weight<R: Real, const N: usize>(b: [R; N], w: [R; N]) -> R {
    let mut sum = w[0] * b[0] * b[0];
    for k in 1..N {
        sum = sum + w[k] * b[k] * b[k];
    }
    sum
}

#[inline(always)]
fn any_negative<R: Lanes>(value: R) -> bool {
    value.negative() != 0
}

// What follows is written as loops, or with closures that must be inlined: a closure that is not would
// be compiled without the instructions of the kernel, and called for every lane.

/// The rows of a column that a kernel moves.
#[inline(always)]
fn own_rows<R: Lanes, const N: usize, const C: usize>(
    group: &Group<'_, R, N, C>,
    column: usize,
    proof: R::Proof,
) -> [[R; 4]; N] {
    let mut rows = [[R::splat(proof, 0.0); 4]; N];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = R::gather(
            proof,
            #[inline(always)]
            |lane| group.particle_of(column, lane, k),
        );
    }
    rows
}

/// The vectors of a column of the particles.
#[inline(always)]
fn columns<R: Lanes, const N: usize, const C: usize>(
    column: &[Vec4],
    group: &Group<'_, R, N, C>,
    proof: R::Proof,
) -> [V3<R>; N] {
    let mut rows = [[R::splat(proof, 0.0); 4]; N];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = R::gather(
            proof,
            #[inline(always)]
            |lane| column[group.id(lane, k)],
        );
    }
    vectors(rows)
}

/// Replaces the rows that particle `k` of every pair of a group has in a column.
#[inline(always)]
fn put<R: Lanes, const N: usize, const C: usize>(
    group: &Group<'_, R, N, C>,
    (column, k): (usize, usize),
    (x, w): (V3<R>, R),
) {
    R::scatter(
        [x.x, x.y, x.z, w],
        #[inline(always)]
        |lane, row| group.set_particle_of(column, lane, k, row),
    );
}

#[inline(always)]
fn sums<R: Real, const N: usize>(mut a: [V3<R>; N], b: [V3<R>; N]) -> [V3<R>; N] {
    for k in 0..N {
        a[k] = a[k] + b[k];
    }
    a
}

#[inline(always)]
pub(super) fn differences<R: Real, const N: usize>(mut a: [V3<R>; N], b: [V3<R>; N]) -> [V3<R>; N] {
    for k in 0..N {
        a[k] = a[k] - b[k];
    }
    a
}

#[inline(always)]
fn times<R: Real, const N: usize>(mut a: [V3<R>; N], by: R) -> [V3<R>; N] {
    for v in &mut a {
        *v = *v * by;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::pair::vertex_face::VertexFace;
    use super::super::set::Found;
    use super::*;
    use crate::testing::Random;

    const DISTANCE: f32 = 0.01;

    /// A face, and a vertex above it that is as near as it may be, but for some rounding.
    fn touching(random: &mut Random) -> [Vec3; 4] {
        let [a, b, c] = [0, 1, 2].map(|_| random.vector(0.1));
        let normal = (b - a).cross(c - a).normalize_or_zero();
        [(a + b + c) / 3.0 + normal * DISTANCE, a, b, c]
    }

    /// What has pushed each of these pairs apart, by its bits.
    fn pushed(x: &[[Vec3; 4]]) -> Vec<u32> {
        let mut xw: Vec<Vec4> = x.iter().flatten().map(|x| x.extend(1.0)).collect();
        let mut set = Set::default();
        for k in 0..x.len() as u32 {
            let (ids, slack) = ([0, 1, 2, 3].map(|i| 4 * k + i), Found::<4>::SOLVED);
            let (key, distance, n) = (u64::from(k), DISTANCE, Vec3::ZERO);
            let (friction, restitution) = (0.0, 0.0);
            let found = Found { key, ids, distance, n, slack, side: 1.0, friction, restitution };
            set.found.push(found);
            set.solved.push(k);
        }
        set.sort(0, &xw);
        let start = xw.clone();
        let stage = Stage {
            start: &start,
            predicted: &[],
            xw: &[],
            precision: Precision::Plain,
            h: 1e-3,
            first: true,
            max_depenetration: 1.0,
            rest_speed: 0.0,
        };
        let moved = ([xw.as_mut_slice()], ContactSolver::Colored);
        push::<VertexFace, 4>(&mut set, &Pool::default(), moved, stage);
        set.loads().map(|(_, load)| load.to_bits()).collect()
    }

    #[test]
    fn a_pair_does_not_depend_on_those_in_the_lanes_beside_it() {
        let mut random = Random::new(3);
        let pairs: Vec<_> = (0..200).map(|_| touching(&mut random)).collect();
        let alone: Vec<u32> = pairs.iter().flat_map(|&pair| pushed(&[pair])).collect();
        assert_eq!(pushed(&pairs), alone);
        let touch = alone.iter().filter(|&&load| f32::from_bits(load) > IDLE).count();
        assert!((20..180).contains(&touch), "{touch} of 200 are too near by the last bit");
    }
}
