// Link bend: C = |(x0 - x1) / l + (x2 - x1) / m| - rest. CPU twin: link_bend.rs
const N = 3;
const P = 3;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let u = (x[0] - x[1]) * rest[0] + (x[2] - x[1]) * rest[1];
    let length = sqrt(dot(u, u));
    let n = u * div_or_zero(1.0, length);
    let g0 = n * rest[0];
    let g2 = n * rest[1];
    return Eval(length - rest[2], array(g0, -(g0 + g2), g2));
}
