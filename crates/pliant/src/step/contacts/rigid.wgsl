// Rigid bodies against colliders: a push on one particle moves the whole body. The shader is that of
// `faces.wgsl`, `parallel.wgsl` and this file. CPU twin: rigid.rs
//
// A workgroup has a body: its lanes share the particles, and the first of them goes over what touches,
// one after the other. In single precision, with all places seen from the body's first particle.
//
// `rigids` has a head for each body: its first particle and the one after its last; where its triangles
// are listed, and how many; where its touches begin, and how many there are; how contacts moved it in
// this substep, and how everything did. Then the lists of triangles, then the touches.

// See rigid.rs.
const ROUNDS = 12u;
const FRICTION_ROUNDS = 32u;
const STICKS = 2e-3;

const HEAD = 18u;
const COUNT = 5u;
const PUSHED = 6u;
const GONE = 12u;

// Words of a touch.
const TOUCH = 12u;
const NORMAL = 3u;
const DEPTH = 6u;
const TOUCHED = 7u;
const PRESSED = 8u;
const DRAGGED = 9u;

@group(0) @binding(3) var<storage, read_write> rigids: array<u32>;
@group(0) @binding(7) var<storage, read> touched_faces: array<Face>;

// A small motion of a rigid body about its centre of mass, or its velocity.
struct Screw {
    along: vec3f,
    turn: vec3f,
}

// How a body resists being moved.
struct Mass {
    total: f32,             // kg
    centre: vec3f,          // m
    inverse: mat3x3f,       // of the inertia tensor (1/(kg m²))
}

var<workgroup> flags_here: array<u32, LANES>;
var<workgroup> screws_here: array<Screw, 2>;

fn number(at: u32) -> f32 {
    return bitcast<f32>(rigids[at]);
}

fn numbers(at: u32) -> vec3f {
    return vec3f(number(at), number(at + 1u), number(at + 2u));
}

fn set_number(at: u32, value: f32) {
    rigids[at] = bitcast<u32>(value);
}

fn set_numbers(at: u32, value: vec3f) {
    set_number(at, value.x);
    set_number(at + 1u, value.y);
    set_number(at + 2u, value.z);
}

// What a motion does to a point that is r from the centre.
fn at_point(screw: Screw, r: vec3f) -> vec3f {
    return screw.along + cross(screw.turn, r);
}

// The place of a particle, in `place_within` or after the solver.
fn place_of(i: u32, is_within: bool) -> vec3f {
    return xw[i].xyz + select(vec3f(0.0), predicted[i].xyz, is_within && is_carried());
}

fn mass_of(lane: u32, body: vec2u, is_within: bool) -> Mass {
    let origin = place_of(body.x, is_within);
    var part = vec4f(0.0);
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let mass = 1.0 / traits[i].inverse_mass;
        part += vec4f((place_of(i, is_within) - origin) * mass, mass);
    }
    let all = total(lane, part);
    let centre = all.xyz / all.w;
    var square = vec4f(0.0);
    var mixed = vec4f(0.0);
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let mass = 1.0 / traits[i].inverse_mass;
        let r = (place_of(i, is_within) - origin) - centre;
        square += vec4f(r * r * mass, 0.0);
        mixed += vec4f(r.yzx * r.zxy * mass, 0.0);
    }
    let s = total(lane, square).xyz;
    let m = -total(lane, mixed).xyz;
    // Σ m (|r|² − r rᵀ), over its trace, so that numbers stay within range.
    let trace = 2.0 * (s.x + s.y + s.z);
    let d = (vec3f(s.y + s.z, s.z + s.x, s.x + s.y)) / trace;
    let o = m / trace;
    let p = vec3f(d.y * d.z - o.x * o.x, d.z * d.x - o.y * o.y, d.x * d.y - o.z * o.z);
    let q = vec3f(o.y * o.z - o.x * d.x, o.z * o.x - o.y * d.y, o.x * o.y - o.z * d.z);
    let scale = 1.0 / ((d.x * p.x + o.z * q.z + o.y * q.y) * trace);
    let inverse = mat3x3f(
        vec3f(p.x, q.z, q.y) * scale,
        vec3f(q.z, p.y, q.x) * scale,
        vec3f(q.y, q.x, p.z) * scale,
    );
    return Mass(all.w, centre + origin, inverse);
}

