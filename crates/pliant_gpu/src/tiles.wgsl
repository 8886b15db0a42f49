// All colours of constraints, or several of them, in one dispatch. A workgroup loads the particles that
// it owns and all that they depend on, solves colour after colour in its own memory, kind after kind, and
// writes the particles that it owns. What neighbours need too is solved by both, from the same numbers in the
// same order: the result is that of one dispatch for each colour. What depends on a kind is in
// `tiles/kind.wgsl`; `shader.rs` puts them together, with numbers of the device (TILE_LANES, MOST_ROWS).
//
// Rows are read from one half of `xw` and written to the other, unless tiles depend on nothing but
// themselves. All that belongs to the constraints of a tile lies together, colour after colour: what neighbours
// share has a row in each, and so has its multiplier. In some rows there is nothing, so that constraints in a row
// of colours which share particles with each other and with no others are those of one lane.
//
// A head has: how many particles are the tile's own, how many there are; then, for each kind and each of its
// colours, the row of its first constraint, and the row after the last. The list of its particles follows, as long as
// the longest, so that it is read together with the head.

const BACK = 256u;        // from the second half of `xw` to the first
const CLOSED = 512u;      // nobody else reads the rows of a tile: they stay in the first half
const NOTHING = 0xffffffffu;

// A kind in a tile. Numbers of rows are the same for `lambda` and `slots`; the others have their own places.
struct Part {
    colors: u32,          // of the dispatch
    starts: u32,          // where a head has the rows of the first
    rest: u32,            // where `rest_values` would have those of row 0
    words: u32,           // where `tiles` would have the places of row 0
    hold: u32,            // where `hold` has those of slot 0
    unbroken_low: u32,    // a bit for each of the first 32 colours after which no lane waits for others
    unbroken_high: u32,   // and for the next 32
    list: u32,            // words of a head: then the particles of the tile follow
}

struct OfKind {
    project: Params_0,
    part: Part,
}

@group(1) @binding(0) var<uniform> of_kinds: array<OfKind, KINDS>;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(4) var<storage, read> rest_values: array<f32>;
@group(0) @binding(5) var<storage, read> hold: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> lambda: array<f32>;
@group(0) @binding(7) var<storage, read> tiles: array<u32>;

var<workgroup> rows_here: array<vec4f, MOST_ROWS>;

// Where a workgroup is among the rows of a kind.
struct Cursor {
    row: u32,
    end: u32,             // of the rows of the colour
    next: u32,            // where `tiles` has the end of the next colour
    last: u32,            // and of the last
}

fn cursor_at(head: u32, part: Part) -> Cursor {
    let first = head + part.starts;
    let last = first + part.colors;
    return Cursor(tiles[first], tiles[min(first + 1u, last)], first + 2u, last);
}

// On by as many rows as there are lanes, or to the next colour.
fn after(at: Cursor) -> Cursor {
    var next = at;
    next.row += TILE_LANES;
    if next.row >= at.end {
        next.row = at.end;
        next.end = tiles[min(at.next, at.last)];
        next.next++;
    }
    return next;
}

// Whether what a lane solves next has nothing to do with what others have solved.
fn goes_on(color: u32, part: Part) -> bool {
    let bits = select(part.unbroken_high, part.unbroken_low, color < 32u);
    return color < 64u && ((bits >> (color % 32u)) & 1u) != 0u;
}

@compute @workgroup_size(TILE_LANES)
fn project_tile(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    solve_tile(group.x, lane, false);
}

// The same by XPBD, on rows that are positions; where all constraints of a kind hold alike, and without dashpots,
// lanes need fewer registers, so that more tiles are solved at once.
@compute @workgroup_size(TILE_LANES)
fn project_plain_tile(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    solve_tile(group.x, lane, true);
}

fn solve_tile(group: u32, lane: u32, is_plain: bool) {
    // Here `count` is the length of a head with its list.
    let head = (of_kinds[0].project.first + group) * of_kinds[0].project.count;
    let list = head + of_kinds[0].part.list;
    let most = of_kinds[0].project.count - of_kinds[0].part.list;
    let mine = tiles[list + min(lane, most - 1u)];
    let owned = tiles[head];
    let all = tiles[head + 1u];
    BEGIN_KINDS
    let half = arrayLength(&xw) / 2u;
    let is_back = (of_kinds[0].project.flags & BACK) != 0u;
    let is_closed = (of_kinds[0].project.flags & CLOSED) != 0u;
    let origin = select(0u, half, is_back);
    let to = select(half, 0u, is_back || is_closed);
    // Four at once: one after the other, each would wait for memory twice.
    for (var k = lane; k < most; k += 4u * TILE_LANES) {
        var places: array<u32, 4>;
        var rows: array<vec4f, 4>;
        for (var j = 0u; j < 4u; j++) {
            places[j] = tiles[list + min(k + j * TILE_LANES, most - 1u)];
        }
        for (var j = 0u; j < 4u; j++) {
            rows[j] = xw[origin + places[j]];
        }
        for (var j = 0u; j < 4u; j++) {
            if k + j * TILE_LANES < all {
                rows_here[k + j * TILE_LANES] = rows[j];
            }
        }
    }
    workgroupBarrier();
    SOLVE_KINDS
    if lane < owned {
        xw[to + mine] = rows_here[lane];
    }
    for (var k = lane + TILE_LANES; k < owned; k += TILE_LANES) {
        xw[to + tiles[list + k]] = rows_here[k];
    }
}
