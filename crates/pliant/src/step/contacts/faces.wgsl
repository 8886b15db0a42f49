// Triangles against edges and corners that are between their particles. CPU twin: faces.rs
//
// Triangles lie in the order of their colours, in which no two share a particle. Each iteration has
// rows of its own in `faces`, so that every push has its answer in velocities.

// See faces.rs.
const LOOKS = 16u;
const FINEST = 0.01;
const CORNER = 0.999;

struct Face {
    weights: vec3f,         // of the corners in the deepest point
    gap: f32,               // its distance from the surface, less the radius (m); 0 for nothing found
    normal: vec3f,
    depth: f32,             // how far it was pushed (m)
    point: vec3f,           // the deepest point; of a rigid body, where it touches (m)
    collider: u32,
    before: vec3f,          // velocity of that point before the solver (m/s)
    radius: f32,            // distance that it keeps (m)
    start: vec3f,           // where that point was when the substep began (m)
    pad: u32,
}

@group(0) @binding(3) var<storage, read> corners: array<u32>;
@group(0) @binding(5) var<storage, read_write> faces: array<Face>;

fn corners_of(face: u32) -> vec3u {
    return vec3u(corners[3u * face], corners[3u * face + 1u], corners[3u * face + 2u]);
}

fn place_within(i: u32) -> vec3f {
    return xw[i].xyz + select(vec3f(0.0), predicted[i].xyz, is_carried());
}

// Finds where each triangle is deepest.
@compute @workgroup_size(LANES)
fn face_find(@builtin(global_invocation_id) id: vec3u) {
    let face = params.first + id.x;
    if face >= params.end {
        return;
    }
    let i = corners_of(face);
    var found = Face();
    if xw[i.x].w > 0.0 || xw[i.y].w > 0.0 || xw[i.z].w > 0.0 {
        for (var c = 0u; c < params.collider_count; c++) {
            if (colliders[c].phases & traits[i.x].phase) != 0u {
                let deeper = deepest(i, c);
                if deeper.gap < found.gap {
                    found = deeper;
                }
            }
        }
    }
    faces[params.face_row + face] = found;
}

// Where a triangle is deepest in a collider, if it is too near there and not at a corner: goes down the
// distance by steps along the triangle, halved when they lead up.
fn deepest(i: vec3u, c: u32) -> Face {
    let collider = colliders[c];
    let a = local_to(collider, place_within(i.x));
    let b = local_to(collider, place_within(i.y));
    let d = local_to(collider, place_within(i.z));
    let radii = vec3f(traits[i.x].radius, traits[i.y].radius, traits[i.z].radius);
    let radius = max(radii.x, max(radii.y, radii.z));
    let longest = max(distance(a, b), max(distance(b, d), distance(d, a)));
    if collider.roundness >= longest {
        return Face();
    }
    var x = (a + b + d) / 3.0;
    // No point of it is farther from the middle than two thirds of a side.
    let reach = 0.67 * longest * slope_of(collider.shape) + radius;
    if is_far_of(collider.shape, x, reach, collider.params) {
        return Face();
    }
    var out = signed_distance_of(collider.shape, x, collider.params);
    if out.w > reach {
        return Face();
    }
    let low = min(a, min(b, d)) - radius;
    let high = max(a, max(b, d)) + radius;
    if is_flat_of(collider.shape, low, high, collider.params) {
        return Face();
    }
    var step = 0.25 * longest;
    for (var k = 0u; k < LOOKS && step >= FINEST * longest; k++) {
        let tried = closest_point(a, b, d, x - out.xyz * step);
        let there = signed_distance_of(collider.shape, tried, collider.params);
        if there.w < out.w {
            x = tried;
            out = there;
        } else {
            step *= 0.5;
        }
    }
    let weights = weights_at(a, b, d, x);
    let gap = out.w - dot(weights, radii);
    let is_any = gap < 0.0 && weights.x + weights.y + weights.z > 0.0;
    if !is_any || any(weights > vec3f(CORNER)) {
        return Face();
    }
    var found = Face();
    found.weights = weights;
    found.gap = gap;
    found.normal = rotate(collider.rotation, out.xyz);
    found.point = collider.position + rotate(collider.rotation, x);
    found.collider = c;
    return found;
}

