// Shear: C = f . g, f = sum of a[k] (x[k + 1] - x[0]), g likewise of b, a and b one after the other
// in `rest`. CPU twin: shear.rs, which puts N and P before this: 3 and 4 for triangles, 4 and 6 for
// tetrahedra.

const EDGES = N - 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    var f = vec3f(0.0);
    var g = vec3f(0.0);
    for (var k = 0u; k < EDGES; k++) {
        f += (x[k + 1] - x[0]) * rest[k];
        g += (x[k + 1] - x[0]) * rest[k + EDGES];
    }
    var grad: array<vec3f, N>;
    for (var k = 0u; k < EDGES; k++) {
        grad[k + 1] = g * rest[k] + f * rest[k + EDGES];
        grad[0] -= grad[k + 1];
    }
    return Eval(dot(f, g), grad);
}
