// Where would each particle go if nothing held it? CPU twin: predict.rs

@compute @workgroup_size(LANES)
fn predict(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.collider_count {
        advance(i);
    }
    if i < params.particle_count {
        let to = select(0u, arrayLength(&xw) / 2u, (params.flags & AWAY) != 0u);
        xw[to + i] = predict_one(i, xw[i], v[i]);
    }
}

// Moves a particle freely through one substep, from a row and a velocity. Gives its new row.
fn predict_one(i: u32, start: vec4f, velocity: vec4f) -> vec4f {
    var speed = velocity;
    if start.w > 0.0 {
        var a = params.gravity;
        if (params.flags & FORCED) != 0u {
            a += acceleration[i].xyz;
        }
        speed = velocity * params.keep + vec4f(a * params.h, 0.0);
    }
    let row = start + speed * params.h; // the velocity's w is 0: the inverse mass stays
    v[i] = speed;
    predicted[i] = vec4f(row.xyz, 0.0);
    if params.collider_count > 0u {
        contacts[i] = Contact(vec3f(0.0), 0.0, 0u, 0.0, 0.0, 0.0);
    }
    return select(row, vec4f(vec3f(0.0), row.w), is_carried());
}
