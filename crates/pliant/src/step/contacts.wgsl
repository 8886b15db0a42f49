// Where do particles touch colliders, and how are they kept apart? CPU twin: contacts.rs

// Moves a particle out of every collider that it is in.
@compute @workgroup_size(LANES)
fn collide(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end || xw[i].w == 0.0 {
        return;
    }
    var row = xw[i].xyz;
    let before = row;
    var pushed = vec3f(0.0);
    var contact = contacts[i];
    let base = select(vec3f(0.0), predicted[i].xyz, is_carried());
    let start = predicted[i].xyz - v[i].xyz * params.h;
    // What one collider pushed out another may have pushed in.
    var touched = 0u;
    for (var round = 0u; round == 0u || (round == 1u && touched > 1u); round++) {
        for (var c = 0u; c < params.collider_count; c++) {
            if (colliders[c].phases & traits[i].phase) != 0u {
                let out = signed_distance(colliders[c], row + base);
                // What began inside comes out slowly; what came in goes out at once.
                let way = start + colliders[c].velocity * params.h - (row + base);
                let came_in = max(dot(out.xyz, way), 0.0);
                let depth = min(traits[i].radius - out.w, came_in + params.max_depenetration * params.h);
                if depth > 0.0 {
                    row += out.xyz * depth;
                    pushed += out.xyz * depth;
                    touched++;
                    contact = with_contact(contact, Contact(out.xyz, depth, c, 0.0, 0.0, 0.0));
                }
            }
        }
    }
    if contact.depth > 0.0 {
        let rounded = (row - before) - pushed;
        contact.rounded_x += rounded.x;
        contact.rounded_y += rounded.y;
        contact.rounded_z += rounded.z;
        xw[i] = vec4f(row, xw[i].w);
        contacts[i] = contact;
    }
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
}

struct Response {
    velocity: vec3f,        // m/s
    slid: vec3f,            // how far it slid before friction slowed it (m)
}

// What contact makes of one particle: see `respond`.
fn respond(contact: Contact, motion: Motion) -> Response {
    let collider = colliders[contact.collider];
    let n = contact.normal;
    let after = motion.after - collider.velocity;
    let vn_before = dot(motion.before - collider.velocity, n);
    let by_itself = dot(after, n) - contact.depth / params.h;
    let is_impact = vn_before < -params.rest_speed;
    let vn_new = max(by_itself, select(0.0, -collider.restitution * vn_before, is_impact));

    let sliding = across(after, n);
    let speed = sqrt(dot(sliding, sliding));
    let most = collider.friction * (vn_new - by_itself);
    let base = collider.velocity + n * vn_new;
    // What friction at its limit leaves by rounding must not be a creep.
    if speed <= most + 2e-3 * params.rest_speed {
        return Response(base, across(motion.moved - collider.velocity * params.h, n));
    }
    let kept = sliding * (1.0 - most / speed);
    return Response(base + kept, (sliding - kept) * params.h);
}

// The part of a that is not along n.
fn across(a: vec3f, n: vec3f) -> vec3f {
    return a - n * dot(a, n);
}
