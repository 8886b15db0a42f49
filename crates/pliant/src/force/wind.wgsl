// Wind: drag and lift on every triangle around a particle, a third to each corner. CPU twin: wind.rs
fn wind(force: u32, i: u32) -> vec3f {
    var sum = vec3f(0.0);
    let end = tables[params.of_particle + i + 1u];
    for (var k = tables[params.of_particle + i]; k < end; k++) {
        let triangle = tables[params.around + k];
        if acts_on(force, corner(triangle, 0u)) {
            sum += wind_on(force, triangle);
        }
    }
    return sum * (traits[i].inverse_mass / 3.0);
}

// The force of the wind on a triangle (N).
fn wind_on(force: u32, triangle: u32) -> vec3f {
    let a = corner(triangle, 0u);
    let b = corner(triangle, 1u);
    let c = corner(triangle, 2u);
    let air = vec3f(number(force, 0u), number(force, 1u), number(force, 2u));
    let u = air - (v[a].xyz + v[b].xyz + v[c].xyz) / 3.0;
    let normal = cross(xw[b].xyz - xw[a].xyz, xw[c].xyz - xw[a].xyz);
    let speed = sqrt(dot(u, u));
    let twice_area = sqrt(dot(normal, normal));
    if !(speed > 0.0 && twice_area > 0.0) {
        return vec3f(0.0);
    }
    let n = normal * (select(1.0, -1.0, dot(u, normal) < 0.0) / twice_area);
    let facing = dot(u, n);
    let across = n * speed - u * (facing / speed);
    let strength = 0.25 * number(force, 3u) * twice_area * facing;
    let push = (u * number(force, 4u) + across * number(force, 5u)) * strength;

    // About six triangles share a corner, so a sixth of its mass is this one's.
    let w = vec3f(traits[a].inverse_mass, traits[b].inverse_mass, traits[c].inverse_mass);
    let most = dot(1.0 / w, vec3f(1.0)) / 6.0 * speed / params.h;
    return push * (most / max(sqrt(dot(push, push)), most));
}
