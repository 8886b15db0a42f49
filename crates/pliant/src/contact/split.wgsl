// What all pairs do to a particle, added up, and what it does then. Part of every shader that has `xw`, `v`,
// `start`, `sums` and `state`. CPU twin: split.rs

// Parts of a metre that sums are counted in: 4 nm.
const UNIT = 268435456.0;
// By how much one pair may move a particle at once: 1/4 m. 32 of them do not overflow.
const FARTHEST_PUSH = 67108864.0;

// What all pairs do to a particle.
struct Sum {
    moved: array<atomic<i32>, 3>, // by all sweeps of an iteration
    count: atomic<u32>,     // pairs that touch, in sweeps that are even
    sped: array<atomic<i32>, 3>, // change of velocity, times h
    odd_count: atomic<u32>, // the same in the other sweeps
}

// The sums of a particle, which become 0.
fn take_moved(i: u32) -> vec3f {
    var all: vec3f;
    for (var k = 0u; k < 3u; k++) {
        all[k] = f32(atomicExchange(&sums[i].moved[k], 0)) / UNIT;
    }
    return all;
}

fn take_sped(i: u32) -> vec3f {
    var all: vec3f;
    for (var k = 0u; k < 3u; k++) {
        all[k] = f32(atomicExchange(&sums[i].sped[k], 0)) / UNIT;
    }
    return all;
}

// It goes where the sweeps of an iteration want it.
fn move_one(i: u32) {
    xw[i] += vec4f(take_moved(i), 0.0);
    atomicStore(&sums[i].count, 0u);
    atomicStore(&sums[i].odd_count, 0u);
}

// It gets the velocity that its pairs want. The next substep begins there.
fn slow_one(i: u32) {
    if atomicLoad(&sums[i].count) > 0u {
        v[i] += vec4f(take_sped(i) / params.h, 0.0);
        xw[i] += vec4f(take_moved(i), 0.0);
        atomicStore(&sums[i].count, 0u);
    }
    start[i] = xw[i];
}

// Notes how many touched; the next look begins to count anew. One lane does, after the pass over them.
fn count_anew(i: u32) {
    if i == 0u {
        let count = atomicExchange(&state[TOUCHES], 0u);
        let odd = atomicExchange(&state[ODD_TOUCHES], 0u);
        atomicMax(&state[MOST + TOUCHES - PAIRS], max(count, odd));
        atomicStore(&state[CONTACTS], count);
    }
}

