// Dilation: C = sum over the axes d of (|f_d|^2 - 1) / 2, f_d = sum of rest[d, k] (x[k + 1] - x[0]).
// CPU twin: dilation.rs, which puts N and P before this: 3 and 4 for triangles, 4 and 9 for
// tetrahedra.

const EDGES = N - 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    var c = 0.0;
    var grad: array<vec3f, N>;
    for (var d = 0u; d < EDGES; d++) {
        var f = vec3f(0.0);
        for (var k = 0u; k < EDGES; k++) {
            f += (x[k + 1] - x[0]) * rest[d * EDGES + k];
        }
        c += dot(f, f) - 1.0;
        for (var k = 0u; k < EDGES; k++) {
            grad[k + 1] += f * rest[d * EDGES + k];
        }
    }
    for (var k = 1u; k < N; k++) {
        grad[0] -= grad[k];
    }
    return Eval(c * 0.5, grad);
}
