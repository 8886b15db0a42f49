// Signed distances on a grid. CPU twin: grid.rs
//
// `fields` has, from row `numbers.x` on: where the first sample is and the distance of neighbours (m);
// how many there are along each axis; the samples, x fastest, four in a row.

fn sdf(x: vec3f, numbers: vec4f) -> vec4f {
    let field = u32(numbers.x);
    let head = fields[field];
    let counts = fields[field + 1u].xyz;
    let high = head.xyz + (counts - 1.0) * head.w;
    let inside = clamp(x, head.xyz, high);
    let at = clamp((x - head.xyz) / head.w, vec3f(0.0), counts - 1.0);
    let cell = min(floor(at), max(counts - 2.0, vec3f(0.0)));
    let share = at - cell;
    var s: array<f32, 8>;
    for (var k = 0u; k < 8u; k++) {
        let corner = min(cell + vec3f(vec3u(k, k >> 1u, k >> 2u) & vec3u(1u)), counts - 1.0);
        s[k] = sample(field, vec3u(corner), vec3u(counts));
    }
    // Along x, then along y, then along z; and the slope of each.
    let on_x = vec4f(s[0], s[2], s[4], s[6]) * (1.0 - share.x) + vec4f(s[1], s[3], s[5], s[7]) * share.x;
    let on_y = on_x.xz * (1.0 - share.y) + on_x.yw * share.y;
    let by_x = vec4f(s[1] - s[0], s[3] - s[2], s[5] - s[4], s[7] - s[6]);
    let by_xy = by_x.xz * (1.0 - share.y) + by_x.yw * share.y;
    let by_y = on_x.yw - on_x.xz;
    var slope = vec3f(
        by_xy.x * (1.0 - share.z) + by_xy.y * share.z,
        by_y.x * (1.0 - share.z) + by_y.y * share.z,
        on_y.y - on_y.x,
    );
    let value = on_y.x * (1.0 - share.z) + on_y.y * share.z;
    let beyond = distance(x, head.xyz + at * head.w);
    let outside = select(0.0, beyond, beyond > 1e-4 * head.w);
    // Beyond the grid, the way back to it takes the place of what the grid says.
    let away = (x - inside) / max(length(x - inside), 1e-30);
    slope = select(slope / head.w, away, x != inside);
    let steep = length(slope);
    return vec4f(select(vec3f(0.0, 1.0, 0.0), slope / steep, steep > 1e-30), value + outside);
}

fn sample(field: u32, at: vec3u, counts: vec3u) -> f32 {
    let index = (at.z * counts.y + at.y) * counts.x + at.x;
    return fields[field + 2u + index / 4u][index % 4u];
}
