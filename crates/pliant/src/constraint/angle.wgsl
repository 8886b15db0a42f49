// Angle: C = angle at x0 between x1 and x2 - rest_angle. CPU twin: angle.rs
const N = 3;
const P = 1;
const LEAST = 1e-30;
const LEAST_AREA_SQUARED = 1e-36;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let a = x[1] - x[0];
    let b = x[2] - x[0];
    let normal = cross(a, b);
    let area_squared = dot(normal, normal);
    let inverse = inverseSqrt(max(area_squared, LEAST_AREA_SQUARED));
    let sine = area_squared * inverse;
    let g1 = cross(a, normal) * (1.0 / max(dot(a, a), LEAST)) * inverse;
    let g2 = cross(normal, b) * (1.0 / max(dot(b, b), LEAST)) * inverse;
    return Eval(atan2_single(sine, dot(a, b)) - rest[0], array(-(g1 + g2), g1, g2));
}
