//! The elements of a patch side by side: which of them may touch another before the next search? Several at once.

use glam::Vec3;

use super::detect::Bounds;
use super::elements::PATCH;
use super::path::Pace;
use crate::lanes::{Lanes, Real, V3, at_best_level};
use crate::mesh::Aabb;

/// A vector for each of up to [`PATCH`] elements.
type Column = [[f32; PATCH]; 3];

/// Boxes, the lower corners first.
type Boxes = [Column; 2];

/// Nothing meets these.
const NOTHING: Boxes = [[[f32::INFINITY; PATCH]; 3], [[f32::NEG_INFINITY; PATCH]; 3]];

/// What is known of up to [`PATCH`] elements, column by column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    all: Boxes,
    own: Boxes,
    now: Boxes,
    /// How far each corner goes.
    by: [Column; 3],
    radius: [f32; PATCH],
    stray: [f32; PATCH],
    /// Which of them there are: bit k is element k.
    there: u32,
}

impl Default for Sieve {
    fn default() -> Self {
        let (nothing, number) = ([[0.0; PATCH]; 3], [0.0; PATCH]);
        let (by, radius, stray) = ([nothing; 3], number, number);
        Self { all: NOTHING, own: NOTHING, now: NOTHING, by, radius, stray, there: 0 }
    }
}

/// An element that is held against a sieve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party<'a> {
    pub(crate) bounds: &'a Bounds,
    /// How far each corner goes (m).
    pub(crate) by: [Vec3; 3],
    pub(crate) pace: Pace,
}

/// What is known of the elements of a sieve that meet another.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Those that stay apart until the next search all the same: bit k is element k.
    pub(crate) missed: u32,
    /// The way from each to the other element, of unit length, and how much farther apart they are than they may
    /// come, at least (m); of those that meet.
    n: Column,
    gap: [f32; PATCH],
}

impl Met {
    /// What is known of element `k`.
    pub(crate) fn gap(&self, k: usize) -> (Vec3, f32) {
        (Vec3::from_array([0, 1, 2].map(|axis| self.n[axis][k])), self.gap[k])
    }
}

/// Which elements of two sieves have boxes that meet, so that something of one can touch the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meetings {
    /// Of each of the first, those of the second: bit l is element l.
    pub(crate) of: [u32; PATCH],
    /// How many were compared.
    pub(crate) tested: u64,
}

impl Sieve {
    /// Takes in up to [`PATCH`] elements instead of those that it has.
    pub(crate) fn fill<'a>(&mut self, parties: impl Iterator<Item = Party<'a>>) {
        self.there = 0;
        for (k, party) in parties.enumerate() {
            self.set(k, party);
            self.there |= 1 << k;
        }
    }

    fn set(&mut self, k: usize, Party { bounds, by, .. }: Party<'_>) {
        let boxes = [&bounds.all, &bounds.own, &bounds.now];
        for (columns, one) in [&mut self.all, &mut self.own, &mut self.now].into_iter().zip(boxes) {
            set(&mut columns[0], k, one.low);
            set(&mut columns[1], k, one.high);
        }
        by.into_iter().zip(&mut self.by).for_each(|(by, column)| set(column, k, by));
        (self.radius[k], self.stray[k]) = (bounds.radius, bounds.stray);
    }

    /// Compares the boxes of two sieves. `around` are boxes around all that is in each.
    pub(crate) fn meetings(pair: [&Self; 2], around: [&Aabb; 2]) -> Meetings {
        let mut meetings = Meetings { of: [0; PATCH], tested: 0 };
        at_best_level!(Wide, simd => Self::meet::<Wide>(pair, around, simd, &mut meetings));
        meetings
    }

    #[inline(always)]
    fn meet<R: Lanes>(
        [one, two]: [&Self; 2],
        around: [&Aabb; 2],
        proof: R::Proof,
        meetings: &mut Meetings,
    ) {
        // What is beyond the other's box meets nothing of it.
        let mut ones = one.within::<R>(around[1], proof);
        let twos = two.within::<R>(around[0], proof);
        meetings.tested += u64::from(ones.count_ones()) * u64::from(twos.count_ones());
        while ones != 0 {
            let k = ones.trailing_zeros() as usize;
            ones &= ones - 1;
            let [all, own] = [&one.all, &one.own].map(|boxes| splat_boxes::<R>(boxes, k, proof));
            for first in (0..PATCH).step_by(R::WIDTH) {
                if twos >> first & here::<R>() != 0 {
                    let over = overlap(all, load_boxes(&two.own, first, proof))
                        .at_least(overlap(own, load_boxes(&two.all, first, proof)));
                    meetings.of[k] |= (!over.negative() & here::<R>()) << first;
                }
            }
            meetings.of[k] &= twos;
        }
    }

    /// Which elements reach into a box.
    #[inline(always)]
    fn within<R: Lanes>(&self, around: &Aabb, proof: R::Proof) -> u32 {
        let mut bits = 0;
        for first in (0..PATCH).step_by(R::WIDTH) {
            let over =
                overlap(splat_corners::<R>(around, proof), load_boxes(&self.all, first, proof));
            bits |= (!over.negative() & here::<R>()) << first;
        }
        bits & self.there
    }

    /// Looks at the elements among `bits`, which meet another.
    pub(crate) fn look(&self, bits: u32, party: Party<'_>, met: &mut Met) {
        met.missed = 0;
        at_best_level!(Wide, simd => {
            for first in (0..PATCH).step_by(Wide::WIDTH) {
                if bits >> first & here::<Wide>() != 0 {
                    self.look_at::<Wide>(first, simd, party, met);
                }
            }
        });
    }

    #[inline(always)]
    fn look_at<R: Lanes>(&self, first: usize, proof: R::Proof, party: Party<'_>, met: &mut Met) {
        let Party { bounds, by, pace } = party;
        let number = |value: f32| R::splat(proof, value);
        let vector = |v: Vec3| V3 { x: number(v.x), y: number(v.y), z: number(v.z) };
        let distance = number(bounds.radius) + R::load(proof, &self.radius[first..]);
        let now = [splat_corners(&bounds.now, proof), load_boxes(&self.now, first, proof)];
        let (n, gap) = gap(now, distance);
        // The farthest that a corner of each comes towards the other.
        let [mut one, mut other] = [number(f32::MIN); 2];
        for k in 0..3 {
            one = one.at_least(-n.dot(vector(by[k])));
            other = other.at_least(n.dot(load_column(&self.by[k], first, proof)));
        }
        let stray = number(bounds.stray) + R::load(proof, &self.stray[first..]);
        let apart = gap - pace.nearer([one, other]);
        met.missed |= (stray - apart).negative() << first;
        for (axis, n) in [n.x, n.y, n.z].into_iter().enumerate() {
            n.store(&mut met.n[axis][first..]);
        }
        gap.store(&mut met.gap[first..]);
    }
}

