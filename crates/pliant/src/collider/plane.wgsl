// An infinite plane. CPU twin: plane.rs
fn plane(x: vec3f, numbers: vec4f) -> vec4f {
    return vec4f(0.0, 1.0, 0.0, x.y);
}
