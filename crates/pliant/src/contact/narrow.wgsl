// Which candidates must a substep look at? Here: is there a search, and how many lanes do its dispatches have,
// so that nothing comes back to the CPU within a step. The shader is that of `detect.wgsl` and this file.
// CPU twin: narrow.rs

// In the place of `pairs`, which nothing here needs: three words for each dispatch.
@group(0) @binding(6) var<storage, read_write> sizes: array<u32>;

// Places in `sizes`; there is something to do if there is a search.
const OVER_OLD = 0u;        // particles, elements, pairs of the search before
const OVER_ELEMENTS = 1u;   // elements
const OVER_BUCKETS = 2u;    // buckets
const OVER_ENTRIES = 3u;    // boxes in cells
const OVER_MEETINGS = 4u;   // the parts of elements whose boxes overlap
const OVER_NEW = 5u;        // pairs

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
    atomicStore(&state[TOO_NEAR], 0u);
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

// Whether a particle here has left its path.
var<workgroup> is_left: atomic<u32>;

// Is a particle farther from its path than it may be? And how far does it go? Buckets and lists are emptied
// for the search that may follow, and the last workgroup to arrive decides whether there is one.
@compute @workgroup_size(LANES)
fn check_paths(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    if lane == 0u {
        atomicStore(&is_left, 0u);
    }
    workgroupBarrier();
    empty_grid(id.x, groups.x);
    for (var i = id.x; i < params.particles; i += groups.x * LANES) {
        if has_left(i) {
            atomicStore(&is_left, 1u);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        arrive(atomicLoad(&is_left), groups.x);
    }
}

// How many have arrived and whether a path was left is one word: workgroups see other words of each other in any
// order, until a dispatch ends. All else that is read here was written by dispatches before.
fn arrive(left_here: u32, groups: u32) {
    let here = 1u + (left_here << 16u);
    let all = atomicAdd(&state[ARRIVED], here) + here;
    if (all & 0xffffu) == groups {
        decide(all > 0xffffu);
    }
}

// Is there a search?
fn decide(is_stale: bool) {
    let age = atomicLoad(&state[AGE]) + 1u;
    let is_due = is_stale || age >= atomicLoad(&state[LIFE]);
    let left = atomicLoad(&state[LEFT]);
    let old = min(atomicLoad(&state[PAIRS]), params.pair_room);
    atomicStore(&state[AGE], age);
    atomicStore(&state[LEFT], max(left, 1u) - 1u);
    if is_due {
        note_all();
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
    atomicStore(&state[ARRIVED], 0u);
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
