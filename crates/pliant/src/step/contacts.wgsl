// Where do particles touch colliders, and how are they kept apart? CPU twin: contacts.rs

// Moves a particle out of every collider that it is in.
@compute @workgroup_size(LANES)
fn collide(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end || xw[i].w == 0.0 {
        return;
    }
    var row = xw[i].xyz;
    var contact = contacts[i];
    let base = select(vec3f(0.0), predicted[i].xyz, is_carried());
    for (var c = 0u; c < params.collider_count; c++) {
        if (colliders[c].phases & traits[i].phase) != 0u {
            let out = signed_distance(colliders[c], row + base);
            let depth = traits[i].radius - out.w;
            if depth > 0.0 {
                row += out.xyz * depth;
                contact = with_contact(contact, Contact(out.xyz, depth, c, 0u, 0u, 0u));
            }
        }
    }
    if contact.depth > 0.0 {
        xw[i] = vec4f(row, xw[i].w);
        contacts[i] = contact;
    }
}

// See `Contact::add`.
fn with_contact(known: Contact, other: Contact) -> Contact {
    if other.collider == known.collider && known.depth > 0.0 {
        var both = other;
        both.depth += known.depth;
        return both;
    }
    if other.depth > known.depth {
        return other;
    }
    return known;
}

struct Motion {
    before: vec3f,          // velocity before the solver (m/s)
    after: vec3f,           // velocity after it (m/s)
    moved: vec3f,           // how far it came since the substep began (m)
}

struct Response {
    velocity: vec3f,        // m/s
    slid: vec3f,            // how far it slid although it sticks (m)
}

// What contact makes of one particle: see `respond`.
fn respond(contact: Contact, motion: Motion) -> Response {
    let collider = colliders[contact.collider];
    let n = contact.normal;
    let after = motion.after - collider.velocity;
    let vn_before = dot(motion.before - collider.velocity, n);
    let vn = dot(after, n);
    let by_itself = vn - contact.depth / params.h;
    let calm = min(vn, max(params.max_depenetration, by_itself));
    let is_impact = vn_before < -params.rest_speed;
    let vn_new = max(calm, select(0.0, -collider.restitution * vn_before, is_impact));

    let sliding = across(after, n);
    let speed = sqrt(dot(sliding, sliding));
    let most = collider.friction * max(vn_new - by_itself, 0.0);
    let base = collider.velocity + n * vn_new;
    if speed <= most {
        return Response(base, across(motion.moved - collider.velocity * params.h, n));
    }
    return Response(base + sliding * (1.0 - most / speed), vec3f(0.0));
}

// The part of a that is not along n.
fn across(a: vec3f, n: vec3f) -> vec3f {
    return a - n * dot(a, n);
}