// The motion that has that momentum and spin.
fn screw_of(mass: Mass, momentum: vec3f, spin: vec3f) -> Screw {
    return Screw(momentum / mass.total, mass.inverse * spin);
}

// How much a unit impulse along n at r moves that point along n (1/kg).
fn give(mass: Mass, r: vec3f, n: vec3f) -> f32 {
    let lever = cross(r, n);
    return 1.0 / mass.total + dot(lever, mass.inverse * lever);
}

// A motion after an impulse at r.
fn after_push(screw: Screw, mass: Mass, r: vec3f, impulse: vec3f) -> Screw {
    let turn = mass.inverse * cross(r, impulse);
    return Screw(screw.along + impulse / mass.total, screw.turn + turn);
}

// The velocity at the end of a substep, of that over its chords: see `unbent` in rigid.rs.
fn unbent(screw: Screw) -> Screw {
    let sine = min(length(screw.turn) * params.h, 0.7);
    return Screw(screw.along, screw.turn / sqrt(1.0 - sine * sine));
}

// How many lanes before this one have something, and how many of all.
fn rank(lane: u32, has: bool) -> vec2u {
    flags_here[lane] = select(0u, 1u, has);
    workgroupBarrier();
    var counts = vec2u(0u);
    for (var k = 0u; k < LANES; k++) {
        counts += vec2u(select(0u, flags_here[k], k < lane), flags_here[k]);
    }
    workgroupBarrier();
    return counts;
}

fn note(touch: u32, point: vec3f, normal: vec3f, depth: f32, collider: u32) {
    set_numbers(touch, point);
    set_numbers(touch + NORMAL, normal);
    set_number(touch + DEPTH, depth);
    rigids[touch + TOUCHED] = collider;
}

// Adds what triangles and particles of a body touch to the touches that it has, and says how many
// there are then.
fn gather_touches(lane: u32, head: u32, known: u32) -> u32 {
    let body = vec2u(rigids[head], rigids[head + 1u]);
    let list = rigids[head + 2u];
    let listed = rigids[head + 3u];
    let first = rigids[head + 4u];
    var count = known;
    for (var k = 0u; k < listed; k += LANES) {
        var face = Face();
        if k + lane < listed {
            face = touched_faces[params.face_row + rigids[list + k + lane]];
        }
        let place = rank(lane, face.depth > 0.0);
        if face.depth > 0.0 {
            let touch = first + TOUCH * (count + place.x);
            note(touch, face.point, face.normal, face.depth, face.collider);
        }
        count += place.y;
    }
    for (var k = body.x; k < body.y; k += LANES) {
        let i = k + lane;
        var contact = Contact();
        if i < body.y {
            contact = contacts[i];
            contacts[i] = Contact();
        }
        let place = rank(lane, contact.depth > 0.0);
        if contact.depth > 0.0 {
            let point = place_of(i, true) - contact.normal * traits[i].radius;
            let touch = first + TOUCH * (count + place.x);
            note(touch, point, contact.normal, contact.depth, contact.collider);
        }
        count += place.y;
    }
    storageBarrier();
    return count;
}

