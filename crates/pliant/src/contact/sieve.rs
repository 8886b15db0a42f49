//! Boxes side by side: which of them meet another? A few at a time, as a compiler makes vectors of it.

use super::elements::PATCH;
use crate::lanes::at_best_level;
use crate::mesh::Aabb;

/// Boxes that are compared at once.
const TOGETHER: usize = 8;

/// Up to [`PATCH`] boxes, column by column.
#[derive(Debug)]
pub(crate) struct Sieve {
    low: [[f32; PATCH]; 3],
    high: [[f32; PATCH]; 3],
}

impl Sieve {
    /// Nothing meets what is not filled.
    const EMPTY: Self =
        Self { low: [[f32::INFINITY; PATCH]; 3], high: [[f32::NEG_INFINITY; PATCH]; 3] };

    /// The boxes one after the other, of which there are no more than [`PATCH`].
    pub(crate) fn of(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut sieve = Self::EMPTY;
        for (k, one) in boxes.take(PATCH).enumerate() {
            let (low, high) = (one.low.to_array(), one.high.to_array());
            for axis in 0..3 {
                (sieve.low[axis][k], sieve.high[axis][k]) = (low[axis], high[axis]);
            }
        }
        sieve
    }

    /// Which of the eight from `first` on meet a box: a byte of each, 1 or 0.
    #[inline(always)]
    fn eight(&self, first: usize, around: &Aabb) -> u64 {
        let (low, high) = (around.low.to_array(), around.high.to_array());
        let mut meets = [1; TOGETHER];
        for axis in 0..3 {
            let lows = &self.low[axis][first..first + TOGETHER];
            let highs = &self.high[axis][first..first + TOGETHER];
            for k in 0..TOGETHER {
                meets[k] &= u8::from((lows[k] <= high[axis]) & (low[axis] <= highs[k]));
            }
        }
        u64::from_le_bytes(meets)
    }
}

/// Numbers below `count` of boxes with `all` that meet `own`, or with `own` that meet `all`: what can touch
/// of one element and others.
pub(crate) fn touching(
    [alls, owns]: &[Sieve; 2],
    [all, own]: [&Aabb; 2],
    count: usize,
    mut visit: impl FnMut(usize),
) {
    let mut met = [0; PATCH / TOGETHER];
    let groups = count.div_ceil(TOGETHER);
    at_best_level!(_Wide, _simd => for number in 0..groups {
        met[number] = owns.eight(number * TOGETHER, all) | alls.eight(number * TOGETHER, own);
    });
    for (number, mut met) in met.into_iter().enumerate() {
        while met != 0 {
            visit(number * TOGETHER + (met.trailing_zeros() / u8::BITS) as usize);
            met &= met - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::testing::Random;

    fn some(random: &mut Random) -> Aabb {
        let middle = random.vector(1.0);
        Aabb::of([middle, middle + random.vector(2.0)])
    }

    #[test]
    fn what_meets_is_what_overlaps() {
        let mut random = Random::new(7);
        let mut found = 0;
        for count in [0, 1, 7, 8, 9, PATCH] {
            let alls: Vec<Aabb> = (0..count).map(|_| some(&mut random)).collect();
            let owns: Vec<Aabb> =
                alls.iter().map(|all| Aabb::of([all.low, all.low + Vec3::splat(0.2)])).collect();
            let sieves = [&alls, &owns].map(|boxes| Sieve::of(boxes.iter().copied()));
            for _ in 0..20 {
                let all = some(&mut random);
                let own = Aabb::of([all.high]);
                let overlaps = |&k: &usize| owns[k].overlaps(&all) || alls[k].overlaps(&own);
                let expected: Vec<usize> = (0..count).filter(overlaps).collect();
                let mut met = Vec::new();
                touching(&sieves, [&all, &own], count, |k| met.push(k));
                assert_eq!(met, expected, "{count} boxes");
                found += met.len();
            }
        }
        assert!(found > 50, "{found}");
    }
}
