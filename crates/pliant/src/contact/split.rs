//! Keeps pairs apart, all of them at once: what `solve.wgsl` does, with the same schedule. WGSL twin of the sums:
//! `split.wgsl`
//!
//! All pairs see the same positions. A particle of n pairs that touch counts as n parts, each of an n-th
//! of its mass, and goes to their average:
//!
//! ```text
//! C = n·d − distance ≥ 0,   Δλ = −C / Σ nₖwₖbₖ²,   Δxₖ = wₖ bₖ n Δλ
//! ```
//!
//! Tonge et al. 2012, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation". With one pair a
//! particle that is what `solve.rs` does. Sums are of whole numbers, so that no order of threads changes
//! them; what two pairs do to a particle in one sweep neither of them sees before the next.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use glam::{Vec3, Vec4};

use super::buffers::sweeps;
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::pair::{Pair, sum};
use super::set::{IDLE, SLIDES, Set};
use super::solve::{
    Answer, Motion, Settled, Stage, Touching, amount, answer, differences, passing, settle, slid,
    touching, weight,
};
use super::{State, each_set};
use crate::lanes::V3;
use crate::parallel::Pool;
use crate::world::Precision;

/// The shader of sums.
pub(super) const WGSL: &str = include_str!("split.wgsl");

/// Pairs or particles that are worth a second thread.
const GRAIN: usize = 512;

/// Pairs that are farther apart than so many times the distance that they keep are looked at once in an
/// iteration: others rarely move them that far in a substep, and then the next one sees it.
const ASIDE: f32 = 1.5;

/// Parts of a metre that sums are counted in: 4 nm.
const UNIT: f32 = (1 << 28) as f32;
/// By how much one pair may move a particle at once: 1/4 m. 32 of them do not overflow.
const FARTHEST_PUSH: f32 = (1 << 26) as f32;

/// What all pairs do to a particle.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    /// By all sweeps of an iteration.
    moved: [AtomicI32; 3],
    /// Change of velocity, times h.
    sped: [AtomicI32; 3],
    /// Pairs that touch, in this sweep.
    count: AtomicU32,
}

/// Nobody waits for a sum: threads meet before it is read.
const ORDER: Ordering = Ordering::Relaxed;

fn fixed(distance: f32) -> i32 {
    (distance * UNIT).clamp(-FARTHEST_PUSH, FARTHEST_PUSH).round_ties_even() as i32
}

fn metres(sum: i32) -> f32 {
    sum as f32 / UNIT
}

fn add(sum: &[AtomicI32; 3], by: V3<f32>) {
    for (sum, by) in sum.iter().zip([by.x, by.y, by.z]) {
        sum.fetch_add(fixed(by), ORDER);
    }
}

/// The sum, which becomes 0.
fn take(sum: &mut [AtomicI32; 3]) -> Vec3 {
    Vec3::from_array(sum.each_mut().map(|sum| metres(std::mem::take(sum.get_mut()))))
}

/// How a look has found a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// So far away that sweeps leave it out until the next iteration.
    Aside,
    Apart,
    Touching,
}

/// What a sweep knows of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<const N: usize> {
    seen: Seen,
    /// Unit length, from the second party to the first.
    n: V3<f32>,
    b: [f32; N],
    /// By how much they come apart (m).
    amount: f32,
}

impl<const N: usize> Look<N> {
    const NOTHING: Self =
        Self { seen: Seen::Aside, n: V3 { x: 0.0, y: 0.0, z: 0.0 }, b: [0.0; N], amount: 0.0 };
}

/// What sweeps read.
#[derive(Clone, Copy)]
struct Sweep<'a> {
    stage: Stage<'a>,
    sums: &'a [Sum],
    /// Whether all pairs were looked at in this iteration.
    again: bool,
}

impl State {
    /// Moves pairs apart in one of `iterations` of a substep.
    pub(super) fn push_together(
        &mut self,
        pool: &Pool,
        xw: &mut [Vec4],
        stage: Stage<'_>,
        iterations: u32,
    ) {
        let mut sums = self.begin_sums(xw.len());
        for number in 0..sweeps(iterations) {
            forget_counts(pool, &mut sums);
            let first = stage.first && number == 0;
            let stage = Stage { xw, first, ..stage };
            let sweep = Sweep { stage, sums: &sums, again: number > 0 };
            each_set!(self, set, Kind => look::<Kind, _>(set, pool, sweep));
            each_set!(self, set, Kind => { let _ = Kind::SIDED; push(set, pool, sweep) });
        }
        pool.for_rows((xw, sums.as_mut_slice()), GRAIN, |_, (xw, sums)| {
            for (row, sum) in xw.iter_mut().zip(sums) {
                *row += take(&mut sum.moved).extend(0.0);
            }
        });
        self.sums = sums;
    }

