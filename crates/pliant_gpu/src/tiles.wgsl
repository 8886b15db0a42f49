// All colours of constraints, or several of them, in one dispatch. A workgroup loads the particles that
// it owns and all that they depend on, solves colour after colour in its own memory, kind after kind, and
// writes the particles that it owns. What neighbours need too is solved by both, from the same numbers in the
// same order: the result is that of one dispatch for each colour. What depends on a kind is in
// `tiles/kind.wgsl`, what else they do at the end of a substep in `tiles/end.wgsl`; `shader.rs` puts them together,
// with numbers of the device (TILE_LANES, MOST_ROWS).
//
// Rows are read from one half of `xw` and written to the other, unless tiles depend on nothing but
// themselves. All that belongs to the constraints of a tile lies together, colour after colour: what neighbours
// share has a row in each, and so has its multiplier. In some rows there is nothing, so that constraints in a row
// of colours which share particles with each other and with no others are those of one lane.
//
// `tiles` has, one after the other: heads, each with the list of its particles; the places of constraints in their
// tiles, two in a word, kind after kind and row after row; the slot of the constraint in each row, of all kinds; rest
// values, row after row; and how constraints hold, four words for each slot or for all. CPU side: `tiles/columns.rs`.
//
// A head has: how many particles are the tile's own, how many there are; then, for each kind and each of its
// colours, the row of its first constraint, and the row after the last. The list of its particles follows, as long as
// the longest, so that it is read together with the head.

const BACK = 256u;        // from the second half of `xw` to the first
const CLOSED = 512u;      // nobody else reads the rows of a tile: they stay in the first half
const NOTHING = 0xffffffffu;

// A kind in a tile. Numbers of rows are the same for `lambda` and slots; the others have their own places.
struct Part {
    colors: u32,          // of the dispatch
    starts: u32,          // where a head has the rows of the first
    places: u32,          // where `tiles` would have the places of row 0
    rest: u32,            // where it would have the rest values of row 0
    hold: u32,            // where it has how constraints hold: those of slot 0
    unbroken_low: u32,    // a bit for each of the first 32 colours after which no lane waits for others
    unbroken_high: u32,   // and for the next 32
    pad: u32,
}

struct OfKind {
    project: Params_0,
    part: Part,
}

// What all kinds share.
struct Table {
    list: u32,            // words of a head: then the particles of the tile follow
    stride: u32,          // words of a head and its list
    slots: u32,           // where `tiles` has the slot of row 0
    pad: u32,
}

struct Given {
    kinds: array<OfKind, MOST_KINDS>,
    table: Table,
    STAGES
}

@group(1) @binding(0) var<uniform> given: Given;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, MOTION> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, MOTION> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> tiles: array<u32>;
@group(0) @binding(4) var<storage, read_write> lambda: array<f32>;

var<workgroup> rows_here: array<vec4f, MOST_ROWS>;

// How constraints hold, from where those of slot 0 are.
fn hold_of(first: u32, slot: u32) -> vec4f {
    let at = first + 4u * slot;
    return bitcast<vec4f>(vec4u(tiles[at], tiles[at + 1u], tiles[at + 2u], tiles[at + 3u]));
}

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

// What a workgroup solves, and where.
struct Tile {
    head: u32,            // where `tiles` has it
    list: u32,            // and its particles
    most: u32,            // particles of the longest list
    owned: u32,           // particles that are its own: the first ones
    all: u32,             // all that it needs
    origin: u32,          // where `xw` has the row of particle 0
    to: u32,              // and where it goes
}

fn tile_of(group: u32) -> Tile {
    let table = given.table;
    let head = (given.kinds[0].project.first + group) * table.stride;
    let half = arrayLength(&xw) / 2u;
    let is_back = (given.kinds[0].project.flags & BACK) != 0u;
    let is_closed = (given.kinds[0].project.flags & CLOSED) != 0u;
    let origin = select(0u, half, is_back);
    let to = select(half, 0u, is_back || is_closed);
    let most = table.stride - table.list;
    return Tile(head, head + table.list, most, tiles[head], tiles[head + 1u], origin, to);
}

// The particle in a place of a tile; of its last one beyond the list.
fn particle_at(tile: Tile, place: u32) -> u32 {
    return tiles[tile.list + min(place, tile.most - 1u)];
}

@compute @workgroup_size(TILE_LANES)
fn project_tile(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let tile = tile_of(group.x);
    let mine = particle_at(tile, lane);
    solve_tile(tile, lane, false);
    keep_rows(tile, lane, mine);
}

// The same by XPBD, on rows that are positions; where all constraints of a kind hold alike, and without dashpots,
// lanes need fewer registers, so that more tiles are solved at once.
@compute @workgroup_size(TILE_LANES)
fn project_plain_tile(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = tile_of(group.x);
    let mine = particle_at(tile, lane);
    solve_tile(tile, lane, true);
    keep_rows(tile, lane, mine);
}

// Solves all colours on `rows_here`.
fn solve_tile(tile: Tile, lane: u32, is_plain: bool) {
    let head = tile.head;
    BEGIN_KINDS
    // Four at once: one after the other, each would wait for memory twice.
    for (var k = lane; k < tile.most; k += 4u * TILE_LANES) {
        var places: array<u32, 4>;
        var rows: array<vec4f, 4>;
        for (var j = 0u; j < 4u; j++) {
            places[j] = particle_at(tile, k + j * TILE_LANES);
        }
        for (var j = 0u; j < 4u; j++) {
            rows[j] = xw[tile.origin + places[j]];
        }
        for (var j = 0u; j < 4u; j++) {
            if k + j * TILE_LANES < tile.all {
                rows_here[k + j * TILE_LANES] = rows[j];
            }
        }
    }
    workgroupBarrier();
    SOLVE_KINDS
}

// Writes what is the tile's own; `mine` is the particle in the lane's first place.
fn keep_rows(tile: Tile, lane: u32, mine: u32) {
    if lane < tile.owned {
        xw[tile.to + mine] = rows_here[lane];
    }
    for (var k = lane + TILE_LANES; k < tile.owned; k += TILE_LANES) {
        xw[tile.to + tiles[tile.list + k]] = rows_here[k];
    }
}
