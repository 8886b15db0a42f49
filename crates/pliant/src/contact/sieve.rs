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
}

impl Default for Sieve {
    fn default() -> Self {
        let (nothing, number) = ([[0.0; PATCH]; 3], [0.0; PATCH]);
        let (by, radius, stray) = ([nothing; 3], number, number);
        Self { all: NOTHING, own: NOTHING, now: NOTHING, by, radius, stray }
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

/// Which elements of a sieve meet another: bit k is element k.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Those with boxes that meet so that something of one can touch the other.
    pub(crate) met: u32,
    /// Those that stay apart until the next search all the same.
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

impl Sieve {
    /// Describes an element.
    pub(crate) fn set(&mut self, k: usize, Party { bounds, by, .. }: Party<'_>) {
        let boxes = [&bounds.all, &bounds.own, &bounds.now];
        for (columns, one) in [&mut self.all, &mut self.own, &mut self.now].into_iter().zip(boxes) {
            set(&mut columns[0], k, one.low);
            set(&mut columns[1], k, one.high);
        }
        by.into_iter().zip(&mut self.by).for_each(|(by, column)| set(column, k, by));
        (self.radius[k], self.stray[k]) = (bounds.radius, bounds.stray);
    }

    /// Which of the first `count` elements meet another.
    pub(crate) fn meeting(&self, count: usize, party: Party<'_>, met: &mut Met) {
        (met.met, met.missed) = (0, 0);
        let mut first = 0;
        at_best_level!(Wide, simd => while first < count {
            self.meet::<Wide>(first, simd, party, met);
            first += Wide::WIDTH;
        });
        while first < count {
            self.meet::<f32>(first, (), party, met);
            first += 1;
        }
    }

    #[inline(always)]
    fn meet<R: Lanes>(&self, first: usize, proof: R::Proof, party: Party<'_>, met: &mut Met) {
        let Party { bounds, by, pace } = party;
        let number = |value: f32| R::splat(proof, value);
        let vector = |v: Vec3| V3 { x: number(v.x), y: number(v.y), z: number(v.z) };
        let corners = |one: &Aabb| [vector(one.low), vector(one.high)];
        let column = |c: &Column| V3 {
            x: R::load(proof, &c[0][first..]),
            y: R::load(proof, &c[1][first..]),
            z: R::load(proof, &c[2][first..]),
        };
        let boxes = |[low, high]: &Boxes| [column(low), column(high)];
        let over = overlap(corners(&bounds.all), boxes(&self.own))
            .at_least(overlap(corners(&bounds.own), boxes(&self.all)));
        let here = !(u32::MAX << (R::WIDTH - 1) << 1);
        let bits = (!over.negative() & here) << first;
        if bits == 0 {
            return;
        }
        let distance = number(bounds.radius) + R::load(proof, &self.radius[first..]);
        let (n, gap) = gap([corners(&bounds.now), boxes(&self.now)], distance);
        // The farthest that a corner of each comes towards the other.
        let [mut one, mut other] = [number(f32::MIN); 2];
        for k in 0..3 {
            one = one.at_least(-n.dot(vector(by[k])));
            other = other.at_least(n.dot(column(&self.by[k])));
        }
        let stray = number(bounds.stray) + R::load(proof, &self.stray[first..]);
        let apart = gap - pace.nearer([one, other]);
        met.met |= bits;
        met.missed |= bits & ((stray - apart).negative() << first);
        for (axis, n) in [n.x, n.y, n.z].into_iter().enumerate() {
            n.store(&mut met.n[axis][first..]);
        }
        gap.store(&mut met.gap[first..]);
    }
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
        let own = Aabb::of([all.low, all.low + Vec3::splat(0.2)]);
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
        for (count, pace) in
            [0, 1, 7, 8, 9, PATCH].into_iter().zip([Pace::Steady, Pace::Any].repeat(3))
        {
            let bounds: Vec<Bounds> = (0..=count).map(|_| some(&mut random)).collect();
            let mut party = |bounds| Party { bounds, by: [0; 3].map(|_| random.vector(0.1)), pace };
            let parties: Vec<Party<'_>> = bounds.iter().map(&mut party).collect();
            let mut sieve = Sieve::default();
            parties[1..].iter().enumerate().for_each(|(k, &party)| sieve.set(k, party));
            for _ in 0..20 {
                let bounds = some(&mut random);
                let party = Party { bounds: &bounds, ..parties[0] };
                sieve.meeting(count, party, &mut met);
                for k in 0..count {
                    let seen =
                        (met.met >> k & 1 == 1).then(|| (met.gap(k).1, met.missed >> k & 1 == 1));
                    let want = expected(party, parties[k + 1]);
                    assert_eq!(seen.map(|it| it.1), want.map(|it| it.1), "{k} of {count}");
                    let off = seen.zip(want).map_or(0.0, |(seen, want)| (seen.0 - want.0).abs());
                    assert!(off < 1e-6, "{k} of {count}: {seen:?}, not {want:?}");
                    found[0] += usize::from(seen.is_some());
                    found[1] += usize::from(seen.is_some_and(|it| it.1));
                }
                assert_eq!(
                    met.met.checked_shr(count as u32).unwrap_or(0),
                    0,
                    "none beyond {count}"
                );
            }
        }
        assert!(found[0] > 50 && found[1] > 5 && found[1] < found[0], "{found:?}");
    }
}
