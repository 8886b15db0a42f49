// Cylinder: radius, half height along y. CPU twin: cylinder.rs
fn cylinder(x: vec3f, numbers: vec4f) -> vec4f {
    let from_axis = length(x.xz);
    // The axis has no direction out: along x, so that something happens.
    let ring = select(vec2f(1.0, 0.0), x.xz / from_axis, from_axis > 1e-30);
    let out = vec3f(ring.x, 0.0, ring.y);
    let up = vec3f(0.0, select(-1.0, 1.0, x.y >= 0.0), 0.0);
    let beyond = vec2f(from_axis - numbers.x, abs(x.y) - numbers.y);
    let outside = max(beyond, vec2f(0.0));
    let far = length(outside);
    if far > 0.0 {
        return vec4f((out * outside.x + up * outside.y) / far, far);
    }
    if beyond.x > beyond.y {
        return vec4f(out, beyond.x);
    }
    return vec4f(up, beyond.y);
}
