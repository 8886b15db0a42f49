// Attach: C = |x0 - (b1 x1 + b2 x2 + b3 x3)| - rest_length. CPU twin: attach.rs
const N = 4;
const P = 4;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let d = x[0] - (x[1] * rest[0] + x[2] * rest[1] + x[3] * rest[2]);
    let length = sqrt(dot(d, d));
    let n = d * div_or_zero(1.0, length);
    return Eval(length - rest[3], array(n, -(n * rest[0]), -(n * rest[1]), -(n * rest[2])));
}
