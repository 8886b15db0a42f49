// Anchor: C = |x0 - p|. CPU twin: anchor.rs
const N = 1;
const P = 3;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let d = x[0] - vec3f(rest[0], rest[1], rest[2]);
    let length = sqrt(dot(d, d));
    return Eval(length, array<vec3f, N>(d * div_or_zero(1.0, length)));
}
