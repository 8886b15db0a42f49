// Bend: C = angle between the triangles (x0, x1, x2) and (x1, x0, x3) - rest_angle. CPU twin: bend.rs
const N = 4;
const P = 1;
const LEAST = 1e-30;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let e = x[1] - x[0];
    let p = x[2] - x[0];
    let q = x[3] - x[0];
    let a = cross(e, p);
    let b = cross(q, e);
    let length = sqrt(dot(e, e));

    let angle = atan2_single(dot(cross(b, a), e), dot(a, b) * length);
    let g2 = a * (length / max(dot(a, a), LEAST));
    let g3 = b * (length / max(dot(b, b), LEAST));
    let s = div_or_zero(dot(p, e), dot(e, e));
    let t = div_or_zero(dot(q, e), dot(e, e));
    let g1 = -(g2 * s) - g3 * t;
    let g0 = -(g2 * (1.0 - s)) - g3 * (1.0 - t);
    return Eval(short_way_round(angle - rest[0]), array(g0, g1, g2, g3));
}

fn short_way_round(angle: f32) -> f32 {
    let turned = select(angle, angle - 6.2831853, angle > 3.14159265);
    return select(turned, turned + 6.2831853, turned < -3.14159265);
}
