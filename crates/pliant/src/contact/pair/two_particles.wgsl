// Two particles. CPU twin: two_particles.rs

fn two_particles(x: array<vec3f, 4>) -> Near {
    return without_sides(vec4f(1.0, -1.0, 0.0, 0.0), x);
}
