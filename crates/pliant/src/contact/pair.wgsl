// Pairs of things that can touch: where are they nearest, and on which side? A pair's own file has a
// function of its name; `near_of` chooses among them. A pair of fewer than four particles repeats its
// first with weight 0. CPU twin: pair.rs

struct Near {
    b: vec4f,               // one number per particle: the sum of b x leads from the second to the first
    d: vec3f,               // that vector (m)
    across: vec3f,          // across both parties, of any length; 0 where they have no sides
    turned: f32,            // more than 0 where the first party is on the side to which that points
    inside: f32,            // 1 where the nearest points are inside both parties
}

// a / b, and 0 where b is not positive.
fn div_or_zero(a: f32, b: f32) -> f32 {
    return select(0.0, a / b, b > 0.0);
}

fn weighted(b: vec4f, x: array<vec3f, 4>) -> vec3f {
    return x[0] * b.x + x[1] * b.y + x[2] * b.z + x[3] * b.w;
}

// 1 where t is strictly between 0 and 1.
fn between(t: f32) -> f32 {
    return select(0.0, 1.0, t > 0.0 && t < 1.0);
}

// For parties that have no sides.
fn without_sides(b: vec4f, x: array<vec3f, 4>) -> Near {
    return Near(b, weighted(b, x), vec3f(0.0), 0.0, 0.0);
}
