// Angle: C = angle at x0 between x1 and x2 - rest_angle. CPU twin: angle.rs
const N = 3;
const P = 1;
const LEAST = 1e-30;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let a = x[1] - x[0];
    let b = x[2] - x[0];
    let normal = cross(a, b);
    let sine = sqrt(dot(normal, normal));
    let n = normal * (1.0 / max(sine, LEAST));
    let g1 = cross(a, n) * (1.0 / max(dot(a, a), LEAST));
    let g2 = cross(n, b) * (1.0 / max(dot(b, b), LEAST));
    return Eval(atan2_single(sine, dot(a, b)) - rest[0], array(-(g1 + g2), g1, g2));
}
