// Cones: C = the volume between a surface triangle and the centre of mass, minus that at rest.
// CPU twin: cones.rs

const MASS = KIND_NUMBERS + 3u;

// Columns of a fit.
const REST_CENTRE = 0; // centre of mass at rest (m)
const SHIFT = 1;       // what the centre of mass feels, for each kilogram

// Pass 1: the centre of mass, also at rest.
@compute @workgroup_size(LANES)
fn centre(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let region = params.first + group.x;
    if region >= params.end {
        return;
    }
    let members = members_of_region(region);
    var now = vec3f(0.0);
    var rest = vec3f(0.0);
    for (var member = members.x + lane; member < members.y; member += LANES) {
        now += offset(member, members.x) * mass(member);
        rest += at_rest(member) * mass(member);
    }
    let now_sum = total(lane, vec4f(now, 0.0));
    let rest_sum = total(lane, vec4f(rest, 0.0));
    if lane == 0u {
        fits[region].centre = now_sum / number(region, MASS);
        fits[region].columns[REST_CENTRE] = rest_sum / number(region, MASS);
    }
}

// g of every corner that is given from the centre (m²), as columns.
fn gradients(x: mat3x3f) -> mat3x3f {
    return mat3x3f(cross(x[1], x[2]) / 6.0, cross(x[2], x[0]) / 6.0, cross(x[0], x[1]) / 6.0);
}

// The corners of a part, from the centre (m).
fn corners_now(part: u32) -> mat3x3f {
    let region = tables[params.region_of_part + part];
    let origin = members_of_region(region).x;
    let centre = fits[region].centre.xyz;
    return mat3x3f(
        offset(corner(part, 0u), origin) - centre,
        offset(corner(part, 1u), origin) - centre,
        offset(corner(part, 2u), origin) - centre,
    );
}

fn corners_at_rest(part: u32) -> mat3x3f {
    let centre = fits[tables[params.region_of_part + part]].columns[REST_CENTRE].xyz;
    return mat3x3f(
        at_rest(corner(part, 0u)) - centre,
        at_rest(corner(part, 1u)) - centre,
        at_rest(corner(part, 2u)) - centre,
    );
}

fn volume(x: mat3x3f) -> f32 {
    return dot(x[0], gradients(x)[0]);
}

// Pass 2: the volume of a cone, and what it does to its multiplier.
@compute @workgroup_size(LANES)
fn multiplier(@builtin(global_invocation_id) id: vec3u) {
    let part = params.first + id.x;
    if part >= params.end {
        return;
    }
    let x = corners_now(part);
    let grad = gradients(x);
    var sum = 0.0;
    for (var k = 0u; k < 3u; k++) {
        let member = corner(part, k);
        let corners = corners_of(member);
        let shared_by = f32((corners.y - corners.x) / 2u);
        sum += shared_by * inverse_mass(member) * dot(grad[k], grad[k]);
    }
    let lambda = select(multipliers[part].x, 0.0, is_first_iteration());
    let c = volume(x) - volume(corners_at_rest(part));
    let d_lambda = change(tables[params.region_of_part + part], c, lambda, sum);
    multipliers[part] = vec2f(lambda + d_lambda, d_lambda);
}

// Pass 3: the sum of g times the multiplier's change, over the cones of a member.
@compute @workgroup_size(LANES)
fn pull(@builtin(global_invocation_id) id: vec3u) {
    let member = params.first + id.x;
    if member >= params.end {
        return;
    }
    let corners = corners_of(member);
    var sum = vec3f(0.0);
    for (var k = corners.x; k < corners.y; k += 2u) {
        let grad = gradients(corners_now(tables[k]));
        sum += grad[tables[k + 1u]] * multipliers[tables[k]].y;
    }
    pushes[member].push = vec4f(sum, 0.0);
}

// Pass 4: what the centre of mass feels, for each kilogram.
@compute @workgroup_size(LANES)
fn shift(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let region = params.first + group.x;
    if region >= params.end {
        return;
    }
    let members = members_of_region(region);
    var sum = vec4f(0.0);
    for (var member = members.x + lane; member < members.y; member += LANES) {
        sum += pushes[member].push;
    }
    sum = total(lane, sum);
    if lane == 0u {
        fits[region].columns[SHIFT] = sum / number(region, MASS);
    }
}

// Pass 5: motion, for all cones.
@compute @workgroup_size(LANES)
fn push(@builtin(global_invocation_id) id: vec3u) {
    let member = params.first + id.x;
    if member >= params.end {
        return;
    }
    let shift = fits[tables[params.region_of + member]].columns[SHIFT];
    let own = pushes[member].push * inverse_mass(member);
    pushes[member].push = own - select(shift, vec4f(0.0), is_held(member));
}