    /// Friction and restitution, and what slid although it sticks.
    pub(super) fn respond_together(
        &mut self,
        pool: &Pool,
        (xw, v): (&mut [Vec4], &mut [Vec4]),
        stage: Stage<'_>,
    ) {
        let mut sums = self.begin_sums(xw.len());
        forget_counts(pool, &mut sums);
        let sweep = Sweep { stage: Stage { xw, ..stage }, sums: &sums, again: false };
        each_set!(self, set, Kind => list_touching::<Kind, _>(set, pool, sweep));
        each_set!(self, set, Kind => { let _ = Kind::SIDED; respond(set, pool, sweep, v) });
        pool.for_rows((xw, v, sums.as_mut_slice()), GRAIN, |_, (xw, v, sums)| {
            for ((row, v), sum) in xw.iter_mut().zip(v).zip(sums) {
                *v += (take(&mut sum.sped) / stage.h).extend(0.0);
                *row += take(&mut sum.moved).extend(0.0);
            }
        });
        self.sums = sums;
    }

    fn begin_sums(&mut self, particles: usize) -> Vec<Sum> {
        each_set!(self, set, Kind => {
            let _ = Kind::SIDED;
            set.looks.resize(set.load.len(), Look::NOTHING);
        });
        let mut sums = std::mem::take(&mut self.sums);
        sums.resize_with(particles, Sum::default);
        sums
    }
}

fn forget_counts(pool: &Pool, sums: &mut [Sum]) {
    pool.for_rows((sums,), GRAIN, |_, (sums,)| {
        sums.iter_mut().for_each(|sum| *sum.count.get_mut() = 0);
    });
}

/// A pair of a set, as its slot has it.
struct Member<'a, const N: usize> {
    ids: [usize; N],
    distance: f32,
    friction: f32,
    restitution: f32,
    load: &'a mut f32,
    look: &'a mut Look<N>,
}