// Moves a rigid body out of the colliders that its particles and triangles are in.
@compute @workgroup_size(LANES)
fn rigid_project(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let head = (params.first + group.x) * HEAD;
    let body = vec2u(rigids[head], rigids[head + 1u]);
    let is_first = params.iteration == 0u;
    let known = select(rigids[head + COUNT], 0u, is_first);
    workgroupBarrier();
    if is_first && lane < 12u {
        rigids[head + PUSHED + lane] = 0u;
    }
    storageBarrier();
    // What sleeps is held.
    let is_held = xw[body.x].w == 0.0;
    var count = known;
    if !is_held {
        count = gather_touches(lane, head, known);
    }
    if lane == 0u {
        rigids[head + COUNT] = count;
    }
    if count == known {
        return;
    }
    let mass = mass_of(lane, body, true);
    var momentum = vec4f(0.0);
    var spin = vec4f(0.0);
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let x = place_of(i, true);
        let moved = (x - predicted[i].xyz + v[i].xyz * params.h) / traits[i].inverse_mass;
        momentum += vec4f(moved, 0.0);
        spin += vec4f(cross(x - mass.centre, moved), 0.0);
    }
    let gone = screw_of(mass, total(lane, momentum).xyz, total(lane, spin).xyz);
    let first = rigids[head + 4u];
    if lane == 0u {
        screws_here[0] = separate(first + TOUCH * known, first + TOUCH * count, mass);
    }
    workgroupBarrier();
    // What became of the motion in single precision: see `shift` in rigid.rs.
    let by = screws_here[0];
    momentum = vec4f(0.0);
    spin = vec4f(0.0);
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let r = place_of(i, true) - mass.centre;
        let row = xw[i];
        let moved_to = row + vec4f(at_point(by, r), 0.0);
        xw[i] = moved_to;
        let moved = (moved_to - row).xyz / traits[i].inverse_mass;
        momentum += vec4f(moved, 0.0);
        spin += vec4f(cross(r, moved), 0.0);
    }
    let moved = screw_of(mass, total(lane, momentum).xyz, total(lane, spin).xyz);
    if lane == 0u {
        set_numbers(head + PUSHED, numbers(head + PUSHED) + moved.along);
        set_numbers(head + PUSHED + 3u, numbers(head + PUSHED + 3u) + moved.turn);
        set_numbers(head + GONE, gone.along + moved.along);
        set_numbers(head + GONE + 3u, gone.turn + moved.turn);
    }
    for (var k = known + lane; k < count; k += LANES) {
        let touch = first + TOUCH * k;
        let point = numbers(touch);
        set_numbers(touch, point + at_point(moved, point - mass.centre));
    }
}

// The motion that brings the points of a body out of what they are in: of all, the one that costs
// least.
fn separate(first: u32, end: u32, mass: Mass) -> Screw {
    var moved = Screw();
    for (var touch = first; touch < end; touch += TOUCH) {
        set_number(touch + PRESSED, 0.0);
    }
    for (var round = 0u; round < ROUNDS; round++) {
        for (var touch = first; touch < end; touch += TOUCH) {
            let n = numbers(touch + NORMAL);
            let r = numbers(touch) - mass.centre;
            let left = number(touch + DEPTH) - dot(n, at_point(moved, r));
            // No contact pulls, though one may push less than it did.
            let pressed = number(touch + PRESSED);
            let change = max(left / give(mass, r, n), -pressed);
            set_number(touch + PRESSED, pressed + change);
            moved = after_push(moved, mass, r, n * change);
        }
    }
    return moved;
}

// Friction and restitution of rigid bodies: see `update` in rigid.rs.
@compute @workgroup_size(LANES)
fn rigid_update(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let head = (params.first + group.x) * HEAD;
    let body = vec2u(rigids[head], rigids[head + 1u]);
    if xw[body.x].w == 0.0 {
        return;
    }
    let mass = mass_of(lane, body, false);
    var momentum = vec4f(0.0);
    var spin = vec4f(0.0);
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let p = v[i].xyz / traits[i].inverse_mass;
        momentum += vec4f(p, 0.0);
        spin += vec4f(cross(xw[i].xyz - mass.centre, p), 0.0);
    }
    let before = screw_of(mass, total(lane, momentum).xyz, total(lane, spin).xyz);
    if lane == 0u {
        let first = rigids[head + 4u];
        let end = first + TOUCH * rigids[head + COUNT];
        var free = unbent(before);
        free.along -= numbers(head + PUSHED) / params.h;
        free.turn -= numbers(head + PUSHED + 3u) / params.h;
        let after = answer(first, end, mass, free);
        let gone = Screw(numbers(head + GONE), numbers(head + GONE + 3u));
        screws_here[0] = Screw(after.along - before.along, after.turn - before.turn);
        screws_here[1] = stick(first, end, mass, gone, after);
    }
    workgroupBarrier();
    for (var i = body.x + lane; i < body.y; i += LANES) {
        let r = xw[i].xyz - mass.centre;
        v[i] += vec4f(at_point(screws_here[0], r), 0.0);
        xw[i] += vec4f(at_point(screws_here[1], r), 0.0);
    }
}

