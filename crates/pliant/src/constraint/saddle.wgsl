// Saddle: C = sqrt(|s|^2 + |t|^2) - c0, s = sum of rest[i] (x[i + 1] - x[0]), t likewise of the next
// N - 1. CPU twin: saddle.rs, which puts N and P before this: 6 and 11 inside a sheet, 5 and 9 at its
// edge.

const EDGES = N - 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    var s = vec3f(0.0);
    var t = vec3f(0.0);
    for (var i = 0u; i < EDGES; i++) {
        s += (x[i + 1] - x[0]) * rest[i];
        t += (x[i + 1] - x[0]) * rest[EDGES + i];
    }
    let size = sqrt(dot(s, s) + dot(t, t));
    let over = div_or_zero(1.0, size);
    s *= over;
    t *= over;
    var grad: array<vec3f, N>;
    for (var i = 0u; i < EDGES; i++) {
        grad[i + 1] = s * rest[i] + t * rest[EDGES + i];
        grad[0] -= grad[i + 1];
    }
    return Eval(size - rest[2 * EDGES], grad);
}