/// Calls `work` for all pairs of a set, on all threads.
fn for_members<const N: usize>(set: &mut Set<N>, pool: &Pool, work: impl Fn(Member<'_, N>) + Sync) {
    let Set { zoned, load, looks, distance, friction, restitution, .. } = set;
    if load.is_empty() {
        return;
    }
    pool.for_rows((load.as_mut_slice(), looks.as_mut_slice()), GRAIN, |first, (load, looks)| {
        for (slot, (load, look)) in (first..).zip(load.iter_mut().zip(looks)) {
            if zoned.repeats(slot) {
                continue;
            }
            work(Member {
                ids: zoned.doubled()[slot].map(|doubled| doubled as usize / 2),
                distance: distance[slot],
                friction: friction[slot],
                restitution: restitution[slot],
                load,
                look,
            });
        }
    });
}

/// Which pairs are too near, and by how much do they come apart?
fn look<P: Pair<N>, const N: usize>(set: &mut Set<N>, pool: &Pool, sweep: Sweep<'_>) {
    for_members(set, pool, |member| {
        let is_idle = member.load.abs() <= IDLE;
        if !(sweep.again && is_idle && member.look.seen == Seen::Aside) {
            sweep.look_at::<P, N>(member);
        }
    });
}

/// Moves those apart.
fn push<const N: usize>(set: &mut Set<N>, pool: &Pool, sweep: Sweep<'_>) {
    for_members(set, pool, |Member { ids, load, look, .. }| {
        if look.seen != Seen::Touching {
            return;
        }
        let (b, w) = (look.b, ids.map(|i| sweep.stage.xw[i].w));
        let d_lambda = sweep.part_of(look.amount, ids, b);
        *load += d_lambda.copysign(*load);
        for k in (0..N).filter(|&k| b[k] != 0.0 && w[k] > 0.0) {
            add(&sweep.sums[ids[k]].moved, look.n * (w[k] * b[k] * d_lambda));
        }
    });
}

/// Which pairs have touched in this substep?
fn list_touching<P: Pair<N>, const N: usize>(set: &mut Set<N>, pool: &Pool, sweep: Sweep<'_>) {
    for_members(set, pool, |Member { ids, load, look, .. }| {
        look.seen = Seen::Apart;
        if load.abs() > SLIDES {
            let near = P::near(ids.map(|i| vector(sweep.stage.xw[i])));
            let Touching { b, n, .. } = touching(near, 1.0f32.copysign(*load), 0.0);
            *look = Look { seen: Seen::Touching, n, b, amount: 0.0 };
            sweep.count(ids, b);
        }
    });
}

/// What contact makes of their velocities.
fn respond<const N: usize>(set: &mut Set<N>, pool: &Pool, sweep: Sweep<'_>, v: &[Vec4]) {
    for_members(set, pool, |member| {
        if member.look.seen == Seen::Touching {
            sweep.respond_at(member, v);
        }
    });
}

fn vector(row: Vec4) -> V3<f32> {
    V3::from(row.truncate())
}

impl Sweep<'_> {
    /// Where a particle is by what earlier sweeps want.
    fn position(&self, i: usize) -> V3<f32> {
        let mut x = vector(self.stage.xw[i]);
        if self.stage.precision == Precision::Carried {
            x = x + vector(self.stage.predicted[i]);
        }
        if self.again {
            let [a, b, c] = self.sums[i].moved.each_ref().map(|sum| metres(sum.load(ORDER)));
            x = x + V3 { x: a, y: b, z: c };
        }
        x
    }

    fn start<const N: usize>(&self, ids: [usize; N]) -> [V3<f32>; N] {
        ids.map(|i| vector(self.stage.start[i]))
    }

    /// Counts a pair that touches, at each of its particles.
    fn count<const N: usize>(&self, ids: [usize; N], b: [f32; N]) {
        for k in (0..N).filter(|&k| b[k] != 0.0) {
            self.sums[ids[k]].count.fetch_add(1, ORDER);
        }
    }

    /// Σ nₖwₖbₖ², with nₖ parts of particle k.
    fn weight<const N: usize>(&self, ids: [usize; N], b: [f32; N]) -> f32 {
        weight(b, ids.map(|i| self.sums[i].count.load(ORDER) as f32 * self.stage.xw[i].w))
    }

    /// What is to be parted among the particles of a pair, over their weight.
    fn part_of<const N: usize>(&self, whole: f32, ids: [usize; N], b: [f32; N]) -> f32 {
        let weight = self.weight(ids, b);
        if weight > 0.0 { whole / weight } else { 0.0 }
    }

    fn look_at<P: Pair<N>, const N: usize>(&self, member: Member<'_, N>) {
        let Member { ids, distance, load, look, .. } = member;
        let (x, side) = (ids.map(|i| self.position(i)), 1.0f32.copysign(*load));
        let size = if self.stage.first { IDLE } else { load.abs() };
        let near = P::near(x);
        let is_aside = size <= IDLE && near.d.length() > ASIDE * distance;
        *load = size * side;
        look.seen = if is_aside { Seen::Aside } else { Seen::Apart };
        let is_far = near.d.length_squared() >= distance * distance;
        if P::SIDED && is_far && near.turned * side >= 0.0 {
            return;
        }
        let start = self.start(ids);
        let mut settled = Settled { side, fresh: 0.0, blocked: 0.0 };
        let Touching { b, n, apart } = if P::SIDED {
            if near.turned * side < 0.0 {
                settled = settle::<P, f32, N>((), [x, start], [side, distance]);
            }
            touching(near, settled.side, settled.fresh)
        } else {
            passing(near, P::near(start).d, distance)
        };
        *load = size * settled.side;
        let c = if settled.blocked > 0.0 { 0.0 } else { apart - distance };
        let motion = n.dot(sum(b, differences(x, start)));
        let amount = amount(&self.stage, c, motion, settled.fresh);
        if c < 0.0 && amount > 0.0 {
            *look = Look { seen: Seen::Touching, n, b, amount };
            self.count(ids, b);
        }
    }

    fn respond_at<const N: usize>(&self, member: Member<'_, N>, v: &[Vec4]) {
        let Member { ids, distance, friction, restitution, load, look } = member;
        let (Look { n, b, .. }, h) = (*look, self.stage.h);
        let start = self.start(ids);
        let free = differences(ids.map(|i| vector(self.stage.predicted[i])), start);
        let weight = self.weight(ids, b);
        let after = sum(b, ids.map(|i| vector(v[i])));
        let vn_before = n.dot(sum(b, free)) / h;
        let given = load.abs() * weight / h;
        let motion = Motion { n, after, vn_before, given, friction, restitution };
        let Answer { change, speed, most } = answer(&self.stage, motion);
        let mut back = V3 { x: 0.0, y: 0.0, z: 0.0 };
        if speed <= most {
            let moved = sum(b, differences(ids.map(|i| vector(self.stage.xw[i])), start));
            back = slid(moved, n, distance);
        } else {
            *load = SLIDES.copysign(*load);
        }
        let per_weight = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        let w = ids.map(|i| self.stage.xw[i].w);
        for k in (0..N).filter(|&k| b[k] != 0.0 && w[k] > 0.0) {
            let (share, sum) = (w[k] * b[k] * per_weight, &self.sums[ids[k]]);
            add(&sum.sped, change * (share * h));
            add(&sum.moved, back * -share);
        }
    }
}
