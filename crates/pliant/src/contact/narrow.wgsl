// Which candidates must a substep look at? Here: how many lanes the dispatches over them have, so that
// nothing comes back to the CPU within a step. CPU twin: narrow.rs

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> sizes: array<u32>; // three words for each dispatch

// Places in `sizes`; there is something to do if there is a search.
const OVER_OLD = 0u;        // particles, elements, pairs of the search before
const OVER_ELEMENTS = 1u;   // elements
const OVER_BUCKETS = 2u;    // buckets
const OVER_ENTRIES = 3u;    // boxes in cells
const OVER_MEETINGS = 4u;   // the parts of elements whose boxes overlap
const OVER_NEW = 5u;        // pairs

// Edges that the fastest may pass until the next search, as of solids in path.rs.
const FARTHEST_EDGES = 4.0;
// Lanes over what the dispatches before find: those of a large GPU. They go on to the next rows.
const MANY = 131072u;
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

// Notes how much room was needed so far.
fn note_all() {
    for (var word = PAIRS; word <= MEETINGS; word++) {
        note(word);
    }
    let notes = atomicLoad(&state[WRONG]) + atomicLoad(&state[WAYS_OUT]);
    atomicMax(&state[MOST + WRONG - PAIRS], notes);
}

// A step begins: it searches, so that it depends on nothing but the state.
@compute @workgroup_size(1)
fn open() {
    atomicStore(&state[LIFE], 0u);
    atomicStore(&state[LEFT], params.substeps);
    atomicStore(&state[SEARCHES], 0u);
    atomicStore(&state[TOUCHES], 0u);
    atomicStore(&state[ODD_TOUCHES], 0u);
    atomicStore(&state[DEEPEST], 0u);
    atomicStore(&state[SHARE], 0u);
    for (var k = 0u; k < 6u; k++) {
        atomicStore(&state[MOST + k], 0u);
    }
}

// Asks the search which solids are still in each other, of those that the last one found so.
fn ask_for_entangled() {
    var count = 0u;
    for (var two = 0u; two < params.entangled; two++) {
        let word = ENTANGLED_STATE * two;
        let were = atomicExchange(&state[ENTANGLED + word], 0u) != 0u;
        atomicStore(&state[GONE + word], select(APART, 0u, were));
        count += select(0u, 1u, were);
    }
    atomicStore(&state[STILL_IN], count);
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
        note_all();
        atomicStore(&state[LIFE], max(u32(life), 1u));
        atomicStore(&state[AGE], 0u);
        atomicStore(&state[OLD], old);
        atomicStore(&state[PAIRS], 0u);
        atomicStore(&state[ENTRIES], 0u);
        atomicStore(&state[GIANTS], 0u);
        atomicStore(&state[WRONG], 0u);
        atomicStore(&state[WAYS_OUT], 0u);
        atomicStore(&state[MEETINGS], 0u);
        atomicAdd(&state[SEARCHES], 1u);
        ask_for_entangled();
    }
    atomicStore(&state[STALE], 0u);
    atomicStore(&state[FARTHEST], 0u);
    aim(OVER_OLD, select(0u, max(old, max(params.particles, params.elements)), is_due));
    aim(OVER_ELEMENTS, select(0u, params.elements, is_due));
    aim(OVER_BUCKETS, select(0u, params.buckets, is_due));
    aim(OVER_ENTRIES, select(0u, min(2u * MANY, 8u * params.entry_room), is_due));
    aim(OVER_MEETINGS, select(0u, min(MANY, params.meeting_room), is_due));
    aim(OVER_NEW, select(0u, min(MANY, params.pair_room), is_due));
}

// A step ends.
@compute @workgroup_size(1)
fn close() {
    note_all();
}
