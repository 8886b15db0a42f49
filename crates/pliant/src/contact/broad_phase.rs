//! Broad phases: which boxes overlap, without looking at every two of them.
//!
//! All give the same pairs in the same order; they differ in how long they take. One more is one
//! file here and one line in [`ALL`].
//!
//! ```
//! use pliant::contact::broad_phase::{ALL, Finder};
//! use pliant::{glam::Vec3, mesh::Aabb};
//!
//! let boxes: Vec<Aabb> = (0..9).map(|i| Aabb::of([Vec3::X * i as f32]).grown(0.6)).collect();
//! let neighbours: Vec<[u32; 2]> = (0..8).map(|i| [i, i + 1]).collect();
//! for broad_phase in ALL {
//!     assert_eq!(Finder::default().find(broad_phase, &boxes), neighbours);
//! }
//! ```

use std::fmt;

use crate::mesh::Aabb;
use crate::mesh::bvh::Bvh;
use crate::parallel::Pool;

pub mod brute_force;
pub mod bvh_boxes;
pub mod bvh_spheres;
mod cells;
pub mod grid;
pub mod grid_parallel;
pub mod hash;
pub mod kd_tree;
pub mod octree;
mod rows;
pub mod sweep;

/// Every broad phase; the default is the first.
pub const ALL: &[&BroadPhase] = &[
    hash::BROAD_PHASE,
    grid::BROAD_PHASE,
    grid_parallel::BROAD_PHASE,
    octree::BROAD_PHASE,
    kd_tree::BROAD_PHASE,
    sweep::BROAD_PHASE,
    bvh_boxes::BROAD_PHASE,
    bvh_spheres::BROAD_PHASE,
    brute_force::BROAD_PHASE,
];

/// The broad phase of that name.
pub fn find(name: &str) -> Option<&'static BroadPhase> {
    ALL.iter().copied().find(|broad_phase| broad_phase.name == name)
}

/// A way to find the pairs of boxes that overlap.
pub struct BroadPhase {
    /// The name, as in `--set broad_phase=hash`.
    pub name: &'static str,
    /// One sentence: what it does, and what it is good for.
    pub shows: &'static str,
    /// Leaves every pair of boxes that overlap in `pairs`, the lower number first, in order.
    find: fn(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>),
}

impl fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BroadPhase({})", self.name)
    }
}

impl PartialEq for BroadPhase {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Broad phases by name, for text formats.
#[cfg(feature = "serde")]
pub(crate) mod by_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::settings::SettingError;

    pub(crate) fn serialize<S: Serializer>(
        broad_phase: &&'static super::BroadPhase,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(broad_phase.name)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static super::BroadPhase, D::Error> {
        let found = String::deserialize(deserializer)?;
        super::find(&found)
            .ok_or_else(|| D::Error::custom(SettingError::Malformed { name: "broad_phase", found }))
    }
}

/// Boxes, and which of them never touch.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    /// The boxes.
    pub boxes: &'a [Aabb],
    /// One number per box, or none at all: boxes of the same number are not reported, unless it is
    /// 0.
    pub groups: &'a [u32],
}

impl Boxes<'_> {
    fn len(&self) -> usize {
        self.boxes.len()
    }

    fn group(&self, i: u32) -> u32 {
        self.groups.get(i as usize).copied().unwrap_or(0)
    }

    /// Whether two boxes are of different groups, or of none.
    #[inline(always)]
    fn apart(&self, i: u32, j: u32) -> bool {
        self.group(i) == 0 || self.group(i) != self.group(j)
    }

    /// Whether two boxes are a pair.
    #[inline(always)]
    fn pair(&self, i: u32, j: u32) -> bool {
        self.boxes[i as usize].overlaps(&self.boxes[j as usize]) && self.apart(i, j)
    }
}

/// What a broad phase works on and with.
struct Search<'a> {
    boxes: Boxes<'a>,
    pool: &'a Pool,
    space: &'a mut Space,
}

/// Buffers that are kept from one search to the next.
#[derive(Debug, Default)]
pub(crate) struct Space {
    rows: rows::Rows,
    cells: cells::Cells,
    octree: octree::Tree,
    kd_tree: kd_tree::Tree,
    line: sweep::Line,
    order: Vec<u32>,
    bvh: Bvh,
    spheres: Vec<bvh_spheres::Sphere>,
}

/// Finds pairs, and keeps its buffers.
#[derive(Debug, Default)]
pub struct Finder {
    pool: Pool,
    space: Space,
    pairs: Vec<[u32; 2]>,
}

impl Finder {
    /// One that uses this many threads; 0 is one per core.
    pub fn new(threads: u32) -> Self {
        let mut finder = Self::default();
        finder.pool.resize(threads);
        finder
    }

