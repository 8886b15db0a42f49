//! A tree of boxes.

use super::{BroadPhase, Search};

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "bvh_boxes",
    shows: "a tree of boxes, halved along their longest side; good for boxes of any size",
    find,
};

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    search.space.bvh.refill(boxes.boxes);
    let tree = &search.space.bvh;
    search.space.rows.by_item(&tree.items, (search.pool, pairs), |i, sink| {
        let one = &boxes.boxes[i as usize];
        let overlaps = |node: usize| tree.nodes[node].bounds.overlaps(one);
        tree.leaves(overlaps, |items| {
            sink.extend(items.iter().copied().filter(|&j| j > i && boxes.pair(i, j)));
        });
    });
}
