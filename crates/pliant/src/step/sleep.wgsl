// Bodies that lie still are not computed until something disturbs them. CPU twin: sleep.rs

// Pass 1 of falling asleep, over particles: which bodies are fast?
@compute @workgroup_size(LANES)
fn find_fast(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    let speed = dot(v[i].xyz, v[i].xyz);
    let body = owner(i);
    // Asked first: all particles of a body that moves would write one word.
    if !(speed < params.sleep_speed * params.sleep_speed) && atomicLoad(&bodies[body].fast) == 0u {
        atomicStore(&bodies[body].fast, 1u);
    }
}

// Pass 2, over bodies: how long has each been slow?
@compute @workgroup_size(LANES)
fn tire(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body >= params.end || !has(body, EXISTS) {
        return;
    }
    let is_slow = atomicLoad(&bodies[body].fast) == 0u;
    bodies[body].quiet = select(0.0, bodies[body].quiet + params.dt, is_slow);
    atomicStore(&bodies[body].fast, 0u);
    if !has(body, HELD) && bodies[body].quiet < params.sleep_after {
        atomicStore(&bodies[bodies[body].island].restless, 1u);
    }
}

// Pass 3, over bodies: islands fall asleep of which every body was slow for long enough.
@compute @workgroup_size(LANES)
fn fall_asleep(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body >= params.end || !has(body, EXISTS) || has(body, ASLEEP | HELD) {
        return;
    }
    if atomicLoad(&bodies[bodies[body].island].restless) == 0u {
        bodies[body].flags |= ASLEEP | FALLING;
    }
}

// Pass 4, over particles: what sleeps is held.
@compute @workgroup_size(LANES)
fn hold(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end && has(owner(i), FALLING) {
        xw[i].w = 0.0;
        v[i] = vec4f(0.0);
    }
}

// Pass 1 of waking, over particles: which sleeping bodies were pushed or unpinned?
@compute @workgroup_size(LANES)
fn find_disturbed(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    if has(owner(i), ASLEEP) && (any(v[i].xyz != vec3f(0.0)) || xw[i].w > 0.0) {
        atomicStore(&bodies[owner(i)].disturbed, 1u);
    }
}

// Pass 2, over bodies: which islands are disturbed?
@compute @workgroup_size(LANES)
fn stir(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body >= params.end || !has(body, EXISTS) || has(body, HELD) {
        return;
    }
    if !has(body, ASLEEP) || atomicLoad(&bodies[body].disturbed) != 0u {
        atomicStore(&bodies[bodies[body].island].stirred, 1u);
    }
}

// Pass 3, over bodies: what sleeps in them wakes up.
@compute @workgroup_size(LANES)
fn wake(@builtin(global_invocation_id) id: vec3u) {
    let body = params.first + id.x;
    if body >= params.end || !has(body, EXISTS) || !has(body, ASLEEP) {
        return;
    }
    let is_stirred = atomicLoad(&bodies[bodies[body].island].stirred) != 0u;
    if is_stirred || (params.flags & WAKE_ALL) != 0u {
        bodies[body].flags = EXISTS | RISING;
        bodies[body].quiet = 0.0;
    }
}

// Pass 4, over particles: what is awake moves.
@compute @workgroup_size(LANES)
fn free(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end && has(owner(i), RISING) {
        let is_pinned = (traits[i].owner & 1u) != 0u;
        xw[i].w = select(traits[i].inverse_mass, 0.0, is_pinned);
    }
}