    /// Every pair of boxes that overlap or touch, the lower number first, in order.
    pub fn find(&mut self, by: &BroadPhase, boxes: &[Aabb]) -> &[[u32; 2]] {
        let Self { pool, space, pairs } = self;
        search(by, Boxes { boxes, groups: &[] }, (pool, space), pairs);
        pairs
    }
}

/// Every pair of boxes that overlap or touch, the lower number first, in order.
pub(crate) fn search(
    by: &BroadPhase,
    boxes: Boxes<'_>,
    (pool, space): (&Pool, &mut Space),
    pairs: &mut Vec<[u32; 2]>,
) {
    (by.find)(&mut Search { boxes, pool, space }, pairs);
}

/// Boxes that are worth a thread.
const GRAIN: usize = 128;

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::testing::Random;

    fn expect_all_alike(what: &str, boxes: &[Aabb]) {
        let mut finder = Finder::new(2);
        let want = finder.find(brute_force::BROAD_PHASE, boxes).to_vec();
        for broad_phase in ALL {
            // Twice: what is left in the buffers must not matter.
            for _ in 0..2 {
                let found = finder.find(broad_phase, boxes);
                assert_eq!(found, want, "{}: {what}", broad_phase.name);
            }
        }
    }

    #[test]
    fn all_find_the_same_pairs_among_random_boxes() {
        let mut random = Random::new(7);
        let mut point =
            |scale: f32| Vec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0))) * scale;
        for (count, size) in [(1, 0.1), (2, 1.0), (300, 0.05), (300, 0.5), (2000, 0.02)] {
            let boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let x = point(1.0);
                    Aabb::of([x, x + point(size)])
                })
                .collect();
            expect_all_alike(&format!("{count} boxes of up to {size} m"), &boxes);
        }
    }

    #[test]
    fn all_find_the_same_pairs_where_it_is_hard() {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let one = Aabb::of([Vec3::ZERO, Vec3::ONE]);
        expect_all_alike("nothing", &[]);
        expect_all_alike("all in one place", &[one; 40]);
        let points: Vec<Aabb> = (0..64).map(|i| Aabb::of([at((i % 4) as f32, 0.0, 0.0)])).collect();
        expect_all_alike("points on points", &points);
        // Faces that just touch, on both sides of zero, at the borders of cells.
        let bricks: Vec<Aabb> = (-4i32..4)
            .flat_map(|x| (-4i32..4).map(move |y| at(x as f32, y as f32, 0.0)))
            .map(|low| Aabb::of([low, low + Vec3::ONE]))
            .collect();
        expect_all_alike("bricks that touch", &bricks);
        let mut dust: Vec<Aabb> =
            (0..200).map(|i| Aabb::of([at(i as f32 * 0.01, 0.0, 0.0)]).grown(0.006)).collect();
        dust.push(Aabb::of([Vec3::splat(-100.0), Vec3::splat(100.0)]));
        dust.push(Aabb::of([at(1e6, 0.0, 0.0), at(1e6, 1.0, 1.0)]));
        dust.push(Aabb::of([at(-1e6, 0.0, 0.0), at(1e6, 0.0, 0.0)]));
        expect_all_alike("dust, a giant and one far away", &dust);
        let plane: Vec<Aabb> = (0..400)
            .map(|i| Aabb::of([at((i % 20) as f32, 3.0, (i / 20) as f32)]).grown(0.5))
            .collect();
        expect_all_alike("all in a plane", &plane);
    }

    /// Those that are in cells, and brute force to compare them with.
    const IN_CELLS: [&BroadPhase; 4] = [
        brute_force::BROAD_PHASE,
        hash::BROAD_PHASE,
        grid::BROAD_PHASE,
        grid_parallel::BROAD_PHASE,
    ];

    /// What a broad phase finds among boxes in groups.
    fn found(by: &BroadPhase, boxes: Boxes<'_>, threads: u32) -> Vec<[u32; 2]> {
        let (mut pool, mut pairs) = (Pool::default(), Vec::new());
        pool.resize(threads);
        search(by, boxes, (&pool, &mut Space::default()), &mut pairs);
        pairs
    }

    #[test]
    fn boxes_of_all_sizes_find_each_other() {
        let mut random = Random::new(3);
        for (least, octaves) in [(0.01, 12.0), (0.5, 1.0), (0.9, 0.3), (1e-3, 4.0)] {
            let boxes: Vec<Aabb> = (0..1500)
                .map(|_| {
                    let size = least * libm::exp2f(random.between(0.0, octaves));
                    let x = random.vector(5.0);
                    Aabb::of([x, x + random.vector(size)])
                })
                .collect();
            expect_all_alike(&format!("sizes from {least} m, over {octaves} octaves"), &boxes);
        }
    }

    #[test]
    fn a_fold_neither_hides_nor_repeats_a_pair() {
        let mut random = Random::new(4);
        // Most in one place, others in heaps so far away that their cells fall on the same places, and boxes that are
        // longer than what most boxes fill.
        for far in [7.0f32, 33.3, 1e3, 1e6] {
            let mut boxes: Vec<Aabb> = (0..1200)
                .map(|i| {
                    let heap =
                        Vec3::new((i % 13 / 11) as f32, (i % 17 / 15) as f32, (i % 19 / 17) as f32);
                    Aabb::of([heap * far + random.vector(4.0)]).grown(0.3)
                })
                .collect();
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let x = random.vector(3.0);
                boxes.extend([9.0, 70.0].map(|side| Aabb::of([x - axis * side, x + axis * side])));
            }
            expect_all_alike(&format!("heaps {far} m apart"), &boxes);
        }
    }

    #[test]
    fn thin_boxes_and_points_find_each_other() {
        let mut random = Random::new(5);
        for thickness in [0.0, 0.01] {
            let boxes: Vec<Aabb> = (0..900)
                .map(|i| {
                    let mut size = Vec3::splat(thickness);
                    size[i % 3] = random.between(0.0, 3.0);
                    let x = random.vector(1.0);
                    Aabb::of([x, x + size])
                })
                .collect();
            expect_all_alike(&format!("sticks of {thickness} m"), &boxes);
        }
        let mut corner = || libm::rintf(random.between(-6.0, 6.0));
        let points: Vec<Aabb> =
            (0..1000).map(|_| Aabb::of([Vec3::new(corner(), corner(), corner())])).collect();
        expect_all_alike("points in a cube", &points);
    }

    #[test]
    fn boxes_of_one_group_are_no_pair_unless_it_is_none() {
        let mut random = Random::new(6);
        let boxes: Vec<Aabb> =
            (0..700).map(|_| Aabb::of([random.vector(3.0)]).grown(0.3)).collect();
        let groups: Vec<u32> = (0..700).map(|i| [0, 1, 2, u32::MAX][i % 7 % 4]).collect();
        let all = found(brute_force::BROAD_PHASE, Boxes { boxes: &boxes, groups: &[] }, 1);
        let differ = |&[i, j]: &[u32; 2]| {
            groups[i as usize] != groups[j as usize] || groups[i as usize] == 0
        };
        let want: Vec<[u32; 2]> = all.iter().copied().filter(differ).collect();
        assert!(want.len() > 100 && want.len() < all.len(), "{} of {}", want.len(), all.len());
        for broad_phase in ALL {
            for threads in [1, 2, 5] {
                let found = found(broad_phase, Boxes { boxes: &boxes, groups: &groups }, threads);
                assert_eq!(found, want, "{} on {threads} threads", broad_phase.name);
            }
        }
    }

    #[test]
    fn boxes_that_are_not_finite_or_inside_out_spoil_no_others() {
        let mut random = Random::new(8);
        let mut boxes: Vec<Aabb> =
            (0..400).map(|_| Aabb::of([random.vector(2.0)]).grown(0.2)).collect();
        let (nan, inf) = (Vec3::NAN, Vec3::INFINITY);
        for (k, odd) in [
            Aabb { low: nan, high: nan },
            Aabb { low: Vec3::ZERO, high: Vec3::new(1.0, f32::NAN, 1.0) },
            Aabb { low: -inf, high: inf },
            Aabb { low: inf, high: inf },
            Aabb { low: Vec3::ZERO, high: Vec3::new(0.1, f32::INFINITY, 0.1) },
            Aabb::EMPTY,
            Aabb { low: Vec3::splat(f32::MIN), high: Vec3::splat(f32::MAX) },
            Aabb { low: Vec3::splat(f32::MAX), high: Vec3::splat(f32::MAX) },
            Aabb { low: Vec3::splat(0.05), high: Vec3::splat(-0.05) },
        ]
        .into_iter()
        .enumerate()
        {
            boxes.insert(k * 37, odd);
            let all = Boxes { boxes: &boxes, groups: &[] };
            let want = found(brute_force::BROAD_PHASE, all, 1);
            assert!(want.len() > 100, "{} pairs", want.len());
            for broad_phase in IN_CELLS {
                assert_eq!(found(broad_phase, all, 2), want, "{}, with {odd:?}", broad_phase.name);
            }
        }
        for odd in [nan, inf, -inf] {
            let alike = [Aabb { low: odd, high: odd }; 20];
            let all = Boxes { boxes: &alike, groups: &[] };
            let want = found(brute_force::BROAD_PHASE, all, 1);
            for broad_phase in IN_CELLS {
                assert_eq!(found(broad_phase, all, 2), want, "{}, at {odd}", broad_phase.name);
            }
        }
    }
}
