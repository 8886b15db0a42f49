// Curvature: C = |k| - c0, k = sum of rest[i] (x[i + 1] - x[0]). CPU twin: curvature.rs, which puts
// N = P before this: 5, 7, 9 or 13.

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    var kappa = vec3f(0.0);
    var sum = 0.0;
    for (var i = 0u; i < N - 1; i++) {
        kappa += (x[i + 1] - x[0]) * rest[i];
        sum += rest[i];
    }
    let size = sqrt(dot(kappa, kappa));
    let n = kappa * div_or_zero(1.0, size);
    var grad: array<vec3f, N>;
    grad[0] = -(n * sum);
    for (var i = 0u; i < N - 1; i++) {
        grad[i + 1] = n * rest[i];
    }
    return Eval(size - rest[N - 1], grad);
}
