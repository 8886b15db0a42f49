// All colours of constraints, or several of them, in one dispatch. A workgroup loads the particles that
// it owns and all that they depend on, solves colour after colour in its own memory, and writes the
// particles that it owns. What neighbours need too is solved by both, from the same numbers in the same
// order: the result is that of one dispatch for each colour. A kind's shader is its own file,
// `project.wgsl`, numbers of the kind and the device (WORDS, TILE_LANES, MOST_ROWS), and this one.
//
// Rows are read from one half of `xw` and written to the other, unless tiles depend on nothing but
// themselves. All that belongs to the constraints of a
// tile lies together, colour after colour, and two constraints of a lane are read while the colour before is
// solved: what neighbours share has a row in each, and so has its multiplier.
//
// A head has: where the tile's particles are listed, how many of them are its own, how many there are,
// where the places of constraints begin; then, for each colour, the row of its first constraint, and the
// row after the last.

const BACK = 256u;        // from the second half of `xw` to the first
const CLOSED = 512u;      // nobody else reads the rows of a tile: they stay in the first half
const NOTHING = 0xffffffffu;

@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(7) var<storage, read> tiles: array<u32>;

var<workgroup> rows_here: array<vec4f, MOST_ROWS>;

// A constraint of a tile.
struct Entry {
    row: u32,                    // of `rest_values`, `lambda` and `slots`; NOTHING for none
    places: array<u32, WORDS>,   // of its particles in the tile, two in a word
    rest: array<f32, P>,
    old: f32,                    // its multiplier
}

@compute @workgroup_size(TILE_LANES)
fn project_tile(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    solve_tile(group.x, lane, false);
}

// The same where all constraints hold alike, by XPBD without dashpots, on rows that are positions: lanes need
// fewer registers, so that more tiles are solved at once.
@compute @workgroup_size(TILE_LANES)
fn project_plain_tile(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    solve_tile(group.x, lane, true);
}

fn solve_tile(group: u32, lane: u32, is_plain: bool) {
    // Here `count` is the length of a head.
    let head = (params.first + group) * params.count;
    let first = tiles[head];
    let owned = tiles[head + 1u];
    let all = tiles[head + 2u];
    let words = tiles[head + 3u];
    var start = tiles[head + 4u];
    var end = tiles[head + 5u];
    var soon = read_entry(start + lane, end, words);
    var later = read_entry(start + TILE_LANES + lane, end, words);
    let alike = hold[0]; // where all constraints hold alike
    let half = arrayLength(&xw) / 2u;
    let is_back = (params.flags & BACK) != 0u;
    let is_closed = (params.flags & CLOSED) != 0u;
    let origin = select(0u, half, is_back);
    let to = select(half, 0u, is_back || is_closed);
    for (var k = lane; k < all; k += TILE_LANES) {
        rows_here[k] = xw[origin + tiles[first + k]];
    }
    workgroupBarrier();
    for (var color = 6u; color <= params.count; color++) {
        let now = soon;
        let then = later;
        let next = tiles[head + min(color, params.count - 1u)];
        soon = read_entry(end + lane, next, words);
        later = read_entry(end + TILE_LANES + lane, next, words);
        project_here(now, first, alike, is_plain);
        project_here(then, first, alike, is_plain);
        for (var row = start + 2u * TILE_LANES + lane; row < end; row += TILE_LANES) {
            project_here(read_entry(row, end, words), first, alike, is_plain);
        }
        start = end;
        end = next;
        workgroupBarrier();
    }
    for (var k = lane; k < owned; k += TILE_LANES) {
        xw[to + tiles[first + k]] = rows_here[k];
    }
}

fn read_entry(row: u32, end: u32, words: u32) -> Entry {
    var entry: Entry;
    entry.row = NOTHING;
    if row < end {
        entry.row = row;
        for (var word = 0u; word < WORDS; word++) {
            entry.places[word] = tiles[words + row * WORDS + word];
        }
        for (var p = 0u; p < P; p++) {
            entry.rest[p] = rest_values[row * u32(P) + p];
        }
        if (params.flags & FIRST_ITERATION) == 0u {
            entry.old = lambda[row];
        }
    }
    return entry;
}

// As `project`, on rows of the tile.
fn project_here(entry: Entry, first: u32, alike: vec4f, is_plain: bool) {
    if entry.row == NOTHING {
        return;
    }
    var held = alike;
    if !is_plain && params.hold_mask != 0u {
        held = hold[slots[entry.row] & 0x7fffffffu];
    }
    let is_carried = !is_plain && (params.flags & CARRIED) != 0u;
    var here: array<u32, N>;
    var particles: array<u32, N>;
    var rows: array<vec3f, N>;
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        here[k] = (entry.places[k / 2u] >> (16u * (k % 2u))) & 0xffffu;
        let row = rows_here[here[k]];
        rows[k] = row.xyz;
        w[k] = row.w;
        x[k] = row.xyz;
        if is_carried || (!is_plain && held.y > 0.0) {
            particles[k] = tiles[first + here[k]];
        }
        if is_carried {
            x[k] += predicted[particles[k]].xyz;
        }
    }
    let old = entry.old;

    let e = eval(x, entry.rest);
    let sum = weighted_gradient(e.grad, w);
    var by: f32;
    if is_plain {
        let alpha = held.x / (params.h * params.h);
        by = div_or_zero(-e.c - alpha * old, sum + alpha);
    } else {
        by = change(held, particles, rows, e, vec2f(old, sum));
    }
    let d_lambda = allowed(old, params.omega * by);

    lambda[entry.row] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        rows_here[here[k]] = vec4f(rows[k] + e.grad[k] * (w[k] * d_lambda), w[k]);
    }
}
