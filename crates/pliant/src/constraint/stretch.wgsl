// Stretch: C = (|f|^2 - 1) / 2, f = sum of a[k] (x[k + 1] - x[0]). CPU twin: stretch.rs, which
// puts N and P before this: 3 and 2 for triangles, 4 and 3 for tetrahedra.

fn eval(x: array<vec3f, N>, a: array<f32, P>) -> Eval {
    var f = vec3f(0.0);
    for (var k = 0u; k < P; k++) {
        f += (x[k + 1] - x[0]) * a[k];
    }
    var grad: array<vec3f, N>;
    for (var k = 0u; k < P; k++) {
        grad[k + 1] = f * a[k];
        grad[0] -= grad[k + 1];
    }
    return Eval((dot(f, f) - 1.0) * 0.5, grad);
}
