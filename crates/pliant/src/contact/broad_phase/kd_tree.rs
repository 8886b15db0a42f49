//! A k-d tree: space is cut in two, again and again.

use super::{BroadPhase, Search};
use crate::mesh::Aabb;

/// See [`BROAD_PHASE`].
///
/// Boxes that a cut goes through stay with it. Bentley 1975, "Multidimensional Binary Search Trees
/// Used for Associative Searching".
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "kd_tree",
    shows: "space cut in two at the middle box, along its longest side, again and again",
    find,
};

/// Most boxes of a part that is not cut.
const LEAF: usize = 8;

/// A part of space.
#[derive(Clone, Copy, Debug)]
struct Part {
    axis: usize,
    cut: f32,
    /// The boxes that the cut goes through; of a leaf, all.
    own: [u32; 2],
    /// The parts below and above the cut; 0 for none, since the root is nobody's part.
    sides: [u32; 2],
}

/// The tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    parts: Vec<Part>,
    items: Vec<u32>,
    middles: Vec<f32>,
}

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    let tree = &mut search.space.kd_tree;
    tree.parts.clear();
    tree.items.clear();
    tree.items.extend(0..boxes.len() as u32);
    if boxes.len() > 0 {
        tree.build(boxes.boxes, 0, boxes.len());
    }
    let tree = &search.space.kd_tree;
    search.space.rows.by_item(&tree.items, (search.pool, pairs), |i, sink| {
        let one = &boxes.boxes[i as usize];
        tree.visit(0, one, &mut |items| {
            sink.extend(items.iter().copied().filter(|&j| j > i && boxes.pair(i, j)));
        });
    });
}

impl Tree {
    fn build(&mut self, boxes: &[Aabb], start: usize, end: usize) -> u32 {
        let index = self.parts.len();
        let own = [start as u32, end as u32];
        self.parts.push(Part { axis: 0, cut: 0.0, own, sides: [0, 0] });
        if end - start <= LEAF {
            return index as u32;
        }
        let middle = |i: u32| boxes[i as usize].low + boxes[i as usize].high;
        let spread = Aabb::of(self.items[start..end].iter().map(|&i| middle(i))).size();
        let axis = spread.max_position();
        self.middles.clear();
        self.middles.extend(self.items[start..end].iter().map(|&i| middle(i)[axis]));
        let half = self.middles.len() / 2;
        let cut = *self.middles.select_nth_unstable_by(half, f32::total_cmp).1 / 2.0;
        let side = |i: u32| {
            let one = &boxes[i as usize];
            u8::from(one.high[axis] < cut) + 2 * u8::from(one.low[axis] > cut)
        };
        self.items[start..end].sort_unstable_by_key(|&i| (side(i), i));
        let ends: [usize; 2] = std::array::from_fn(|k| {
            start + self.items[start..end].partition_point(|&i| side(i) <= k as u8)
        });
        if ends[0] == end {
            return index as u32; // the cut goes through all
        }
        let own = [start as u32, ends[0] as u32];
        let ranges = [(ends[0], ends[1]), (ends[1], end)];
        let sides = ranges.map(|(a, b)| if a < b { self.build(boxes, a, b) } else { 0 });
        self.parts[index] = Part { axis, cut, own, sides };
        index as u32
    }

    fn visit(&self, part: u32, one: &Aabb, found: &mut impl FnMut(&[u32])) {
        let Part { axis, cut, own, sides } = self.parts[part as usize];
        found(&self.items[own[0] as usize..own[1] as usize]);
        if sides[0] > 0 && one.low[axis] < cut {
            self.visit(sides[0], one, found);
        }
        if sides[1] > 0 && one.high[axis] > cut {
            self.visit(sides[1], one, found);
        }
    }
}
