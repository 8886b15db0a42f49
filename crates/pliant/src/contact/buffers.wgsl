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

// Words of `state`.
const STALE = 0u;       // whether pairs must be looked for
const FARTHEST = 1u;    // how far a particle moves in this substep (m, as bits)
const AGE = 2u;         // substeps since the search
const LIFE = 3u;        // substeps that its pairs are for
const LEFT = 4u;        // substeps of the step that are left
const OLD = 5u;         // pairs of the search before
const PAIRS = 6u;       // what there is, whether or not it fits: pairs,
const TOUCHES = 7u;     // pairs that touch, in sweeps that are even,
const ENTRIES = 8u;     // boxes in cells,
const GIANTS = 9u;      // boxes in many cells,
const WRONG = 10u;      // pairs on their wrong side, and vertices that may be in a solid,
const MEETINGS = 11u;   // elements whose boxes overlap
const MOST = 12u;       // the most that there was of each of these six in this step
const SEARCHES = 18u;   // in this step
const CONTACTS = 19u;   // pairs that touched in the last substep
const DEEPEST = 20u;    // by how much a pair is too near (m, as bits)
const SHARE = 21u;      // the same over the distance that the pair ought to keep (as bits)
const WAYS_OUT = 22u;   // notes about vertices that are led out of solids: see tangle.wgsl
const ODD_TOUCHES = 23u; // pairs that touch, in the other sweeps
const STILL_IN = 24u;   // times that two solids were in each other at the search before
// Of each two solids that began in each other:
const ENTANGLED = 25u;  // how far the deepest vertex has to go (m, as bits); 0 if none is inside
const GONE = 26u;       // how far they have gone since the search (m, as bits), or APART
const ENTANGLED_STATE = 2u;

const APART = 0xffffffffu; // they have come apart

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
