// What particles meet. A shape's own file has a function of its name, which gives the direction out
// of the shape and, in w, the distance of a point from its surface (m); `signed_distance_of` chooses
// among them. CPU twin: collider.rs

struct Collider {
    position: vec3f,        // m
    shape: u32,             // place in the list of shapes
    rotation: vec4f,
    velocity: vec3f,        // m/s
    friction: f32,
    params: vec4f,
    restitution: f32,
    phases: u32,
    thickness: f32,         // the least way through it (m)
    pad: u32,
}

// Distance of x from the surface of a collider (m), and the direction out of it.
fn signed_distance(collider: Collider, x: vec3f) -> vec4f {
    let back = collider.rotation * vec4f(-1.0, -1.0, -1.0, 1.0);
    let out = signed_distance_of(
        collider.shape,
        rotate(back, x - collider.position),
        collider.params,
    );
    return vec4f(rotate(collider.rotation, out.xyz), out.w);
}

// v turned by q.
fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = cross(q.xyz, v) * 2.0;
    return v + t * q.w + cross(q.xyz, t);
}

// Moves with its velocity for a substep.
fn advance(collider: u32) {
    colliders[collider].position += colliders[collider].velocity * params.h;
}

// Steps of `trace` before it takes that there is no crossing.
const MOST_STEPS = 48u;

struct Crossing {
    point: vec3f,           // where it is (m)
    is_any: bool,
    out: vec4f,             // the direction out of the shape there, and the distance from it (m)
}

// Steps along a way as far as the distance says is safe: `advance` in collider.rs.
fn trace(collider: Collider, start: vec3f, end: vec3f, level: f32) -> Crossing {
    let far = distance(start, end);
    let along = (end - start) / max(far, 1e-30);
    let near = 1e-3 * far;
    var t = 0.0;
    for (var k = 0u; k < MOST_STEPS && t < far; k++) {
        let point = start + along * t;
        let out = signed_distance(collider, point);
        let gap = (out.w - level) / slope_of(collider.shape);
        if gap <= near && dot(out.xyz, along) < 0.0 {
            return Crossing(point, true, out);
        }
        t += max(gap, near);
    }
    return Crossing(end, false, vec4f(0.0));
}
