// All iterations of a substep in one dispatch, or of all substeps where they follow each other at once: for tiles that
// depend on nothing but themselves. Rows stay where they are solved until the last is done. After `tiles.wgsl`, the
// stages and `end.wgsl`, instead of the entry points there, with the same results.

@compute @workgroup_size(TILE_LANES)
fn take_substeps(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = tile_of(group.x);
    load_tile(tile, lane);
    let table = given.table;
    for (var substep = 0u; substep < table.substeps; substep++) {
        for (var iteration = 0u; iteration < table.iterations; iteration++) {
            solve_again(tile, lane, iteration == 0u);
            if COLLIDES && iteration + 1u < table.iterations {
                collide_here(tile, lane);
            }
        }
        end_here(tile, lane, substep + 1u < table.substeps);
    }
    keep_rows(tile, lane, particle_at(tile, lane));
}

fn load_tile(tile: Tile, lane: u32) {
    if lane < given.table.list {
        head_here[lane] = tiles[tile.head + lane];
    }
    workgroupBarrier();
    for (var k = lane; k < head_here[1]; k += TILE_LANES) {
        rows_here[k] = xw[tile.origin + particle_at(tile, k)];
    }
    workgroupBarrier();
}

// Solves all colours on rows that are loaded.
fn solve_again(tile: Tile, lane: u32, is_first: bool) {
    BEGIN_KINDS
    SOLVE_KINDS
}

fn collide_here(tile: Tile, lane: u32) {
    for (var k = lane; k < owned_here(); k += TILE_LANES) {
        rows_here[k] = collided(particle_at(tile, k), rows_here[k]);
    }
    workgroupBarrier();
}

// The end of a substep, and the beginning of the next one, whose constraints may look at predictions and velocities.
fn end_here(tile: Tile, lane: u32, goes_on: bool) {
    for (var k = lane; k < owned_here(); k += TILE_LANES) {
        let i = particle_at(tile, k);
        let corrected = correct_one(i, collided(i, rows_here[k]));
        if goes_on {
            rows_here[k] = predict_one(i, corrected.row, corrected.velocity);
        } else {
            rows_here[k] = corrected.row;
            v[i] = corrected.velocity;
        }
    }
    storageBarrier();
    workgroupBarrier();
}