/// A bit for each lane.
fn here<R: Lanes>() -> u32 {
    !(u32::MAX << (R::WIDTH - 1) << 1)
}

#[inline(always)]
fn load_column<R: Lanes>(c: &Column, first: usize, proof: R::Proof) -> V3<R> {
    V3 {
        x: R::load(proof, &c[0][first..]),
        y: R::load(proof, &c[1][first..]),
        z: R::load(proof, &c[2][first..]),
    }
}

#[inline(always)]
fn load_boxes<R: Lanes>([low, high]: &Boxes, first: usize, proof: R::Proof) -> [V3<R>; 2] {
    [load_column(low, first, proof), load_column(high, first, proof)]
}

/// The box of element `k` in all lanes.
#[inline(always)]
fn splat_boxes<R: Lanes>([low, high]: &Boxes, k: usize, proof: R::Proof) -> [V3<R>; 2] {
    let number = |value: f32| R::splat(proof, value);
    let corner = |c: &Column| V3 { x: number(c[0][k]), y: number(c[1][k]), z: number(c[2][k]) };
    [corner(low), corner(high)]
}

#[inline(always)]
fn splat_corners<R: Lanes>(around: &Aabb, proof: R::Proof) -> [V3<R>; 2] {
    let number = |value: f32| R::splat(proof, value);
    let corner = |v: Vec3| V3 { x: number(v.x), y: number(v.y), z: number(v.z) };
    [corner(around.low), corner(around.high)]
}

fn set(column: &mut Column, k: usize, v: Vec3) {
    column.iter_mut().zip(v.to_array()).for_each(|(column, v)| column[k] = v);
}

/// By how much two boxes overlap along the axis where they do so least; negative where they are apart.
#[inline(always)]
fn overlap<R: Real>(a: [V3<R>; 2], b: [V3<R>; 2]) -> R {
    let (above, below) = (a[1] - b[0], b[1] - a[0]);
    let above = above.x.at_most(above.y).at_most(above.z);
    above.at_most(below.x).at_most(below.y).at_most(below.z)
}

