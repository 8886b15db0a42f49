//! Which candidates are so near that a substep must look at them? WGSL twin: `narrow.wgsl`
//!
//! A search finds what may touch until the next one: of two sheets that lie on each other, some
//! fifteen times what does touch. Of each candidate it also finds how far apart its parties are
//! beyond the distance that they keep, its slack, and which way. Both are convex, so that the plane across
//! that way parts them, until their particles have come so far towards it. Those of a patch are in a ball,
//! its reach: only pairs with less slack than that of both can touch; the others wait.
//!
//! ```text
//! n·d ≥ |d₀| + n·(m₁ − m₂) − r₁ − r₂,    so a pair is solved once   slack < r₁ + r₂ − n·(m₁ − m₂)
//! ```
//!
//! When a particle leaves the reach of its patch, what pairs have come nearer by is taken off their slack;
//! those for which that is too much are measured again.

use glam::{Vec3, Vec4};

use super::pair::Pair;
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::path::{Stale, Validity};
use super::set::{Found, Set};
use super::{State, each_set};
use crate::lanes::{Lanes, at_best_level, vectors};
use crate::parallel::Pool;

pub(crate) const WGSL: &str = include_str!("narrow.wgsl");

/// By how much particles may move otherwise than in the substep in which they were measured, over the mean
/// edge of their body, before they are measured again.
const SWERVE: f32 = 0.005;
/// By how much contact may still push them in a substep, over the same.
const PUSHED: f32 = 0.01;

/// Into how many parts pairs are cut, whatever the number of threads.
const PARTS: usize = 16;
/// Pairs, and patches, that are worth a second thread.
const GRAIN: usize = 2048;
const PATCHES: usize = 32;

/// Where the particles of a patch have moved since they were last measured: into a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    middle: Vec3,
    radius: f32,
    /// The same before contact pushes them.
    kept: f32,
}

impl Reach {
    /// Of what has just been measured.
    pub(crate) const NOWHERE: Self = Self { middle: Vec3::ZERO, radius: 0.0, kept: 0.0 };

    /// How two patches have come towards each other.
    pub(crate) fn towards([a, b]: [Self; 2]) -> Towards {
        Towards { by: a.middle - b.middle, radius: a.radius + b.radius }
    }

    /// Around some points, whose last numbers do not count. In rows of four, as processors have them.
    fn around(points: impl Iterator<Item = Vec4> + Clone) -> Self {
        let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        for x in points.clone() {
            (low, high) = (low.min(x), high.max(x));
        }
        let middle = (low + high) * 0.5;
        let mut most = 0.0;
        for x in points {
            let far = (x - middle).truncate().length_squared();
            most = if far > most { far } else { most };
        }
        let radius = most.sqrt();
        Self { middle: middle.truncate(), radius, kept: radius }
    }

    /// With room for what happens until it is found anew, of a body with that mean edge (m).
    fn with_room(self, edge: f32) -> Self {
        let kept = self.radius + SWERVE * edge;
        Self { radius: kept + PUSHED * edge, kept, ..self }
    }

    fn holds(&self, moved: Vec4) -> bool {
        moved.truncate().distance_squared(self.middle) <= self.kept * self.kept
    }
}

/// How the first of two patches has moved against the second: into a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Towards {
    by: Vec3,
    radius: f32,
}

impl Towards {
    /// By how much parties may have come nearer than they were, along `n` from the second to the first (m).
    #[inline(always)]
    pub(crate) fn nearer(&self, n: Vec3) -> f32 {
        self.radius - n.dot(self.by)
    }
}

/// The same of many pairs of patches, in a row mostly the same.
pub(crate) struct Between<'a> {
    since: &'a [Reach],
    reach: &'a [Reach],
    patches: [usize; 2],
    towards: [Towards; 2],
}

impl<'a> Between<'a> {
    pub(crate) fn new(since: &'a [Reach], reach: &'a [Reach]) -> Self {
        let towards = [Reach::towards([Reach::NOWHERE; 2]); 2];
        Self { since, reach, patches: [usize::MAX; 2], towards }
    }

    /// How two patches have come since pairs were measured, and how they may until they are again.
    #[inline(always)]
    pub(crate) fn patches(&mut self, patches: [usize; 2]) -> [Towards; 2] {
        if patches != self.patches {
            let of = |reach: &[Reach]| Reach::towards(patches.map(|patch| reach[patch]));
            (self.patches, self.towards) = (patches, [of(self.since), of(self.reach)]);
        }
        self.towards
    }
}

