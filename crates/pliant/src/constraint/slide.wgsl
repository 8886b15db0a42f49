// Slide: C = n . x0 - d. CPU twin: slide.rs
const N = 1;
const P = 4;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let n = vec3f(rest[0], rest[1], rest[2]);
    return Eval(dot(n, x[0]) - rest[3], array<vec3f, N>(n));
}
