// Numbers that are not finite are contained and reported. CPU twin: quarantine.rs
//
// Shaders may assume that no number is NaN, so the bits are asked, not the number.

// The bits of 1e18, beyond which positions are as bad as infinite ones. Without its sign, whatever
// is not finite has larger bits.
const FARTHEST = 0x5d5e0b6bu;

fn is_far(row: vec4f) -> bool {
    return any((bitcast<vec4u>(row) & vec4u(0x7fffffffu)) > vec4u(FARTHEST));
}

// Pass 1, over particles: is each finite?
@compute @workgroup_size(LANES)
fn find_bad(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end && (is_far(xw[i]) || is_far(v[i]) || xw[i].w < 0.0) {
        atomicMin(&bodies[owner(i)].bad, i);
    }
}

// Pass 2, over bodies: which are put aside? What else changed in this step is done with.
@compute @workgroup_size(LANES)
fn judge(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body >= params.end || !has(body, EXISTS) {
        return;
    }
    let bad = atomicLoad(&bodies[body].bad);
    var flags = bodies[body].flags & (EXISTS | ASLEEP | HELD);
    bodies[body].age += select(1u, 0u, (flags & HELD) != 0u);
    if bad != NONE {
        flags |= HELD | BROKEN;
        bodies[body].culprit = bad;
    }
    bodies[body].flags = flags;
    atomicStore(&bodies[body].bad, NONE);
    atomicStore(&bodies[body].disturbed, 0u);
    atomicStore(&bodies[body].restless, 0u);
    atomicStore(&bodies[body].stirred, 0u);
}

// Pass 3, over particles: back to the last finite pose, or remember this one.
@compute @workgroup_size(LANES)
fn contain(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    if has(owner(i), BROKEN) {
        xw[i] = vec4f(good[i].xyz, 0.0);
        predicted[i] = vec4f(good[i].xyz, 0.0);
        v[i] = vec4f(0.0);
    } else {
        good[i] = xw[i];
    }
}