impl State {
    /// How far a particle has come since pairs were last measured, in the frame of paths (m).
    fn moved(&self, x: &(impl Fn(usize) -> Vec3 + Sync)) -> impl Fn(u32) -> Vec4 + Sync {
        let Validity { age, measured, drift, h, .. } = self.validity;
        let carried = drift * (h * (age - measured + 1) as f32);
        move |i| (x(i as usize) - carried).extend(0.0) - self.base[i as usize]
    }

    /// Whether all particles are within the reach of their patches.
    pub(crate) fn is_within_reach(&self, x: &(impl Fn(usize) -> Vec3 + Sync), pool: &Pool) -> bool {
        let (elements, moved) = (&self.elements, self.moved(x));
        pool.all(elements.patches.len(), PATCHES, |range| {
            let mut patches = elements.patches[range.clone()].iter().zip(&self.reach[range]);
            let all = |(patch, reach): (_, &Reach)| {
                elements.members(patch).iter().all(|&i| reach.holds(moved(i)))
            };
            patches.all(all)
        })
    }

    /// Notes how far patches have come since pairs were last measured; now they are again.
    pub(crate) fn note_since(&mut self, stale: Stale, pool: &Pool) {
        let Self { elements, start, base, since, validity, .. } = self;
        since.clear();
        since.resize(elements.patches.len(), Reach::NOWHERE);
        // After a search for all no pair is left that it matters to.
        if stale != Stale::All {
            pool.for_rows((since.as_mut_slice(),), PATCHES, |first, (since,)| {
                for (patch, since) in elements.patches[first..].iter().zip(since) {
                    let moved = |&i: &u32| start[i as usize] - base[i as usize];
                    *since = Reach::around(elements.members(patch).iter().map(moved));
                }
            });
        }
        base.clone_from(start);
        validity.measured = validity.age;
    }

    /// Takes that off the slack of all pairs, before there are new ones.
    pub(crate) fn age_all(&mut self) {
        let since = &mut self.since;
        each_set!(self, set, Kind => {
            let _ = Kind::SIDED;
            set.found.iter_mut().for_each(|found| found.age(since));
        });
        let waiting = self.parts.iter_mut().flat_map(|part| &mut part.waiting);
        waiting.for_each(|waiting| waiting.age(since));
        since.fill(Reach::NOWHERE);
    }

    /// Finds how far patches may come until pairs are measured again.
    pub(crate) fn extend_reach(&mut self, x: &(impl Fn(usize) -> Vec3 + Sync), pool: &Pool) {
        let mut reach = std::mem::take(&mut self.reach);
        let (elements, moved) = (&self.elements, self.moved(x));
        reach.resize(elements.patches.len(), Reach::NOWHERE);
        pool.for_rows((reach.as_mut_slice(),), PATCHES, |first, (reach,)| {
            for (patch, reach) in elements.patches[first..].iter().zip(reach) {
                let edge = elements.shapes[patch.body as usize].map_or(0.0, |shape| shape.edge);
                let moved = elements.members(patch).iter().map(|&i| moved(i));
                *reach = Reach::around(moved).with_room(edge);
            }
        });
        drop(moved);
        self.reach = reach;
    }

    /// Lets the pairs be solved that may touch.
    pub(crate) fn solve_near(&mut self, stale: Stale, pool: &Pool) {
        let [since, reach] = [&mut self.since, &mut self.reach].map(std::mem::take);
        let start = std::mem::take(&mut self.start);
        // What a search for all has found was measured there.
        let is_late = stale != Stale::All;
        let at = Moment { since: &since, reach: &reach, start: &start, is_late };
        each_set!(self, set, Kind => solve_near::<Kind, _>(set, &at, pool));
        (self.since, self.reach, self.start) = (since, reach, start);
    }
}

/// What is known of particles when pairs are measured.
struct Moment<'a> {
    /// One per patch: how far they have come since pairs were measured before.
    since: &'a [Reach],
    /// And how far they may come until they are again.
    reach: &'a [Reach],
    /// Where the substep began.
    start: &'a [Vec4],
    /// Whether pairs may have been found earlier than that.
    is_late: bool,
}

/// Lets the pairs of a set be solved that may touch.
fn solve_near<P: Pair<N>, const N: usize>(set: &mut Set<N>, at: &Moment<'_>, pool: &Pool) {
    let Set { found, solved, near, .. } = set;
    let before = solved.len();
    near.resize_with(PARTS, Vec::new);
    pool.for_parts((found.as_mut_slice(),), (near, GRAIN), |near, first, (found,)| {
        find_near::<P, N>(found, near, at, before);
        near.iter_mut().for_each(|number| *number += first as u32);
    });
    near.iter().for_each(|near| solved.extend_from_slice(near));
    set.sort(before, at.start);
}

