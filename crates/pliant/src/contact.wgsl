// Sleeping bodies that others may touch before the next search wake up: not later, since what hits a
// body that sleeps loses its momentum. Part of the shader of `body.wgsl`; the rest of contact is in the
// folder beside it. CPU twin: contact.rs

struct Pair {
    ids: vec4u,             // its particles; the two highest bits of the first are its kind
    numbers: vec4f,
}

const PAIRS = 6u;           // in `contact_state`: how many there are
const ID = 0x3fffffffu;     // of the first of `ids`: the particle

@group(0) @binding(6) var<storage, read> pairs: array<Pair>;
@group(0) @binding(7) var<storage, read> contact_state: array<u32>;

// Pass 1, over pairs: whom does one approach that moves?
@compute @workgroup_size(LANES)
fn approach(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let count = min(contact_state[PAIRS], arrayLength(&pairs));
    for (var k = id.x; k < count; k += groups.x * LANES) {
        // The second party has the second particle, or the third of two edges: one body or the same.
        let ids = vec4u(pairs[k].ids.x & ID, pairs[k].ids.yzw);
        for (var other = 1u; other < 4u; other++) {
            wake_by(owner(ids.x), owner(ids[other]));
            wake_by(owner(ids[other]), owner(ids.x));
        }
    }
}

fn wake_by(body: u32, mover: u32) {
    if has(body, ASLEEP) && !has(mover, ASLEEP | HELD) && bodies[mover].quiet == 0.0 {
        atomicStore(&bodies[body].disturbed, 1u);
    }
}

// Pass 2, over bodies: who was approached is awake.
@compute @workgroup_size(LANES)
fn rise(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body < params.end && has(body, ASLEEP) && atomicLoad(&bodies[body].disturbed) != 0u {
        bodies[body].flags = EXISTS | RISING;
        bodies[body].quiet = 0.0;
        atomicStore(&bodies[body].disturbed, 0u);
    }
}
