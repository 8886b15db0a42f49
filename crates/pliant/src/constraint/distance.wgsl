// Distance: C = |x0 - x1| - rest_length. CPU twin: distance.rs
const N = 2;
const P = 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let d = x[0] - x[1];
    let length = sqrt(dot(d, d));
    let n = d * div_or_zero(1.0, length);
    return Eval(length - rest[0], array(n, -n));
}
