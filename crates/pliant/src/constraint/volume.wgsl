// Volume: C = (x1-x0)×(x2-x0)·(x3-x0) / 6 - rest_volume. CPU twin: volume.rs
const N = 4;
const P = 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let e1 = x[1] - x[0];
    let e2 = x[2] - x[0];
    let e3 = x[3] - x[0];
    let sixth = 1.0 / 6.0;
    let g1 = cross(e2, e3) * sixth;
    let g2 = cross(e3, e1) * sixth;
    let g3 = cross(e1, e2) * sixth;
    return Eval(dot(g3, e3) - rest[0], array(-(g1 + g2 + g3), g1, g2, g3));
}
