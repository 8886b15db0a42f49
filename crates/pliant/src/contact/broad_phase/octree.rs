//! An octree: cubes in cubes, each with the boxes that are too large for its parts.

use glam::Vec3;

use super::{BroadPhase, Search};
use crate::mesh::Aabb;

/// See [`BROAD_PHASE`].
///
/// A box belongs to the smallest cube that its middle is in and that is not smaller than it; the
/// bounds of a cube are those of its boxes, so that none is cut. Ulrich 2000, "Loose Octrees".
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "octree",
    shows: "cubes in cubes, each with the boxes too large for its parts; good for mixed sizes",
    find,
};

/// Most boxes of a cube that is not divided.
const LEAF: usize = 8;
/// Deepest division: 2⁻²⁰ of the whole.
const DEEPEST: u32 = 20;

/// A cube.
#[derive(Clone, Copy, Debug)]
struct Cube {
    bounds: Aabb,
    /// Its own boxes, without those of its parts.
    own: [u32; 2],
    /// Its parts: the first, and where the last ends. They may be none.
    parts: [u32; 2],
}

/// The tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    cubes: Vec<Cube>,
    items: Vec<u32>,
    /// Where cubes still to be divided begin and end among the items, and how they lie.
    waiting: Vec<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    cube: usize,
    end: usize,
    low: Vec3,
    side: f32,
    depth: u32,
}

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    search.space.octree.fill(boxes.boxes);
    let tree = &search.space.octree;
    search.space.rows.by_item(&tree.items, (search.pool, pairs), |i, sink| {
        let one = &boxes.boxes[i as usize];
        tree.visit(0, one, &mut |items| {
            sink.extend(items.iter().copied().filter(|&j| j > i && boxes.pair(i, j)));
        });
    });
}

impl Tree {
    fn fill(&mut self, boxes: &[Aabb]) {
        self.cubes.clear();
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        if boxes.is_empty() {
            return;
        }
        let all = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::join);
        let (low, side) = (all.low, all.size().max_element());
        self.push(boxes, 0, boxes.len());
        self.waiting.push(Waiting { cube: 0, end: boxes.len(), low, side, depth: 0 });
        while let Some(next) = self.waiting.pop() {
            self.divide(boxes, next);
        }
    }

    fn push(&mut self, boxes: &[Aabb], start: usize, end: usize) {
        let items = self.items[start..end].iter();
        let bounds = items.fold(Aabb::EMPTY, |all, &i| all.join(boxes[i as usize]));
        let own = [start as u32, end as u32];
        self.cubes.push(Cube { bounds, own, parts: [0, 0] });
    }

    /// Sorts the boxes of a cube: first its own, then those of each part.
    fn divide(&mut self, boxes: &[Aabb], Waiting { cube, end, low, side, depth }: Waiting) {
        let start = self.cubes[cube].own[0] as usize;
        if end - start <= LEAF || depth == DEEPEST {
            return;
        }
        let half = side / 2.0;
        let middle = low + half;
        // 0 for its own; one more than the octant for others.
        let part = |i: u32| {
            let Aabb { low, high } = boxes[i as usize];
            let above = (low + high).cmpgt(middle * 2.0);
            if (high - low).max_element() > half { 0 } else { above.bitmask() + 1 }
        };
        self.items[start..end].sort_unstable_by_key(|&i| (part(i), i));
        let ends: [usize; 9] = std::array::from_fn(|k| {
            start + self.items[start..end].partition_point(|&i| part(i) <= k as u32)
        });
        self.cubes[cube].own[1] = ends[0] as u32;
        let first = self.cubes.len();
        for octant in 0..8u32 {
            let range = [ends[octant as usize], ends[octant as usize + 1]];
            if range[0] == range[1] {
                continue;
            }
            let corner = Vec3::from_array([0, 1, 2].map(|k| (octant >> k & 1) as f32)) * half;
            let (low, depth) = (low + corner, depth + 1);
            let cube = self.cubes.len();
            self.waiting.push(Waiting { cube, end: range[1], low, side: half, depth });
            self.push(boxes, range[0], range[1]);
        }
        self.cubes[cube].parts = [first as u32, self.cubes.len() as u32];
    }

    fn visit(&self, cube: usize, one: &Aabb, found: &mut impl FnMut(&[u32])) {
        let Some(cube) = self.cubes.get(cube).filter(|cube| cube.bounds.overlaps(one)) else {
            return;
        };
        found(&self.items[cube.own[0] as usize..cube.own[1] as usize]);
        (cube.parts[0]..cube.parts[1]).for_each(|part| self.visit(part as usize, one, found));
    }
}
