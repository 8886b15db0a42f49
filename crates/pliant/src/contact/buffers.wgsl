// What the shaders of contact share: their parameters, a pair, and the words that say how many there
// are of what. CPU twin: buffers.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    flags: u32,             // CARRIED | FIRST_ITERATION | AGAIN | ODD
    h: f32,                 // s
    max_depenetration: f32, // m/s
    rest_speed: f32,        // m/s
    per_cell: f32,          // cells of the grid in a metre
    least_edge: f32,        // the shortest mean edge of a body (m)
    substeps: u32,
    particles: u32,
    elements: u32,
    bodies: u32,
    buckets: u32,           // of the grid: a power of two
    entry_room: u32,        // how many fit into the buffers: boxes in cells,
    pair_room: u32,         // pairs,
    touch_room: u32,        // pairs that touch,
    giant_room: u32,        // boxes in many cells,
    wrong_room: u32,        // pairs on their wrong side,
    meeting_room: u32,      // elements whose boxes overlap
    entangled: u32,         // times that two solids began in each other
}

const FIRST_ITERATION = 1u; // loads start from 0
const AGAIN = 2u;           // all pairs were looked at in this iteration
const CARRIED = 4u;         // rows are displacements from `predicted`
const ODD = 8u;             // every second sweep over pairs

// Where the row of two solids is in what can touch: both bodies, their particles, the way of the first.
const ENTANGLED_WORDS = 12u;

fn entangled_at(two: u32) -> u32 {
    let elements_at = 8u * params.particles + 4u * params.bodies;
    return elements_at + 8u * params.elements + ENTANGLED_WORDS * two;
}

struct Pair {
    ids: vec4u,             // its particles; the two highest bits of the first are its kind
    distance: f32,          // how near its parties may come (m)
    friction: f32,
    restitution: f32,
    load: f32,              // its sign is the side; its size what has pushed them apart (kg m), or IDLE
}

const ID = 0x3fffffffu;     // of the first of `ids`: the particle
const KIND = 30u;           // how far its kind is shifted

// The load of a pair that does not touch, in size: below all that pushes. A GPU may take the smallest
// numbers for 0, and not always, so that only the signs of loads and sides are multiplied.
const IDLE = 1e-30;
// The load of one that is far from touching, in size.
const FAR = 5e-31;
// The load of a pair that touches and slides, in size.
const SLIDES = 2e-30;

fn ids_of(pair: Pair) -> vec4u {
    return vec4u(pair.ids.x & ID, pair.ids.yzw);
}
