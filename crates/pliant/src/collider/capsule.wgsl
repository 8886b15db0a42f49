// Capsule: radius, half length along y. CPU twin: capsule.rs
fn capsule(x: vec3f, numbers: vec4f) -> vec4f {
    let away = x - vec3f(0.0, clamp(x.y, -numbers.y, numbers.y), 0.0);
    let far = length(away);
    // The middle line has no direction out: across, so that something happens.
    let out = select(vec3f(1.0, 0.0, 0.0), away / far, far > 1e-30);
    return vec4f(out, far - numbers.x);
}
