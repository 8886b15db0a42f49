// A solid ball. CPU twin: sphere.rs
fn sphere(x: vec3f, numbers: vec4f) -> vec4f {
    let length = sqrt(dot(x, x));
    // The centre has no direction out: up, so that something happens.
    let out = select(vec3f(0.0, 1.0, 0.0), x / length, length > 1e-30);
    return vec4f(out, length - numbers.x);
}