/// The way from the second of two boxes to the first, of unit length, and how much longer it is than `distance` (m).
#[inline(always)]
pub(crate) fn gap<R: Real>([a, b]: [[V3<R>; 2]; 2], distance: R) -> (V3<R>, R) {
    let (above, below) = (a[0] - b[1], b[0] - a[1]);
    let zero = distance.lit(0.0);
    let between = |above: R, below: R| above.at_least(zero) - below.at_least(zero);
    let way = V3 {
        x: between(above.x, below.x),
        y: between(above.y, below.y),
        z: between(above.z, below.z),
    };
    let length = way.length();
    (way * distance.lit(1.0).div_or_zero(length), length - distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn some(random: &mut Random) -> Bounds {
        let middle = random.vector(1.0);
        let now = Aabb::of([middle, middle + random.vector(0.3)]);
        let all = now.join(Aabb::of([now.low + random.vector(0.5)])).grown(0.05);
        let own = Aabb::of([all.low, (all.low + Vec3::splat(0.2)).min(all.high)]);
        Bounds { now, radius: 0.05, stray: 0.02, phase: 1, still: false, all, own }
    }

    /// By the definitions, with vectors of three.
    fn expected(one: Party<'_>, other: Party<'_>) -> Option<(f32, bool)> {
        let (a, b) = (one.bounds, other.bounds);
        let meet = a.all.overlaps(&b.own) || a.own.overlaps(&b.all);
        let way =
            (a.now.low - b.now.high).max(Vec3::ZERO) - (b.now.low - a.now.high).max(Vec3::ZERO);
        let gap = way.length() - a.radius - b.radius;
        let n = way.normalize_or_zero();
        let most =
            |by: [Vec3; 3], n: Vec3| by.map(|by| by.dot(n)).into_iter().fold(f32::MIN, f32::max);
        let [first, second] = [most(one.by, -n), most(other.by, n)];
        let nearer = match one.pace {
            Pace::Steady => (first + second).max(0.0),
            Pace::Any => first.max(0.0) + second.max(0.0),
        };
        meet.then_some((gap, gap - nearer > a.stray + b.stray))
    }

    #[test]
    fn what_meets_is_what_overlaps_and_what_misses_stays_apart() {
        let mut random = Random::new(7);
        let (mut met, mut found) = (Met::default(), [0; 2]);
        let mut sieves = [Sieve::default(); 2];
        for (counts, pace) in [[0, 3], [1, 7], [PATCH, 8], [9, PATCH], [5, 5], [1, 1]]
            .into_iter()
            .zip([Pace::Steady, Pace::Any].repeat(3))
        {
            for _ in 0..20 {
                let bounds = counts.map(|n| (0..n).map(|_| some(&mut random)).collect::<Vec<_>>());
                let mut party =
                    |bounds| Party { bounds, by: [0; 3].map(|_| random.vector(0.1)), pace };
                let parties =
                    bounds.each_ref().map(|all| all.iter().map(&mut party).collect::<Vec<_>>());
                // What a sieve had before does not matter.
                sieves.iter_mut().zip(&parties).for_each(|(it, all)| it.fill(all.iter().copied()));
                let around = bounds
                    .each_ref()
                    .map(|all| all.iter().map(|bounds| bounds.all).fold(Aabb::EMPTY, Aabb::join));
                let meetings = Sieve::meetings(sieves.each_ref(), around.each_ref());
                for (k, &one) in parties[0].iter().enumerate() {
                    let bits = meetings.of[k];
                    sieves[1].look(bits, one, &mut met);
                    for (l, &other) in parties[1].iter().enumerate() {
                        let seen =
                            (bits >> l & 1 == 1).then(|| (met.gap(l).1, met.missed >> l & 1 == 1));
                        let want = expected(one, other);
                        assert_eq!(
                            seen.map(|it| it.1),
                            want.map(|it| it.1),
                            "{k}, {l} of {counts:?}"
                        );
                        let off =
                            seen.zip(want).map_or(0.0, |(seen, want)| (seen.0 - want.0).abs());
                        assert!(off < 1e-6, "{k}, {l} of {counts:?}: {seen:?}, not {want:?}");
                        found[0] += usize::from(seen.is_some());
                        found[1] += usize::from(seen.is_some_and(|it| it.1));
                    }
                    let beyond = bits.checked_shr(counts[1] as u32).unwrap_or(0);
                    assert_eq!(beyond, 0, "none beyond {counts:?}");
                }
                assert!(meetings.of[counts[0]..].iter().all(|&bits| bits == 0), "{counts:?}");
            }
        }
        assert!(found[0] > 50 && found[1] > 5 && found[1] < found[0], "{found:?}");
    }

    #[test]
    fn what_is_not_a_number_meets_nobody_that_is_not_there() {
        let mut bounds = some(&mut Random::new(1));
        bounds.all = Aabb { low: Vec3::NAN, high: Vec3::INFINITY };
        let party = Party { bounds: &bounds, by: [Vec3::ZERO; 3], pace: Pace::Steady };
        let mut sieve = Sieve::default();
        sieve.fill([party; 3].into_iter());
        let meetings = Sieve::meetings([&sieve; 2], [&bounds.all; 2]);
        assert!(
            meetings.of.iter().all(|bits| bits >> 3 == 0) && meetings.of[3..] == [0; PATCH - 3]
        );
    }
}
