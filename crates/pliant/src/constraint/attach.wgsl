// Attach: C = |x0 - (x1 + b2 (x2 - x1) + b3 (x3 - x1))| - rest_length. CPU twin: attach.rs
const N = 4;
const P = 3;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let d = (x[0] - x[1]) - (x[2] - x[1]) * rest[0] - (x[3] - x[1]) * rest[1];
    let length = sqrt(dot(d, d));
    let n = d * div_or_zero(1.0, length);
    let g2 = -(n * rest[0]);
    let g3 = -(n * rest[1]);
    return Eval(length - rest[2], array(n, -(n + g2 + g3), g2, g3));
}
