// Which candidates must a substep look at? Here: how many lanes the dispatches over them have, so that
// nothing comes back to the CPU within a step. CPU twin: narrow.rs

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> sizes: array<u32>; // three words for each dispatch

// Places in `sizes`.
const OVER_OLD = 0u;        // elements and pairs of the search before, if there is a new one
const OVER_PARTICLES = 1u;  // particles and buckets, if there is a search
const OVER_ELEMENTS = 2u;   // elements, if there is a search
const OVER_BUCKETS = 3u;    // buckets, if there is a search
const OVER_PAIRS = 4u;
const OVER_TOUCHES = 5u;
const OVER_NEW = 6u;        // pairs, if there was a search
const OVER_MEETINGS = 7u;   // the parts of elements whose boxes overlap, if there is a search

// Edges that the fastest may pass until the next search; see detect.rs.
const FARTHEST_EDGES = 4.0;
// Lanes over pairs that touch, at most: there are rarely more of them.
const MOST_TOUCHING = 16384u;
// Workgroups of a dispatch at most, on every WebGPU. Lanes go on to the next rows then.
const MOST_GROUPS = 65535u;

fn aim(place: u32, lanes: u32) {
    sizes[3u * place] = min((lanes + LANES - 1u) / LANES, MOST_GROUPS);
    sizes[3u * place + 1u] = 1u;
    sizes[3u * place + 2u] = 1u;
}

fn note(word: u32) {
    atomicMax(&state[MOST + word - PAIRS], atomicLoad(&state[word]));
}

// A step begins: it searches, so that it depends on nothing but the state.
@compute @workgroup_size(1)
fn open() {
    atomicStore(&state[LIFE], 0u);
    atomicStore(&state[LEFT], params.substeps);
    atomicStore(&state[SEARCHES], 0u);
    atomicStore(&state[TOUCHES], 0u);
    atomicStore(&state[DEEPEST], 0u);
    atomicStore(&state[SHARE], 0u);
    for (var k = 0u; k < 6u; k++) {
        atomicStore(&state[MOST + k], 0u);
    }
}

// Is there a search, and for how many substeps?
@compute @workgroup_size(1)
fn decide() {
    let age = atomicLoad(&state[AGE]) + 1u;
    let is_due = atomicLoad(&state[STALE]) != 0u || age >= atomicLoad(&state[LIFE]);
    let left = atomicLoad(&state[LEFT]);
    let old = min(atomicLoad(&state[PAIRS]), params.pair_room);
    atomicStore(&state[AGE], age);
    atomicStore(&state[LEFT], max(left, 1u) - 1u);
    if is_due {
        let farthest = bitcast<f32>(atomicLoad(&state[FARTHEST]));
        let most = f32(max(left, 1u));
        let life = select(most, min(FARTHEST_EDGES * params.least_edge / farthest, most), farthest > 0.0);
        atomicStore(&state[LIFE], max(u32(life), 1u));
        atomicStore(&state[AGE], 0u);
        atomicStore(&state[OLD], old);
        atomicStore(&state[PAIRS], 0u);
        atomicStore(&state[ENTRIES], 0u);
        atomicStore(&state[GIANTS], 0u);
        atomicStore(&state[WRONG], 0u);
        atomicStore(&state[MEETINGS], 0u);
        atomicAdd(&state[SEARCHES], 1u);
    }
    atomicStore(&state[STALE], 0u);
    atomicStore(&state[FARTHEST], 0u);
    aim(OVER_OLD, select(0u, max(old, params.elements), is_due));
    aim(OVER_PARTICLES, select(0u, max(params.particles, params.buckets), is_due));
    aim(OVER_ELEMENTS, select(0u, params.elements, is_due));
    aim(OVER_BUCKETS, select(0u, params.buckets, is_due));
    aim(OVER_NEW, select(0u, 1u, is_due));
}

// Within a search: each two elements that meet have so many parts; see detect.wgsl.
@compute @workgroup_size(1)
fn aim_meetings() {
    let count = min(atomicLoad(&state[MEETINGS]), params.meeting_room);
    aim(OVER_MEETINGS, select(0u, 16u * count, sizes[3u * OVER_NEW] > 0u));
}

// After a search: all pairs are looked at until the next. How many touch is noted where they are moved.
@compute @workgroup_size(1)
fn aim_pairs() {
    for (var word = PAIRS; word <= MEETINGS; word++) {
        note(word);
    }
    let count = min(atomicLoad(&state[PAIRS]), params.pair_room);
    aim(OVER_PAIRS, count);
    // Those that touch are few of them; how many, only the pass before knows.
    aim(OVER_TOUCHES, min(count, MOST_TOUCHING));
    aim(OVER_NEW, select(0u, count, sizes[3u * OVER_NEW] > 0u));
}
