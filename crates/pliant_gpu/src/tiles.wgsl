// All colours of constraints, or several of them, in one dispatch. A workgroup loads the particles that
// it owns and all that they depend on, solves colour after colour in its own memory, kind after kind, and
// writes the particles that it owns. What neighbours need too is solved by both, from the same numbers in the
// same order: the result is that of one dispatch for each colour. What depends on a kind is in
// `tiles/kind.wgsl`, what else they do at the end of a substep in `tiles/end.wgsl`, and how some take all substeps in
// `tiles/whole.wgsl`; `shader.rs` puts them together, with numbers of the device (TILE_LANES, MOST_ROWS, ROWS_OF_LANE,
// MOST_HEAD) and how constraints are solved (IS_PLAIN: by XPBD, on rows that are positions; IS_ONCE: in one iteration).
//
// Rows are read from one half of `xw` and written to the other, unless tiles depend on nothing but
// themselves. All that belongs to the constraints of a tile lies together, colour after colour: what neighbours
// share has a row in each, and so has its multiplier.
//
// `tiles` has, one after the other: heads, each with the list of its particles; the slot of the constraint in each
// row, of all kinds; kind after kind the rows, each with the places of its particles in the tile, two in a word, and
// its rest values; and how constraints hold, four words for each slot or for all. CPU side: `tiles/columns.rs`.
//
// A head has: how many particles are the tile's own, how many there are; then, for each kind and each of its
// steps, the row of its first constraint, and the row after the last. A step is a colour, or as much of it as there
// are lanes; all tiles of a dispatch have the same ones, some without constraints. The list of its particles follows, as
// long as the longest, so that it is read together with the head.

const BACK = 256u;        // from the second half of `xw` to the first
const CLOSED = 512u;      // nobody else reads the rows of a tile: they stay in the first half
const NOTHING = 0xffffffffu;

// A kind in a tile. Numbers of rows are the same for `lambda` and slots; what a row has lies in its own place.
struct Part {
    steps: u32,           // of the dispatch
    starts: u32,          // where a head has the row of the first constraint
    rows: u32,            // where `tiles` would have row 0
    hold: u32,            // where it has how constraints hold: those of slot 0
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
    iterations: u32,      // that tiles take by themselves, in each of so many substeps
    substeps: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
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
var<workgroup> head_here: array<u32, MOST_HEAD>;

// How constraints hold, from where those of slot 0 are.
fn hold_of(first: u32, slot: u32) -> vec4f {
    let at = first + 4u * slot;
    return bitcast<vec4f>(vec4u(tiles[at], tiles[at + 1u], tiles[at + 2u], tiles[at + 3u]));
}

// The rows of a step.
struct Cursor {
    row: u32,
    end: u32,
    next: u32,            // where the head has the end of the next step
    last: u32,            // and of the last
}

fn first_of(part: Part) -> Cursor {
    let first = part.starts;
    let last = first + part.steps;
    return Cursor(head_here[first], head_here[min(first + 1u, last)], first + 2u, last);
}

// The next step; after the last, without rows.
fn after(at: Cursor) -> Cursor {
    return Cursor(at.end, head_here[min(at.next, at.last)], at.next + 1u, at.last);
}

// What a workgroup solves, and where.
struct Tile {
    head: u32,            // where `tiles` has it
    list: u32,            // and its particles
    most: u32,            // particles of the longest list
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
    return Tile(head, head + table.list, table.stride - table.list, origin, to);
}

// Particles that are the tile's own: the first ones.
fn owned_here() -> u32 {
    return head_here[0];
}

// The particle in a place of a tile; of its last one beyond the list.
fn particle_at(tile: Tile, place: u32) -> u32 {
    return tiles[tile.list + min(place, tile.most - 1u)];
}

@compute @workgroup_size(TILE_LANES)
fn project_tile(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let tile = tile_of(group.x);
    let mine = solve_tile(tile, lane);
    keep_rows(tile, lane, mine);
}

// Solves all colours on `rows_here`; gives the particle in the lane's first place. What does not wait for other
// memory is read together: first the head and the list, then rows and the first constraints.
fn solve_tile(tile: Tile, lane: u32) -> u32 {
    var places: array<u32, ROWS_OF_LANE>;
    for (var j = 0u; j < ROWS_OF_LANE; j++) {
        places[j] = particle_at(tile, lane + j * TILE_LANES);
    }
    if lane < given.table.list {
        head_here[lane] = tiles[tile.head + lane];
    }
    workgroupBarrier();
    var rows: array<vec4f, ROWS_OF_LANE>;
    for (var j = 0u; j < ROWS_OF_LANE; j++) {
        rows[j] = xw[tile.origin + places[j]];
    }
    BEGIN_KINDS
    for (var j = 0u; j < ROWS_OF_LANE; j++) {
        if lane + j * TILE_LANES < head_here[1] {
            rows_here[lane + j * TILE_LANES] = rows[j];
        }
    }
    workgroupBarrier();
    let is_first = (given.kinds[0].project.flags & FIRST_ITERATION_0) != 0u;
    SOLVE_KINDS
    return places[0];
}

// Writes what is the tile's own; `mine` is the particle in the lane's first place.
fn keep_rows(tile: Tile, lane: u32, mine: u32) {
    let owned = owned_here();
    if lane < owned {
        xw[tile.to + mine] = rows_here[lane];
    }
    for (var k = lane + TILE_LANES; k < owned; k += TILE_LANES) {
        xw[tile.to + particle_at(tile, k)] = rows_here[k];
    }
}
