// Box: half sides and radius of the edges. CPU twin: cuboid.rs
fn box(x: vec3f, numbers: vec4f) -> vec4f {
    let rounding = numbers.w;
    let beyond = abs(x) - (numbers.xyz - rounding);
    let side = select(vec3f(-1.0), vec3f(1.0), x >= vec3f(0.0));
    let outside = max(beyond, vec3f(0.0));
    let far = length(outside);
    if far > 0.0 {
        return vec4f(outside * side / far, far - rounding);
    }
    let most = max(beyond.x, max(beyond.y, beyond.z));
    var axis = vec3f(0.0, 0.0, 1.0);
    if beyond.x == most {
        axis = vec3f(1.0, 0.0, 0.0);
    } else if beyond.y == most {
        axis = vec3f(0.0, 1.0, 0.0);
    }
    return vec4f(axis * side, most - rounding);
}

// Over a face, away from its edges.
fn box_is_flat(low: vec3f, high: vec3f, numbers: vec4f) -> bool {
    let core = numbers.xyz - numbers.w;
    let over = select(vec3u(0u), vec3u(1u), (low > -core) & (high < core));
    return over.x + over.y + over.z >= 2u;
}
