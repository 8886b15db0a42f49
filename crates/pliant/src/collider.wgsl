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
    placed: u32,            // 1 if the CPU says where it is in each substep
    before: vec3f,          // then: where it was when the substep began (m)
    pad: u32,
    rotation_before: vec4f,
    angular_velocity: vec3f, // rad/s
    pad_2: u32,
}

// Distance of x from the surface of a collider (m), and the direction out of it.
fn signed_distance(collider: Collider, x: vec3f) -> vec4f {
    let local = rotate(inverse(collider.rotation), x - collider.position);
    let out = signed_distance_of(collider.shape, local, collider.params);
    return vec4f(rotate(collider.rotation, out.xyz), out.w);
}

// v turned by q.
fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = cross(q.xyz, v) * 2.0;
    return v + t * q.w + cross(q.xyz, t);
}

fn inverse(q: vec4f) -> vec4f {
    return q * vec4f(-1.0, -1.0, -1.0, 1.0);
}

// Moves with its velocity for a substep, unless it is where the CPU has put it.
fn advance(collider: u32) {
    if colliders[collider].placed == 0u {
        colliders[collider].position += colliders[collider].velocity * params.h;
    }
}

// Where a point would be that went with it, from x when the substep began.
fn carried_by(collider: Collider, x: vec3f) -> vec3f {
    if collider.placed == 0u {
        return x + collider.velocity * params.h;
    }
    let local = rotate(inverse(collider.rotation_before), x - collider.before);
    return collider.position + rotate(collider.rotation, local);
}

// How fast the point of it at x moves (m/s): v + ω × r.
fn velocity_at(collider: Collider, x: vec3f) -> vec3f {
    return collider.velocity + cross(collider.angular_velocity, x - collider.position);
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
