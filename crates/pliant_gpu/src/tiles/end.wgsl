// The end of a substep where tiles are solved: the last dispatch of them has the particles that a tile owns where
// constraints leave them, so what follows is done before they are written. After `tiles.wgsl` and the stages, whose
// `params` are in `given`. As `collide`, `correct` and the others in `velocity.wgsl`, whose results these have.
//
// Others read the rows of a tile where they were, not where it writes them; predictions, velocities and contacts
// of a particle nobody else reads: where constraints need them, no tile ends a substep.

@group(0) @binding(5) var<storage, read> traits: array<Trait>;
@group(0) @binding(6) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(7) var<storage, read_write> colliders: array<Collider>;

// Forces act between substeps, so none of these is read.
var<private> acceleration: array<vec4f, 1>;

fn collided(i: u32, row: vec4f) -> vec4f {
    if COLLIDES {
        return collide_one(i, row);
    }
    return row;
}

// At the end of an iteration that is not the last.
@compute @workgroup_size(TILE_LANES)
fn project_and_collide(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = tile_of(group.x);
    var i = solve_tile(tile, lane);
    for (var k = lane; k < owned_here(); k += TILE_LANES) {
        xw[tile.to + i] = collided(i, rows_here[k]);
        i = particle_at(tile, k + TILE_LANES);
    }
}

// At the end of a substep.
@compute @workgroup_size(TILE_LANES)
fn project_and_correct(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = tile_of(group.x);
    var i = solve_tile(tile, lane);
    for (var k = lane; k < owned_here(); k += TILE_LANES) {
        let corrected = correct_one(i, collided(i, rows_here[k]));
        xw[tile.to + i] = corrected.row;
        v[i] = corrected.velocity;
        i = particle_at(tile, k + TILE_LANES);
    }
}

// At the end of a substep that another follows at once.
@compute @workgroup_size(TILE_LANES)
fn project_correct_and_predict(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = tile_of(group.x);
    var i = solve_tile(tile, lane);
    for (var k = lane; k < owned_here(); k += TILE_LANES) {
        let corrected = correct_one(i, collided(i, rows_here[k]));
        xw[tile.to + i] = predict_one(i, corrected.row, corrected.velocity);
        i = particle_at(tile, k + TILE_LANES);
    }
}
