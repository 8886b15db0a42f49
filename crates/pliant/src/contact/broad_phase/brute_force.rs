//! Looks at every two boxes.

use super::{BroadPhase, Search};

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "brute_force",
    shows: "looks at every two boxes; what the others are tested against",
    find,
};

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let (boxes, count) = (search.boxes, search.boxes.len() as u32);
    let order = &mut search.space.order;
    order.clear();
    order.extend(0..count);
    search.space.rows.by_item(order, (search.pool, pairs), |i, sink| {
        sink.extend((i + 1..count).filter(|&j| boxes.pair(i, j)));
    });
}
