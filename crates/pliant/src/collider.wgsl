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
    pad_0: u32,
    pad_1: u32,
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
