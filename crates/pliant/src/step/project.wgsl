// One colour of constraints, solved by XPBD or PBD: what is the same for every kind.
// A kind's shader is its own file (N, P, eval), UNIT_GRADIENTS, SENSE (0: C = 0, 1: C >= 0, -1: C <= 0), and this
// one. CPU twin: project.rs

struct Eval {
    c: f32,
    grad: array<vec3f, N>,
}

struct Params {
    first: u32,       // slot of the first constraint of the colour
    end: u32,         // slot after the last
    count: u32,       // constraints of the set: the length of a rest column
    flags: u32,       // FIRST_ITERATION | PBD | CARRIED | JACOBI
    h: f32,           // s
    omega: f32,       // multiple of each correction that is made
    hold_mask: u32,   // 0 where all constraints hold alike and share a row of `hold`, else all bits
    pad: u32,
}

const FIRST_ITERATION = 1u;
const PBD = 2u;
const CARRIED = 4u; // rows are displacements from `predicted`
const JACOBI = 8u;  // all see `xw`, and `moves` sums up where that takes them

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> ids: array<u32>;
@group(0) @binding(4) var<storage, read> rest_values: array<f32>;
@group(0) @binding(5) var<storage, read> hold: array<vec4f>; // compliance, damping, share, 0
@group(0) @binding(6) var<storage, read_write> lambda: array<f32>;
@group(0) @binding(7) var<storage, read_write> moves: array<vec4f>; // Jacobi: Σ Δx and n w

// a / b, and 0 where b is not positive: a degenerate constraint moves nothing.
fn div_or_zero(a: f32, b: f32) -> f32 {
    return select(0.0, a / b, b > 0.0);
}

// See `atan2_single` in lanes.rs.
fn atan2_single(y: f32, x: f32) -> f32 {
    let ay = abs(y);
    let ax = abs(x);
    let low = min(ay, ax);
    let high = max(ay, max(ax, 1e-37));
    let is_far = 0.41421356 * high < low;
    let top = select(low, low - high, is_far);
    let bottom = select(high, low + high, is_far);
    let octant = select(0.0, 0.78539816, is_far);
    let quadrant = select(octant, 1.57079633 - octant, ax < ay);
    let half = select(quadrant, 3.14159265 - quadrant, x < 0.0);
    let base = select(half, -half, y < 0.0);
    let is_turned = ((ax < ay) != (x < 0.0)) != (y < 0.0);
    let t = select(top, -top, is_turned) / bottom;
    let z = t * t;
    let p = (8.0537445e-2 * z - 0.13877686) * (z * z) + (0.1997771 * z - 0.3333295);
    return p * (z * t) + t + base;
}

@compute @workgroup_size(64)
fn project(@builtin(global_invocation_id) id: vec3u) {
    let slot = params.first + id.x;
    if slot >= params.end {
        return;
    }
    let is_jacobi = (params.flags & JACOBI) != 0u;
    let is_carried = (params.flags & CARRIED) != 0u;
    var rows: array<vec3f, N>;
    var moved: array<vec4f, N>;
    var x: array<vec3f, N>;
    var w: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        let i = ids[slot * N + k];
        let row = xw[i];
        rows[k] = row.xyz;
        w[k] = row.w;
        moved[k] = row;
        x[k] = row.xyz;
        if is_carried {
            x[k] += predicted[i].xyz;
        }
        if is_jacobi {
            moved[k] = moves[i];
        }
    }
    var rest: array<f32, P>;
    for (var p = 0u; p < P; p++) {
        rest[p] = rest_values[p * params.count + slot];
    }
    var old = 0.0;
    if (params.flags & FIRST_ITERATION) == 0u {
        old = lambda[slot];
    }

    let e = eval(x, rest);
    var parts: array<f32, N>;
    for (var k = 0u; k < N; k++) {
        parts[k] = moved[k].w;
    }
    var particles: array<u32, N>;
    for (var k = 0u; k < N; k++) {
        particles[k] = ids[slot * N + k];
    }
    let held = hold[slot & params.hold_mask];
    let by = change(held, particles, rows, e, vec2f(old, weighted_gradient(e.grad, parts)));
    let d_lambda = allowed(old, params.omega * by);

    lambda[slot] = old + d_lambda;
    for (var k = 0u; k < N; k++) {
        let i = particles[k];
        let row = vec4f(moved[k].xyz + e.grad[k] * (w[k] * d_lambda), moved[k].w);
        if is_jacobi {
            moves[i] = row;
        } else {
            xw[i] = row;
        }
    }
}

// Σ w|∇C|², which is Σ w where gradients are unit vectors.
fn weighted_gradient(grad: array<vec3f, N>, w: array<f32, N>) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < N; k++) {
        sum += select(w[k] * dot(grad[k], grad[k]), w[k], UNIT_GRADIENTS);
    }
    return sum;
}

// The multiplier's change: `xpbd`, `xpbd_damped` (which is `xpbd` without a dashpot) or `pbd`. `sums` has
// the multiplier, and the masses with the squares of their gradients.
fn change(
    held: vec4f,
    particles: array<u32, N>,
    rows: array<vec3f, N>,
    e: Eval,
    sums: vec2f,
) -> f32 {
    let old = sums.x;
    let sum = sums.y;
    if (params.flags & PBD) != 0u {
        return div_or_zero(-e.c, sum) * held.z;
    }
    let alpha = held.x / (params.h * params.h);
    let gamma = alpha * held.y * params.h;
    var motion = 0.0;
    if gamma > 0.0 {
        for (var k = 0u; k < N; k++) {
            let i = particles[k];
            let start = select(predicted[i].xyz, vec3f(0.0), (params.flags & CARRIED) != 0u);
            motion += dot(e.grad[k], rows[k] - start + v[i].xyz * params.h);
        }
    }
    return div_or_zero(-e.c - alpha * old - gamma * motion, (1.0 + gamma) * sum + alpha);
}

// The part of λ's change that keeps it on the side on which the constraint may act.
fn allowed(old: f32, by: f32) -> f32 {
    if SENSE > 0 {
        return max(old + by, 0.0) - old;
    }
    if SENSE < 0 {
        return min(old + by, 0.0) - old;
    }
    return by;
}
