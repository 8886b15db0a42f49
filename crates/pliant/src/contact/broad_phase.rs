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
pub mod grid;
pub mod grid_parallel;
pub mod hash;
pub mod kd_tree;
pub mod octree;
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

/// Their names, as a setting lists them.
pub(crate) const NAMES: &[&str] = &{
    let mut names = [""; ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ALL[i].name;
        i += 1;
    }
    names
};

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

    pub(crate) fn serialize<S: Serializer>(
        broad_phase: &&'static super::BroadPhase,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(broad_phase.name)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static super::BroadPhase, D::Error> {
        let name = String::deserialize(deserializer)?;
        super::find(&name).ok_or_else(|| D::Error::unknown_variant(&name, super::NAMES))
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

    /// Whether two boxes are a pair.
    #[inline(always)]
    fn pair(&self, i: u32, j: u32) -> bool {
        let group = |i: u32| self.groups.get(i as usize).copied().unwrap_or(0);
        self.boxes[i as usize].overlaps(&self.boxes[j as usize])
            && (group(i) == 0 || group(i) != group(j))
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
    parts: Vec<Vec<[u32; 2]>>,
    hash: hash::Table,
    cells: grid::Cells,
    octree: octree::Tree,
    kd_tree: kd_tree::Tree,
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
    pairs.clear();
    (by.find)(&mut Search { boxes, pool, space }, pairs);
}

/// Boxes that are worth a thread.
const GRAIN: usize = 128;
/// Into how many parts the boxes are cut, whatever the number of threads.
const PARTS: usize = 32;

/// Asks for the partners of every box, on all threads. `partners` pushes the pairs of box `i` with
/// those of higher numbers, in any order.
fn by_item(
    count: usize,
    (pool, parts): (&Pool, &mut Vec<Vec<[u32; 2]>>),
    pairs: &mut Vec<[u32; 2]>,
    partners: impl Fn(u32, &mut Vec<[u32; 2]>) + Sync,
) {
    parts.resize_with(PARTS, Vec::new);
    let grain = if count < 2 * GRAIN { PARTS } else { 1 };
    pool.for_rows((parts.as_mut_slice(),), grain, |first, (parts,)| {
        for (k, part) in parts.iter_mut().enumerate() {
            part.clear();
            for i in count * (first + k) / PARTS..count * (first + k + 1) / PARTS {
                let start = part.len();
                partners(i as u32, part);
                part[start..].sort_unstable();
            }
        }
    });
    parts.iter().for_each(|part| pairs.extend_from_slice(part));
}

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
}
