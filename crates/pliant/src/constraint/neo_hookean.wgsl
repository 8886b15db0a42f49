// Neo-Hookean shear: C = sqrt(I - 4 J + J^2), I = tr F^T F, J = det F. CPU twin: neo_hookean.rs
const N = 4;
const P = 9;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    var f: array<vec3f, 3>;
    for (var d = 0u; d < 3u; d++) {
        f[d] = (x[1] - x[0]) * rest[3 * d] + (x[2] - x[0]) * rest[3 * d + 1]
            + (x[3] - x[0]) * rest[3 * d + 2];
    }
    let cofactor = array(cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1]));
    let j = dot(f[0], cofactor[0]);
    let c = sqrt(energy(f, j));
    let over_c = div_or_zero(1.0, c);
    var grad: array<vec3f, N>;
    for (var d = 0u; d < 3u; d++) {
        let p = (f[d] + cofactor[d] * (j - 2.0)) * over_c;
        for (var k = 0u; k < 3u; k++) {
            grad[k + 1] += p * rest[3 * d + k];
        }
    }
    grad[0] = -(grad[1] + grad[2] + grad[3]);
    return Eval(c, grad);
}

// I - 4 J + J^2, by the form that keeps its digits.
fn energy(f: array<vec3f, 3>, j: f32) -> f32 {
    let squares = vec3f(dot(f[0], f[0]), dot(f[1], f[1]), dot(f[2], f[2]));
    let plain = squares.x + squares.y + squares.z - 4.0 * j + j * j;
    let e = (squares - 1.0) * 0.5;
    let xy = dot(f[0], f[1]) * 0.5;
    let yz = dot(f[1], f[2]) * 0.5;
    let zx = dot(f[2], f[0]) * 0.5;
    let trace = e.x + e.y + e.z;
    let minors = e.x * e.y - xy * xy + e.y * e.z - yz * yz + e.z * e.x - zx * zx;
    let det = e.x * (e.y * e.z - yz * yz) - xy * (xy * e.z - yz * zx) + zx * (xy * yz - e.y * zx);
    let over = 1.0 / (1.0 + j);
    let growth = (2.0 * trace + 4.0 * minors + 8.0 * det) * over;
    let near = (2.0 * trace * growth - 8.0 * minors - 16.0 * det) * over + growth * growth;
    return max(select(plain, near, j > 0.5 && abs(trace) < 1.0), 0.0);
}
