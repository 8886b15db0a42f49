// Where do particles touch colliders, and how are they kept apart? CPU twin: contacts.rs

// Crossings of one collider that are undone in a row; see contacts.rs.
const MOST_CROSSINGS = 3u;

// The way of a particle through a substep.
struct Passage {
    start: vec3f,           // where it began (m)
    base: vec3f,            // what is added to its row to give a place (m)
    row: vec3f,
    radius: f32,            // m
    pushed: vec3f,          // by how much colliders moved it, before rounding (m)
    contact: Contact,
}

// Moves a particle out of every collider that it is in or has passed through.
@compute @workgroup_size(LANES)
fn collide(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        xw[i] = collide_one(i, xw[i]);
    }
}

// Where colliders leave a particle that has come to a row.
fn collide_one(i: u32, row: vec4f) -> vec4f {
    if row.w == 0.0 {
        return row;
    }
    let before = row.xyz;
    let base = select(vec3f(0.0), predicted[i].xyz, is_carried());
    let start = predicted[i].xyz - v[i].xyz * params.h;
    var passage = Passage(start, base, before, traits[i].radius, vec3f(0.0), contacts[i]);
    // What one collider pushed out another may have pushed in.
    var touched = 0u;
    for (var round = 0u; round == 0u || (round == 1u && touched > 1u); round++) {
        for (var c = 0u; c < params.collider_count; c++) {
            if (colliders[c].phases & traits[i].phase) != 0u && meet(c, &passage) {
                touched++;
            }
        }
    }
    if passage.contact.depth > 0.0 && is_rigid(i) {
        contacts[i] = passage.contact; // its body is moved as a whole: see rigid.wgsl
    } else if passage.contact.depth > 0.0 {
        let rounded = (passage.row - before) - passage.pushed;
        passage.contact.rounded_x += rounded.x;
        passage.contact.rounded_y += rounded.y;
        passage.contact.rounded_z += rounded.z;
        contacts[i] = passage.contact;
        return vec4f(passage.row, row.w);
    }
    return row;
}

// Keeps a particle out of one collider. Says whether it touched it.
fn meet(c: u32, passage: ptr<function, Passage>) -> bool {
    let collider = colliders[c];
    let before = (*passage).row;
    let radius = (*passage).radius;
    let begin = carried_by(collider, (*passage).start);
    var x = before + (*passage).base;
    let way = distance(begin, x);
    if is_far_of(collider.shape, local_to(collider, x), radius + way, collider.params) {
        return false;
    }
    var out = signed_distance(collider, x);
    if out.w / slope_of(collider.shape) > radius + way {
        return false;
    }
    // What is as thick as the way is long cannot be passed through: the nearest side is right.
    for (var k = 0u; k < MOST_CROSSINGS && way > 0.5 * collider.thickness; k++) {
        let crossing = crossing_of(collider.shape, collider, Way(begin, x, 0.5 * radius));
        let depth = dot(crossing.out.xyz, crossing.point - x) + radius - crossing.out.w;
        if !crossing.is_any || depth <= 0.0 {
            break;
        }
        push_out(c, passage, crossing.out.xyz, depth);
        x = (*passage).row + (*passage).base;
        out = signed_distance(collider, x);
    }
    // What began inside comes out slowly; what came in goes out at once.
    let came_in = max(dot(out.xyz, begin - x), 0.0);
    let depth = min(radius - out.w, came_in + params.max_depenetration * params.h);
    if depth > 0.0 {
        push_out(c, passage, out.xyz, depth);
    }
    return any((*passage).row != before);
}

fn push_out(c: u32, passage: ptr<function, Passage>, normal: vec3f, depth: f32) {
    (*passage).row += normal * depth;
    (*passage).pushed += normal * depth;
    let other = Contact(normal, depth, c, 0.0, 0.0, 0.0);
    (*passage).contact = with_contact((*passage).contact, other);
}

// See `Contact::add`.
fn with_contact(known: Contact, other: Contact) -> Contact {
    var kept = known;
    if other.collider == known.collider && known.depth > 0.0 {
        kept.depth += other.depth;
        kept.normal = other.normal;
    } else if other.depth > known.depth {
        kept.depth = other.depth;
        kept.normal = other.normal;
        kept.collider = other.collider;
    }
    return kept;
}

struct Motion {
    before: vec3f,          // velocity before the solver (m/s)
    after: vec3f,           // velocity after it (m/s)
    moved: vec3f,           // how far it came since the substep began (m)
    point: vec3f,           // where it touches (m)
}

struct Response {
    velocity: vec3f,        // m/s
    slid: vec3f,            // how far it slid before friction slowed it (m)
}

// What contact makes of one particle: see `respond`.
fn respond(contact: Contact, motion: Motion) -> Response {
    let collider = colliders[contact.collider];
    let n = contact.normal;
    let surface = velocity_at(collider, motion.point);
    let after = motion.after - surface;
    let vn_before = dot(motion.before - surface, n);
    let by_itself = dot(after, n) - contact.depth / params.h;
    let is_impact = vn_before < -params.rest_speed;
    let vn_new = max(by_itself, select(0.0, -collider.restitution * vn_before, is_impact));

    let sliding = across(after, n);
    let speed = sqrt(dot(sliding, sliding));
    let most = collider.friction * (vn_new - by_itself);
    let base = surface + n * vn_new;
    // What friction at its limit leaves by rounding must not be a creep.
    if speed <= most + 2e-3 * params.rest_speed {
        return Response(base, across(motion.moved - surface * params.h, n));
    }
    let kept = sliding * (1.0 - most / speed);
    return Response(base + kept, (sliding - kept) * params.h);
}

// The part of a that is not along n.
fn across(a: vec3f, n: vec3f) -> vec3f {
    return a - n * dot(a, n);
}
