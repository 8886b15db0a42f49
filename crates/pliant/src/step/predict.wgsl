// Where would each particle go if nothing held it? CPU twin: predict.rs

@compute @workgroup_size(LANES)
fn predict(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.collider_count {
        advance(i);
    }
    if i >= params.particle_count {
        return;
    }
    var row = xw[i];
    if row.w > 0.0 {
        var a = params.gravity;
        if (params.flags & FORCED) != 0u {
            a += acceleration[i].xyz;
        }
        v[i] = v[i] * params.keep + vec4f(a * params.h, 0.0);
    }
    row += v[i] * params.h; // v.w is 0: the inverse mass stays
    predicted[i] = vec4f(row.xyz, 0.0);
    xw[i] = select(row, vec4f(vec3f(0.0), row.w), is_carried());
    if params.collider_count > 0u {
        contacts[i].depth = 0.0;
    }
}
