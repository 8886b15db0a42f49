//! A uniform grid over all boxes, on all threads.

use super::{BroadPhase, cells, grid};

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "grid_parallel",
    shows: "the same cells as grid, filled and asked on all threads",
    find: |search, pairs| {
        let pool = search.pool;
        cells::find(search, pool, grid::GROUND, pairs);
    },
};
