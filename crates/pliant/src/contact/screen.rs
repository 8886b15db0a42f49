//! Which parts of two elements may touch before the next search? Several at once.

use glam::Vec3;

use super::Touch;
use super::detect::{Meeting, View, vec3};
use super::pair::Pair;
use super::path::{Approach, Path, motion};
use super::set::Found;
use crate::lanes::{LANES, Lanes, Real, V3, at_best_level, vectors, weights};
use crate::mesh::Aabb;

/// Share of their distance at rest that two parts of one body may come near each other.
pub(crate) const AT_REST: f32 = 0.5;
/// Pairs that are worth to be looked at together.
const MANY: usize = 256;

/// Parts of two elements that a search has to look at.
#[derive(Clone, Copy, Debug)]
struct Open<const N: usize> {
    ids: [u32; N],
    /// The elements.
    pair: [u32; 2],
    key: u64,
    /// How near they may come, without regard to rest (m).
    distance: f32,
    /// 0, or ∞ where no other pairs keep them apart when they are beside each other.
    alone: f32,
    near_at_rest: bool,
}

/// The pairs of one kind: those that are to be looked at, and those that may touch.
#[derive(Debug)]
pub(crate) struct Screen<const N: usize> {
    open: Vec<Open<N>>,
    pub(crate) found: Vec<Found<N>>,
}

impl<const N: usize> Default for Screen<N> {
    fn default() -> Self {
        Self { open: Vec::new(), found: Vec::new() }
    }
}

impl<const N: usize> Screen<N> {
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.found.clear();
    }

    /// Whether there are so many pairs that they are to be looked at.
    pub(crate) fn is_full(&self) -> bool {
        self.open.len() >= MANY
    }
}

/// Where the parties of some pairs are nearest, and what is known of their paths.
struct Seen<R> {
    /// From the second party to the first (m).
    d: V3<R>,
    /// On which side, by its sign.
    turned: R,
    /// How far each moves (m).
    by: [V3<R>; 2],
    /// By how much they may come nearer than that says (m).
    margin: R,
    /// 1 where they may touch, 0 elsewhere.
    meets: R,
}