/// Finds the pairs of a part that may touch. Those that are solved are among them unless some are `listed`: then all are.
fn find_near<P: Pair<N>, const N: usize>(
    found: &mut [Found<N>],
    near: &mut Vec<u32>,
    at: &Moment<'_>,
    listed: usize,
) {
    let mut between = Between::new(at.since, at.reach);
    near.clear();
    for (number, found) in (0..).zip(found.iter_mut()) {
        if listed > 0 && found.is_solved() {
            continue;
        }
        let [past, soon] = between.patches(found.patches());
        found.slack -= past.nearer(found.n);
        if found.slack < soon.nearer(found.n) {
            near.push(number);
        }
    }
    if at.is_late {
        measure::<P, N>(found, near, at.start);
        near.retain(|&number| {
            let found = &found[number as usize];
            found.slack < between.patches(found.patches())[1].nearer(found.n)
        });
    }
    near.iter().for_each(|&number| found[number as usize].slack = Found::<N>::SOLVED);
}

/// Finds how far apart the parties of some pairs are where the substep began, but of those that are solved.
fn measure<P: Pair<N>, const N: usize>(found: &mut [Found<N>], numbers: &[u32], start: &[Vec4]) {
    let mut first = 0;
    at_best_level!(Wide, simd => while first < numbers.len() {
        let group = &numbers[first..numbers.len().min(first + Wide::WIDTH)];
        measure_lanes::<P, Wide, N>(found, group, start, simd);
        first += Wide::WIDTH;
    });
    for number in first..numbers.len() {
        measure_lanes::<P, f32, N>(found, &numbers[number..=number], start, ());
    }
}

/// A pair that waited was apart all the time, so it is on its right side wherever it is now.
#[inline(always)]
fn measure_lanes<P: Pair<N>, R: Lanes, const N: usize>(
    all: &mut [Found<N>],
    numbers: &[u32],
    start: &[Vec4],
    proof: R::Proof,
) {
    let mut rows = [[R::splat(proof, 0.0); 4]; N];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = R::gather(
            proof,
            #[inline(always)]
            |lane| start[all[numbers[lane.min(numbers.len() - 1)] as usize].ids[k] as usize],
        );
    }
    let near = P::near(vectors(rows));
    let (x, y, z) = (near.d.x.values(), near.d.y.values(), near.d.z.values());
    let turned = near.turned.values();
    for (lane, &number) in numbers.iter().enumerate() {
        let (found, d) = (&mut all[number as usize], Vec3::new(x[lane], y[lane], z[lane]));
        if found.is_solved() {
            continue;
        }
        (found.n, found.slack) = (d.normalize_or_zero(), d.length() - found.distance);
        if found.slack >= 0.0 && turned[lane] != 0.0 {
            found.side = 1.0f32.copysign(turned[lane]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Scene;
    use crate::step;
    use crate::world::World;

    /// By how much a pair of a set is too near that no substep looks at, over its distance; of those that are
    /// so most.
    fn missed<P: Pair<N>, const N: usize>(world: &World, set: &Set<N>) -> f32 {
        let waiting = set.found.iter().filter(|found| !found.is_solved());
        let too_near = waiting.map(|found| {
            let near = P::near_at(found.ids.map(|i| world.particles.position(i as usize)));
            1.0 - near.d.length() / found.distance
        });
        too_near.fold(0.0, f32::max)
    }

    #[test]
    fn who_waits_is_not_too_near() {
        for (name, size) in [("pile", 2), ("folding", 24)] {
            let mut world = (Scene::find(name).unwrap().build)(size).unwrap();
            let (mut most, mut waited) = (0.0f32, 0);
            for _ in 0..60 {
                step(&mut world, 1.0 / 60.0).unwrap();
                let contact = &world.contact;
                most = most.max(missed::<VertexFace, 4>(&world, &contact.vertex_face));
                most = most.max(missed::<EdgeEdge, 4>(&world, &contact.edge_edge));
                waited += contact.vertex_face.found.len() - contact.vertex_face.solved.len();
            }
            assert!(waited > 1000, "{name}: {waited} wait");
            assert!(most < 0.02, "{name}: {most} of the distance");
        }
    }
}
