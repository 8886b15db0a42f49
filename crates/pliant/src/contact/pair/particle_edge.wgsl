// A particle and an edge, such as a link of a rope. CPU twin: particle_edge.rs

fn particle_edge(x: array<vec3f, 4>) -> Near {
    let e = x[2] - x[1];
    let t = clamp(div_or_zero(dot(x[0] - x[1], e), dot(e, e)), 0.0, 1.0);
    return without_sides(vec4f(1.0, t - 1.0, -t, 0.0), x);
}
