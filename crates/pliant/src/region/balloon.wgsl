// Balloon: C = V - k V0, V the volume inside a closed surface. CPU twin: balloon.rs

const PRESSURE = KIND_NUMBERS;
const RATE = KIND_NUMBERS + 1u;
const REST_VOLUME = KIND_NUMBERS + 2u;

// Pass 1: the gradient of C at every member (m²).
@compute @workgroup_size(LANES)
fn gradient(@builtin(global_invocation_id) id: vec3u) {
    let member = params.first + id.x;
    if member >= params.end {
        return;
    }
    let origin = members_of_region(tables[params.region_of + member]).x;
    let corners = corners_of(member);
    var sum = vec3f(0.0);
    for (var k = corners.x; k < corners.y; k += 2u) {
        let b = corner(tables[k], (tables[k + 1u] + 1u) % 3u);
        let c = corner(tables[k], (tables[k + 1u] + 2u) % 3u);
        sum += cross(offset(b, origin), offset(c, origin));
    }
    pushes[member].push = vec4f(sum / 6.0, 0.0);
}

// Pass 2: the volume, and what it does to the multiplier.
@compute @workgroup_size(LANES)
fn multiplier(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let region = params.first + group.x;
    if region >= params.end {
        return;
    }
    let members = members_of_region(region);
    var part = vec4f(0.0); // 3 V, and the weighted sum of squared gradients
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let grad = pushes[member].push.xyz;
        part.x += dot(grad, offset(member, members.x));
        part.y += inverse_mass(member) * dot(grad, grad);
    }
    let sum = total(lane, part);
    if lane > 0u {
        return;
    }
    var state = fits[region].state;
    if is_first_iteration() {
        state.x = 0.0;
        state.y = pumped(state.y, number(region, PRESSURE), number(region, RATE));
    }
    let c = sum.x / 3.0 - state.y * number(region, REST_VOLUME);
    let d_lambda = change(region, c, state.x, sum.y);
    state.x += d_lambda;
    fits[region].state = state;
    fits[region].centre.w = d_lambda;
}

// What k becomes in a substep.
fn pumped(k: f32, pressure: f32, rate: f32) -> f32 {
    if rate == 0.0 {
        return pressure;
    }
    return k + clamp(pressure - k, -rate * params.h, rate * params.h);
}

// Pass 3: the gradient becomes motion.
@compute @workgroup_size(LANES)
fn push(@builtin(global_invocation_id) id: vec3u) {
    let member = params.first + id.x;
    if member >= params.end {
        return;
    }
    let d_lambda = fits[tables[params.region_of + member]].centre.w;
    pushes[member].push *= inverse_mass(member) * d_lambda;
}
