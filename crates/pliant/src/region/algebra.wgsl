// The rotation nearest to a matrix, in single precision. CPU twin: algebra.rs
//
// The same eigenproblem by the same method. Single precision knows the eigenvector to about 1e-7
// times the largest eigenvalue over its distance from the next one: rotations agree with the CPU's
// to 1e-6 rad where a pose is about as wide as thick, and the less the nearer it is to a line.

// Weight of the rotation before, as a share of the free mass. Single precision needs more than
// double: less would vanish beside the rounding of the sums.
const MEMORY = 1e-6;

// Width of a pose over its free mass, in sizes squared, below which it counts as a line.
const NARROW = 1e-2;

// Rounds of Jacobi's method: 4 to 6 reach the last bit.
const SWEEPS = 8;

// The rotation nearest to diag(m) + off, as a quaternion with w >= 0; what the sum leaves open is
// not turned (Horn 1987).
//
// A small turn follows from `off` alone, and keeps the digits that it would lose beside m. All
// eigenvalues are less by the trace than on the CPU, which changes no eigenvector.
fn rotation(m: vec3f, off: mat3x3f, free_mass: f32) -> vec4f {
    let held = m + MEMORY * free_mass * leaves_open(m, off, free_mass);
    let x = off[0] + vec3f(held.x, 0.0, 0.0);
    let y = off[1] + vec3f(0.0, held.y, 0.0);
    let z = off[2] + vec3f(0.0, 0.0, held.z);
    let s = 1.0 / max(largest(x), max(largest(y), largest(z)));
    let i = (off[1].z - off[2].y) * s;
    let j = (off[2].x - off[0].z) * s;
    let k = (off[0].y - off[1].x) * s;
    let ij = (x.y + y.x) * s;
    let jk = (y.z + z.y) * s;
    let ki = (z.x + x.z) * s;
    var n = array<array<f32, 4>, 4>(
        array<f32, 4>(0.0, i, j, k),
        array<f32, 4>(i, -2.0 * (y.y + z.z) * s, ij, ki),
        array<f32, 4>(j, ij, -2.0 * (z.z + x.x) * s, jk),
        array<f32, 4>(k, ki, jk, -2.0 * (x.x + y.y) * s),
    );
    let found = main_axis(&n);
    let turned = vec4f(found[1], found[2], found[3], found[0]) * select(1.0, -1.0, found[0] < 0.0);
    // An overflow must not reach the state.
    let is_rotation = abs(dot(turned, turned) - 1.0) < 0.1;
    return select(vec4f(0.0, 0.0, 0.0, 1.0), turned, is_rotation);
}

// Whether a pose is so near to a line that it may turn about it: 0 to 1. Others need no memory, which in
// every substep would take 1e-6 of their spin.
fn leaves_open(m: vec3f, off: mat3x3f, free_mass: f32) -> f32 {
    let x = (off[0] + vec3f(m.x, 0.0, 0.0)) / free_mass;
    let y = (off[1] + vec3f(0.0, m.y, 0.0)) / free_mass;
    let z = (off[2] + vec3f(0.0, 0.0, m.z)) / free_mass;
    // The product of the two largest singular values, or a little more, over the largest.
    let area = length(vec3f(length(cross(x, y)), length(cross(y, z)), length(cross(z, x))));
    let width = area / max(largest(x), max(largest(y), largest(z)));
    // Written so that a point is open.
    return select(1.0, clamp(1.0 - width / NARROW, 0.0, 1.0), width > 0.0);
}

// The rotation that turns by `second` and then by `first`.
fn after(first: vec4f, second: vec4f) -> vec4f {
    let v = first.xyz * second.w + second.xyz * first.w + cross(first.xyz, second.xyz);
    return normalize(vec4f(v, first.w * second.w - dot(first.xyz, second.xyz)));
}

fn largest(column: vec3f) -> f32 {
    return max(abs(column.x), max(abs(column.y), abs(column.z)));
}

// The eigenvector of the largest eigenvalue, by Jacobi's method in a fixed order (Jacobi 1846).
fn main_axis(a: ptr<function, array<array<f32, 4>, 4>>) -> array<f32, 4> {
    var axes: array<array<f32, 4>, 4>;
    for (var k = 0u; k < 4u; k++) {
        axes[k][k] = 1.0;
    }
    for (var sweep = 0; sweep < SWEEPS; sweep++) {
        for (var p = 0u; p < 3u; p++) {
            for (var q = p + 1u; q < 4u; q++) {
                turn(a, &axes, p, q);
            }
        }
    }
    var best = 0u;
    for (var k = 1u; k < 4u; k++) {
        best = select(best, k, (*a)[k][k] > (*a)[best][best]);
    }
    return array<f32, 4>(axes[0][best], axes[1][best], axes[2][best], axes[3][best]);
}

// Makes a[p][q] zero by a rotation in the plane of both axes.
fn turn(
    a: ptr<function, array<array<f32, 4>, 4>>,
    axes: ptr<function, array<array<f32, 4>, 4>>,
    p: u32,
    q: u32,
) {
    let off = (*a)[p][q];
    // A smaller angle would change no bit, and its cotangent might overflow.
    if abs(off) <= 1e-9 * (abs((*a)[p][p]) + abs((*a)[q][q])) {
        return;
    }
    let tau = ((*a)[q][q] - (*a)[p][p]) / (2.0 * off);
    let t = select(-1.0, 1.0, tau >= 0.0) / (abs(tau) + sqrt(1.0 + tau * tau));
    let c = 1.0 / sqrt(1.0 + t * t);
    let s = t * c;
    for (var k = 0u; k < 4u; k++) {
        let x = (*a)[k][p];
        let y = (*a)[k][q];
        (*a)[k][p] = c * x - s * y;
        (*a)[k][q] = s * x + c * y;
    }
    for (var k = 0u; k < 4u; k++) {
        let x = (*a)[p][k];
        let y = (*a)[q][k];
        (*a)[p][k] = c * x - s * y;
        (*a)[q][k] = s * x + c * y;
    }
    for (var k = 0u; k < 4u; k++) {
        let x = (*axes)[k][p];
        let y = (*axes)[k][q];
        (*axes)[k][p] = c * x - s * y;
        (*axes)[k][q] = s * x + c * y;
    }
}

// The matrix of a quaternion of unit length.
fn matrix(r: vec4f) -> mat3x3f {
    let d = 2.0 * r * r;
    let by = small_matrix(r);
    return mat3x3f(
        vec3f(1.0 - d.y - d.z, by[0].yz),
        vec3f(by[1].x, 1.0 - d.x - d.z, by[1].z),
        vec3f(by[2].xy, 1.0 - d.x - d.y),
    );
}

// The same less the identity: small where the turn is small, and with all digits.
fn small_matrix(r: vec4f) -> mat3x3f {
    let d = 2.0 * r * r;
    let xy = 2.0 * r.x * r.y;
    let yz = 2.0 * r.y * r.z;
    let zx = 2.0 * r.z * r.x;
    let w = 2.0 * r.w * r.xyz;
    return mat3x3f(
        vec3f(-d.y - d.z, xy + w.z, zx - w.y),
        vec3f(xy - w.z, -d.x - d.z, yz + w.x),
        vec3f(zx + w.y, yz - w.x, -d.x - d.y),
    );
}

// The quaternion of unit length in a row, and the identity if there is none.
fn unit(row: vec4f) -> vec4f {
    let square = dot(row, row);
    if !(square > 1e-12 && square < 1e30) {
        return vec4f(0.0, 0.0, 0.0, 1.0);
    }
    return row / sqrt(square);
}
