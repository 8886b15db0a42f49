// What did the particles really do? CPU twin: velocity.rs

struct Corrected {
    row: vec4f,
    velocity: vec4f,
}

@compute @workgroup_size(LANES)
fn correct(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        let corrected = correct_one(i, xw[i]);
        xw[i] = corrected.row;
        v[i] = corrected.velocity;
    }
}

// The same, and then what the next substep begins with: one pass over memory instead of two, where
// nothing else comes between.
@compute @workgroup_size(LANES)
fn correct_and_predict(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        let corrected = correct_one(i, xw[i]);
        xw[i] = predict_one(i, corrected.row, corrected.velocity);
    }
}

// Both of them where colliders were the last to move particles in a substep: then one pass does that too.
@compute @workgroup_size(LANES)
fn collide_and_correct(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        let corrected = correct_one(i, collide_one(i, xw[i]));
        xw[i] = corrected.row;
        v[i] = corrected.velocity;
    }
}

@compute @workgroup_size(LANES)
fn collide_correct_and_predict(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        let corrected = correct_one(i, collide_one(i, xw[i]));
        xw[i] = predict_one(i, corrected.row, corrected.velocity);
    }
}

// What a particle has really done, by the row that it has come to.
fn correct_one(i: u32, row: vec4f) -> Corrected {
    let before = v[i].xyz;
    let pushed = row.xyz - select(predicted[i].xyz, vec3f(0.0), is_carried());
    var x = row.xyz + select(vec3f(0.0), predicted[i].xyz, is_carried());
    var after = before + pushed / params.h;
    if params.collider_count > 0u && contacts[i].depth > 0.0 {
        let contact = contacts[i];
        let rounded = vec3f(contact.rounded_x, contact.rounded_y, contact.rounded_z);
        after = before + (pushed - rounded) / params.h;
        let point = x - contact.normal * traits[i].radius;
        let motion = Motion(before, after, pushed + before * params.h, point);
        let response = respond(contact, motion);
        after = response.velocity;
        x -= response.slid;
    }
    return Corrected(vec4f(x, row.w), vec4f(after, 0.0));
}
