// What particles meet. A shape's own file has a function of its name, which gives the direction out
// of the shape and, in w, the distance of a point from its surface (m); `signed_distance_of` chooses
// among them. A shape that finds where a way crosses it, or knows where it is flat or far, has functions
// `NAME_crossing`, `NAME_is_flat` and `NAME_is_far` too. CPU twin: collider.rs

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
    roundness: f32,         // radius of its sharpest edge or corner (m)
    rotation_before: vec4f,
    angular_velocity: vec3f, // rad/s
    pad_2: u32,
}

// A point of the world, seen from a collider.
fn local_to(collider: Collider, x: vec3f) -> vec3f {
    return rotate(inverse(collider.rotation), x - collider.position);
}

// Distance of x from the surface of a collider (m), and the direction out of it.
fn signed_distance(collider: Collider, x: vec3f) -> vec4f {
    let out = signed_distance_of(collider.shape, local_to(collider, x), collider.params);
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

// A crossing that was found in a collider's own frame.
fn in_world(collider: Collider, own: Crossing) -> Crossing {
    let out = vec4f(rotate(collider.rotation, own.out.xyz), own.out.w);
    return Crossing(collider.position + rotate(collider.rotation, own.point), own.is_any, out);
}

// The way of a particle through a substep, and how near to a surface it may come (m).
struct Way {
    start: vec3f,
    end: vec3f,
    level: f32,
}

// The same, seen from a collider.
fn own_way(collider: Collider, way: Way) -> Way {
    return Way(local_to(collider, way.start), local_to(collider, way.end), way.level);
}

// Steps along a way as far as the distance says is safe: `advance` in collider.rs.
fn trace(collider: Collider, way: Way) -> Crossing {
    let start = way.start;
    let end = way.end;
    let level = way.level;
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

// The point of a triangle that is nearest to x: `closest_point` in mesh/sdf.rs. Ericson 2005, §5.1.5.
fn closest_point(a: vec3f, b: vec3f, c: vec3f, x: vec3f) -> vec3f {
    let ab = b - a;
    let ac = c - a;
    let d1 = dot(ab, x - a);
    let d2 = dot(ac, x - a);
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let d3 = dot(ab, x - b);
    let d4 = dot(ac, x - b);
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let d5 = dot(ab, x - c);
    let d6 = dot(ac, x - c);
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * share_of(d1, -d3);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * share_of(d2, -d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * share_of(d4 - d3, d5 - d6);
    }
    let sum = va + vb + vc;
    return a + ab * (vb / sum) + ac * (vc / sum);
}

// a over a + b, both at least 0; 0 if both are.
fn share_of(a: f32, b: f32) -> f32 {
    return select(0.0, a / (a + b), a + b > 0.0);
}