// The weights of a triangle's corners in one of its points; 0 if it is flat. Ericson 2005, §3.4.
fn weights_at(a: vec3f, b: vec3f, c: vec3f, x: vec3f) -> vec3f {
    let ab = b - a;
    let ac = c - a;
    let d00 = dot(ab, ab);
    let d01 = dot(ab, ac);
    let d11 = dot(ac, ac);
    let d20 = dot(x - a, ab);
    let d21 = dot(x - a, ac);
    let area = d00 * d11 - d01 * d01;
    if area == 0.0 {
        return vec3f(0.0);
    }
    let v = (d11 * d20 - d01 * d21) / area;
    let w = (d00 * d21 - d01 * d20) / area;
    return clamp(vec3f(1.0 - v - w, v, w), vec3f(0.0), vec3f(1.0));
}

// Pushes the triangles of a colour that were found too near.
@compute @workgroup_size(LANES)
fn face_push(@builtin(global_invocation_id) id: vec3u) {
    let face = params.first + id.x;
    if face >= params.end || faces[params.face_row + face].gap >= 0.0 {
        return;
    }
    var found = faces[params.face_row + face];
    let i = corners_of(face);
    let b = found.weights;
    let fallen = mat3x3f(predicted[i.x].xyz, predicted[i.y].xyz, predicted[i.z].xyz) * b;
    // Others may have moved its corners since it was looked at.
    let now = mat3x3f(place_within(i.x), place_within(i.y), place_within(i.z)) * b;
    let deep = -(found.gap + dot(found.normal, now - found.point));
    let w = vec3f(xw[i.x].w, xw[i.y].w, xw[i.z].w);
    let sum = dot(w, b * b);
    if deep <= 0.0 || sum <= 0.0 {
        return;
    }
    found.before = mat3x3f(v[i.x].xyz, v[i.y].xyz, v[i.z].xyz) * b;
    found.start = fallen - found.before * params.h;
    // What began inside comes out slowly, as particles do; it may also have been overtaken.
    let carried = velocity_at(colliders[found.collider], found.point) * params.h;
    let came_in = max(dot(found.normal, found.start + carried - now), 0.0);
    found.depth = min(deep, came_in + params.max_depenetration * params.h);
    found.radius = dot(b, vec3f(traits[i.x].radius, traits[i.y].radius, traits[i.z].radius));
    if is_rigid(i.x) {
        found.point = now - found.normal * found.radius;
    } else {
        for (var k = 0u; k < 3u; k++) {
            let push = found.normal * (found.depth * w[k] * b[k] / sum);
            xw[i[k]] += vec4f(push, 0.0);
        }
    }
    faces[params.face_row + face] = found;
}

// Friction and restitution of the triangles of a colour: `update` in response.rs.
@compute @workgroup_size(LANES)
fn face_respond(@builtin(global_invocation_id) id: vec3u) {
    let face = params.first + id.x;
    if face >= params.end || faces[params.face_row + face].depth <= 0.0 {
        return;
    }
    let touch = faces[params.face_row + face];
    let i = corners_of(face);
    if is_rigid(i.x) {
        return;
    }
    let b = touch.weights;
    let point = mat3x3f(xw[i.x].xyz, xw[i.y].xyz, xw[i.z].xyz) * b;
    let after = mat3x3f(v[i.x].xyz, v[i.y].xyz, v[i.z].xyz) * b;
    let at = point - touch.normal * touch.radius;
    let motion = Motion(touch.before, after, point - touch.start, at);
    let contact = Contact(touch.normal, touch.depth, touch.collider, 0.0, 0.0, 0.0);
    let response = respond(contact, motion);
    let w = vec3f(xw[i.x].w, xw[i.y].w, xw[i.z].w);
    let sum = dot(w, b * b);
    for (var k = 0u; k < 3u; k++) {
        let share = w[k] * b[k] / sum;
        v[i[k]] += vec4f((response.velocity - after) * share, 0.0);
        xw[i[k]] -= vec4f(response.slid * share, 0.0);
    }
}