// How fast the surface goes that is touched (m/s).
fn carried_at(touch: u32) -> vec3f {
    return velocity_at(colliders[rigids[touch + TOUCHED]], numbers(touch));
}

// Whether a point bears something and is faster along the surface than what counts as rest.
fn slides(touch: u32, mass: Mass, velocity: Screw) -> bool {
    let slip = at_point(velocity, numbers(touch) - mass.centre) - carried_at(touch);
    let speed = length(across(slip, numbers(touch + NORMAL)));
    return number(touch + PRESSED) > 0.0 && speed > STICKS * params.rest_speed;
}

// The velocity that contact leaves. What friction holds but for rounding is held.
fn answer(first: u32, end: u32, mass: Mass, free: Screw) -> Screw {
    let held = impulses(first, end, mass, free, 1.0 + 2.0 * STICKS);
    for (var touch = first; touch < end; touch += TOUCH) {
        if slides(touch, mass, held) {
            return impulses(first, end, mass, free, 1.0);
        }
    }
    return held;
}

// The same with so much of Coulomb's cone.
fn impulses(first: u32, end: u32, mass: Mass, free: Screw, cone: f32) -> Screw {
    var now = free;
    for (var touch = first; touch < end; touch += TOUCH) {
        set_number(touch + PRESSED, 0.0);
        set_numbers(touch + DRAGGED, vec3f(0.0));
    }
    for (var round = 0u; round < ROUNDS + FRICTION_ROUNDS; round++) {
        for (var touch = first; touch < end; touch += TOUCH) {
            let collider = rigids[touch + TOUCHED];
            let n = numbers(touch + NORMAL);
            let r = numbers(touch) - mass.centre;
            let surface = carried_at(touch);
            let coming = dot(at_point(free, r) - surface, n);
            let is_impact = coming < -params.rest_speed;
            let wanted = select(0.0, -colliders[collider].restitution * coming, is_impact);
            let missing = wanted - dot(at_point(now, r) - surface, n);
            var pressed = number(touch + PRESSED);
            let change = max(missing / give(mass, r, n), -pressed);
            pressed += change;
            set_number(touch + PRESSED, pressed);
            now = after_push(now, mass, r, n * change);

            let slip = across(at_point(now, r) - surface, n);
            let speed = length(slip);
            if speed <= 1e-30 || round < ROUNDS {
                continue;
            }
            let old = numbers(touch + DRAGGED);
            var dragged = old - slip / give(mass, r, slip / speed);
            let most = cone * colliders[collider].friction * pressed;
            let size = length(dragged);
            dragged *= select(1.0, most / size, size > most);
            now = after_push(now, mass, r, dragged - old);
            set_numbers(touch + DRAGGED, dragged);
        }
    }
    return now;
}

// The motion that puts points back which stick although they slid while the body has gone.
fn stick(first: u32, end: u32, mass: Mass, gone: Screw, velocity: Screw) -> Screw {
    var back = Screw();
    for (var round = 0u; round < ROUNDS; round++) {
        for (var touch = first; touch < end; touch += TOUCH) {
            if number(touch + PRESSED) <= 0.0 || slides(touch, mass, velocity) {
                continue;
            }
            let r = numbers(touch) - mass.centre;
            let way = at_point(gone, r) + at_point(back, r) - carried_at(touch) * params.h;
            let slid = across(way, numbers(touch + NORMAL));
            let far = length(slid);
            if far > 1e-30 {
                back = after_push(back, mass, r, -slid / give(mass, r, slid / far));
            }
        }
    }
    return back;
}
