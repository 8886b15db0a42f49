// Isometric bend: C = |k0 x0 + k1 x1 + k2 x2 + k3 x3| - rest. CPU twin: isometric_bend.rs
const N = 4;
const P = 4;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let curvature = (x[1] - x[0]) * rest[0] + (x[2] - x[0]) * rest[1] + (x[3] - x[0]) * rest[2];
    let length = sqrt(dot(curvature, curvature));
    let n = curvature * div_or_zero(1.0, length);
    let g1 = n * rest[0];
    let g2 = n * rest[1];
    let g3 = n * rest[2];
    return Eval(length - rest[3], array(-(g1 + g2 + g3), g1, g2, g3));
}