impl View<'_> {
    /// Has a pair of the parts of two elements looked at.
    pub(crate) fn ask<const N: usize>(
        &self,
        screen: &mut Screen<N>,
        meeting: &Meeting,
        ids: [u32; N],
        number: u64,
    ) {
        let [a, b] = meeting.pair.map(|i| &self.elements.all[i as usize]);
        if a.body == b.body && (1..N).any(|k| ids[..k].contains(&ids[k])) {
            return;
        }
        let alone = if a.is_face() && b.is_face() { 0.0 } else { f32::INFINITY };
        let Meeting { pair, key, distance, near_at_rest } = *meeting;
        let key = key | number;
        screen.open.push(Open { ids, pair, key, distance, alone, near_at_rest });
    }

    /// Finds those that may touch among the pairs that are to be looked at.
    pub(crate) fn answer<P: Pair<N>, const N: usize>(&self, screen: &mut Screen<N>) {
        let Screen { open, found } = screen;
        let mut first = 0;
        at_best_level!(Wide, simd => while first < open.len() {
            let group = &open[first..open.len().min(first + Wide::WIDTH)];
            self.answer_lanes::<P, Wide, N>(group, simd, found);
            first += Wide::WIDTH;
        });
        while first < open.len() {
            self.answer_lanes::<P, f32, N>(&open[first..=first], (), found);
            first += 1;
        }
        open.clear();
    }

    #[inline(always)]
    fn answer_lanes<P: Pair<N>, R: Lanes, const N: usize>(
        &self,
        group: &[Open<N>],
        proof: R::Proof,
        found: &mut Vec<Found<N>>,
    ) {
        let Seen { d, turned, by, margin, meets } = self.look::<P, R, N>(group, proof);
        let meets = meets.values();
        if !meets.contains(&1.0) {
            return;
        }
        let [d, one, two] = [d, by[0], by[1]].map(|v| [v.x.values(), v.y.values(), v.z.values()]);
        let (turned, margin) = (turned.values(), margin.values());
        for (lane, open) in group.iter().enumerate() {
            if meets[lane] == 0.0 {
                continue;
            }
            let [d, one, two] =
                [&d, &one, &two].map(|v| V3 { x: v[0][lane], y: v[1][lane], z: v[2][lane] });
            let by = [one, two];
            let seen = Seen { d, turned: turned[lane], by, margin: margin[lane], meets: 1.0 };
            found.extend(self.accept::<P, N>(open, &seen));
        }
    }

    /// Looks at up to as many pairs as there are lanes; the others are like the last.
    #[inline(always)]
    fn look<P: Pair<N>, R: Lanes, const N: usize>(
        &self,
        group: &[Open<N>],
        proof: R::Proof,
    ) -> Seen<R> {
        let zero = R::splat(proof, 0.0);
        let (mut from, mut by) = ([[zero; 4]; N], [[zero; 4]; N]);
        for k in 0..N {
            from[k] = R::gather(
                proof,
                #[inline(always)]
                |lane| self.path(group, lane, k).from_stray,
            );
            by[k] = R::gather(
                proof,
                #[inline(always)]
                |lane| self.path(group, lane, k).by,
            );
        }
        let (mut distance, mut alone) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..R::WIDTH {
            let open = &group[lane.min(group.len() - 1)];
            (distance[lane], alone[lane]) = (open.distance, open.alone);
        }
        let (distance, alone) = (R::load(proof, &distance), R::load(proof, &alone));
        let (x, stray, by) = (vectors(from), weights(from), vectors(by));
        let (first, turn, stray_one) = motion(&by[..P::FIRST], &stray[..P::FIRST]);
        let (second, other_turn, stray_other) = motion(&by[P::FIRST..], &stray[P::FIRST..]);
        let approach = Approach { by: [first, second], pace: self.pace };
        let margin = stray_one + stray_other + turn + other_turn;
        let near = P::near(x);
        let beside = P::beside(x, margin + approach.length() + alone);
        let parted = P::parted(x, approach, distance + margin);
        let missed = misses(near.d, approach, distance + margin);
        let meets = zero.where_less(beside.at_least(parted).at_least(missed), zero, zero.lit(1.0));
        Seen { d: near.d, turned: near.turned, by: [first, second], margin, meets }
    }

    #[inline(always)]
    fn path<const N: usize>(&self, group: &[Open<N>], lane: usize, k: usize) -> &Path {
        &self.paths[group[lane.min(group.len() - 1)].ids[k] as usize]
    }

    /// A pair that may touch, unless its parties are too near at rest.
    fn accept<P: Pair<N>, const N: usize>(
        &self,
        open: &Open<N>,
        seen: &Seen<f32>,
    ) -> Option<Found<N>> {
        let mut distance = open.distance;
        let [a, b] = open.pair.map(|i| self.elements.all[i as usize].body);
        if open.near_at_rest {
            distance = distance.min(self.at_rest::<P, N>(open.ids, distance));
            let approach = Approach { by: seen.by, pace: self.pace };
            if distance <= 0.0 || misses(seen.d, approach, distance + seen.margin) > 0.0 {
                return None;
            }
        }
        let d = vec3(seen.d);
        let mut found = self.pair_up([a, b], open.ids, open.key, (seen.turned, distance));
        (found.n, found.slack) = (d.normalize_or_zero(), d.length() - distance);
        Some(found)
    }

    /// A pair of parts of two bodies, or of one.
    pub(crate) fn pair_up<const N: usize>(
        &self,
        bodies: [u32; 2],
        ids: [u32; N],
        key: u64,
        (turned, distance): (f32, f32),
    ) -> Found<N> {
        let touch = bodies.map(|body| self.shape(body).map_or(Touch::NOTHING, |it| it.touch));
        let friction = (touch[0].friction * touch[1].friction).sqrt();
        let restitution = touch[0].restitution.max(touch[1].restitution);
        let side = if turned < 0.0 { -1.0 } else { 1.0 };
        let (n, slack) = (Vec3::ZERO, Found::<N>::SOLVED);
        Found { key, ids, distance, n, slack, side, friction, restitution }
    }

    /// How near two parts of one body may come: no nearer than half of their distance at rest.
    fn at_rest<P: Pair<N>, const N: usize>(&self, ids: [u32; N], distance: f32) -> f32 {
        let rest = ids.map(|i| self.particles.rest[i as usize].truncate());
        let (first, second) = rest.split_at(P::FIRST);
        let [first, second] = [first, second].map(|x| Aabb::of(x.iter().copied()));
        if !first.grown(distance / AT_REST).overlaps(&second) {
            return distance;
        }
        AT_REST * P::near_at(rest).d.length()
    }
}

/// Positive where parties that are `d` apart come no nearer than `reach` while they move so.
///
/// Both are convex, so that the plane across `d` parts them: along `d` they stay apart by
/// |d| + by·d/|d|.
#[inline(always)]
fn misses<R: Real>(d: V3<R>, approach: Approach<R>, reach: R) -> R {
    let (zero, length) = (reach.lit(0.0), d.length());
    let apart = length + approach.along(d).div_or_zero(length) - reach;
    zero.where_less(length, apart, zero)
}
