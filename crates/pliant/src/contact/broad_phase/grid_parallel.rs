//! A uniform grid over all boxes, on all threads.

use super::{BroadPhase, grid};

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "grid_parallel",
    shows: "the same cells as grid, asked on all threads",
    find: |search, pairs| {
        let pool = search.pool;
        grid::fill_and_ask(search, pool, pairs);
    },
};
