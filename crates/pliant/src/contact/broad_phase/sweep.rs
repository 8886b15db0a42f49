//! Sweep and prune: boxes in the order in which they begin along an axis.

use super::{BroadPhase, Search, by_item};
use crate::mesh::Aabb;

/// See [`BROAD_PHASE`].
///
/// Cohen et al. 1995, "I-COLLIDE: An Interactive and Exact Collision Detection System for
/// Large-Scale Environments".
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "sweep",
    shows: "boxes in the order in which they begin along the longest axis; good for long rows",
    find,
};

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    let spread = Aabb::of(boxes.boxes.iter().map(|b| b.low)).size();
    let axis = spread.max_position();
    let low = |i: u32| boxes.boxes[i as usize].low[axis];
    let order = &mut search.space.order;
    order.clear();
    order.extend(0..boxes.len() as u32);
    order.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
    let order = &*order;
    by_item(boxes.len(), (search.pool, &mut search.space.parts), pairs, |at, out| {
        let i = order[at as usize];
        let end = boxes.boxes[i as usize].high[axis];
        let after = order[at as usize + 1..].iter().take_while(|&&j| low(j) <= end);
        let found = after.filter(|&&j| boxes.pair(i, j));
        out.extend(found.map(|&j| [i.min(j), i.max(j)]));
    });
    pairs.sort_unstable();
}
