//! Looks at every two boxes.

use super::{BroadPhase, Search, by_item};

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "brute_force",
    shows: "looks at every two boxes; what the others are tested against",
    find,
};

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let (boxes, count) = (search.boxes, search.boxes.len());
    by_item(count, (search.pool, &mut search.space.parts), pairs, |i, out| {
        out.extend((i + 1..count as u32).filter(|&j| boxes.pair(i, j)).map(|j| [i, j]));
    });
}
