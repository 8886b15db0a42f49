// Several colours of constraints in one dispatch. A workgroup loads the particles that it owns and all
// that they depend on, solves colour after colour in its own memory, and writes the particles that it
// owns. What neighbours need too is solved by both, from the same numbers in the same order: the
// result is that of one dispatch for each colour. A kind's shader is its own file, `project.wgsl` and
// this one.
//
// Rows are read from one half of `xw` and written to the other, and so are multipliers.

const BACK = 256u;        // from the second half of `xw` to the first
const OLD_FIRST = 512u;   // the multipliers of the iteration before are in the first half of `lambda`
const TILE_LANES = 256u;
const MOST_ROWS = 1024u;
const HOME = 0x80000000u; // of a slot: this tile writes its multiplier
const WORDS = (N + 1) / 2;

@group(0) @binding(7) var<storage, read> tiles: array<u32>;

var<workgroup> rows_here: array<vec4f, MOST_ROWS>;

@compute @workgroup_size(TILE_LANES)
fn project_tile(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    if params.first + group.x >= params.end {
        return;
    }
    let place = tiles[params.first + group.x];
    let owned = tiles[place];
    let all = tiles[place + 1u];
    let colors = tiles[place + 2u];
    let half = arrayLength(&xw) / 2u;
    let to = select(half, 0u, (params.flags & BACK) != 0u);
    let first = place + 3u;
    for (var k = lane; k < all; k += TILE_LANES) {
        rows_here[k] = xw[half - to + tiles[first + k]];
    }
    workgroupBarrier();
    var list = first + all;
    for (var color = 0u; color < colors; color++) {
        let end = list + 1u + tiles[list] * (1u + u32(WORDS));
        for (var k = list + 1u + lane * (1u + u32(WORDS)); k < end;) {
            project_here(k);
            k += TILE_LANES * (1u + u32(WORDS));
        }
        list = end;
        workgroupBarrier();
    }
    for (var k = lane; k < owned; k += TILE_LANES) {
        xw[to + tiles[first + k]] = rows_here[k];
    }
}

// As `project`, on rows of the tile.
fn project_here(entry: u32) {
    let slot = tiles[entry] & ~HOME;
    var here: array<u32, N>;
    var rows: array<vec3f, N>;
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < u32(N); k++) {
        here[k] = (tiles[entry + 1u + k / 2u] >> (16u * (k % 2u))) & 0xffffu;
        let row = rows_here[here[k]];
        rows[k] = row.xyz;
        w[k] = row.w;
        x[k] = row.xyz;
        if (params.flags & CARRIED) != 0u {
            x[k] += predicted[ids[slot * u32(N) + k]].xyz;
        }
    }
    var rest: array<f32, P>;
    for (var p = 0u; p < u32(P); p++) {
        rest[p] = rest_values[p * params.count + slot];
    }
    let old_first = (params.flags & OLD_FIRST) != 0u;
    var old = 0.0;
    if (params.flags & FIRST_ITERATION) == 0u {
        old = lambda[slot + select(params.count, 0u, old_first)];
    }

    let e = eval(x, rest);
    var sum = 0.0;
    for (var k = 0u; k < u32(N); k++) {
        sum += w[k] * dot(e.grad[k], e.grad[k]);
    }
    let d_lambda = allowed(old + params.omega * change(slot, rows, e, old, sum)) - old;

    if (tiles[entry] & HOME) != 0u {
        lambda[slot + select(0u, params.count, old_first)] = old + d_lambda;
    }
    for (var k = 0u; k < u32(N); k++) {
        rows_here[here[k]] = vec4f(rows[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}
