// Shape matching: the goals of a rest shape that is fitted rigidly, linearly or quadratically.
// CPU twin: matched.rs
//
// Held members weigh 1e4 times their region, which would leave single precision three digits for
// the others. Two things keep them. Rest positions are given along the principal axes E of the
// region, so that the large and the small do not mix: M = sum of m q q^T is diagonal in the linear
// columns. And what is summed is not p but d = p - R0 q, how far the shape is from its last
// rotation R0: the sums are small where the shape is near its rest shape, and so are their errors.
// With D = sum of m d q^T,
//
//     A = (R0 M + D) M^+,    R = R0 times the rotation nearest to M + R0^T D
//
// which is what the CPU computes from p. Positions and rotations agree to 3e-6, with held members
// and without, flat or not, but in a shape that may turn about two held members: there to 3e-7 if
// it has turned by 0.01 rad since the last fit, to 2e-6 for 0.1 rad, to 5e-5 for 1 rad. A rest
// shape that is nearly a quadric has quadratic columns that are nearly 0, and agrees the less the
// nearer it is.

const MODE = KIND_NUMBERS;
const BETA = KIND_NUMBERS + 1u;
const KEEP_VOLUME = KIND_NUMBERS + 2u;
const EXPLICIT = KIND_NUMBERS + 3u;
// See `Rest` and `twin`. The centre is not needed here: rest positions are given from it.
const REST = KIND_NUMBERS + 4u;
const SIZE = REST + 3u;
const MASS = REST + 4u;
const MEANS = REST + 5u;
const MISSING = REST + 14u;
const INVERSE = REST + 23u;
const AXES = REST + 104u;
const SQUARES = REST + 113u;
const PROJECTION = REST + 116u;

// Columns of a region's mode.
fn column_count(region: u32) -> u32 {
    return select(3u, 9u, number(region, MODE) == 2.0);
}

// The columns of a member: rest position from the centre, and its products, in sizes.
fn columns_of(region: u32, member: u32) -> array<f32, 9> {
    let q = at_rest(member) / number(region, SIZE);
    let xx = q * q;
    let xy = q * q.yzx;
    var all = array<f32, 9>(q.x, q.y, q.z, xx.x, xx.y, xx.z, xy.x, xy.y, xy.z);
    for (var k = 3u; k < 9u; k++) {
        all[k] -= number(region, MEANS + k);
    }
    return all;
}

// The position of a member that is fitted, from the region's first (m).
fn pose(region: u32, member: u32, origin: u32) -> vec3f {
    if number(region, EXPLICIT) == 1.0 {
        return start_offset(member, origin);
    }
    return offset(member, origin);
}

// How far a member is from where the last rotation has it, both from the region's first member (m).
fn misfit(region: u32, member: u32, origin: u32, r0: mat3x3f) -> vec3f {
    return pose(region, member, origin) - r0 * at_rest(member);
}

// Pass 1: the centre and the transformation T of a region. What is kept of T is by how much it differs
// from R0, and in the fourth rows R0 itself.
@compute @workgroup_size(LANES)
fn fit(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let region = params.first + group.x;
    if region >= params.end {
        return;
    }
    let members = members_of_region(region);
    let count = column_count(region);
    let before = unit(fits[region].state);
    let axes = three_columns(region, AXES);
    let r0 = matrix(before) * axes;
    var centre = vec4f(0.0); // w is the mass of the members that are free (kg)
    var moments: array<vec3f, 9>;
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let d = misfit(region, member, members.x, r0) * weight(member);
        let q = columns_of(region, member);
        centre += vec4f(d, select(mass(member), 0.0, is_held(member)));
        for (var k = 0u; k < count; k++) {
            moments[k] += d * q[k];
        }
    }
    centre = total(lane, centre);
    // What rounding left out of the centre: in every substep it would be a push of the whole shape.
    let rough = centre.xyz / number(region, MASS);
    var left = vec4f(0.0);
    for (var member = members.x + lane; member < members.y; member += LANES) {
        left += vec4f((misfit(region, member, members.x, r0) - rough) * weight(member), 0.0);
    }
    left = total(lane, left);
    for (var k = 0u; k < count; k++) {
        moments[k] = total(lane, vec4f(moments[k], 0.0)).xyz;
    }
    if lane > 0u || centre.w == 0.0 {
        return;
    }
    let per_size = 1.0 / number(region, SIZE);
    let off = transpose(r0) * mat3x3f(moments[0], moments[1], moments[2]) * per_size;
    let turn = rotation(column(region, SQUARES), off, centre.w);
    let turned = after(before, vec4f(axes * turn.xyz, turn.w));
    // R - R0 of the turn alone: as the difference of two rotations it would be rounded to 6e-8 rad, which
    // in every substep is a push that turns the whole shape.
    let turning = wide(region, r0 * small_matrix(turn));
    let strain = goal_from_rotated(region, moments, r0, matrix(turned) * axes);
    fits[region].state = turned;
    fits[region].centre = vec4f(rough + left.xyz / number(region, MASS), 0.0);
    for (var k = 0u; k < 9u; k++) {
        let last = select(0.0, before[k % 4u], k < 4u);
        fits[region].columns[k] = vec4f(turning[k] + strain[k], last);
    }
}

// Nine numbers of a region, from the k-th on, as a matrix.
fn three_columns(region: u32, k: u32) -> mat3x3f {
    return mat3x3f(column(region, k), column(region, k + 3u), column(region, k + 6u));
}

fn column(region: u32, k: u32) -> vec3f {
    return vec3f(number(region, k), number(region, k + 1u), number(region, k + 2u));
}

// The columns of T - R = beta (A - R), for rest positions in sizes.
fn goal_from_rotated(
    region: u32,
    moments: array<vec3f, 9>,
    r0: mat3x3f,
    r: mat3x3f,
) -> array<vec3f, 9> {
    let rotated = wide(region, r);
    let beta = number(region, BETA);
    var a: array<vec3f, 9>;
    if number(region, MODE) == 0.0 || beta == 0.0 {
        return a;
    }
    let count = column_count(region);
    for (var k = 0u; k < count; k++) {
        a[k] = r0 * column(region, PROJECTION + 3u * k) * number(region, SIZE);
        for (var j = 0u; j < count; j++) {
            a[k] += moments[j] * number(region, INVERSE + 9u * j + k);
        }
    }
    if number(region, KEEP_VOLUME) == 1.0 {
        a = with_volume(region, a, r);
    }
    for (var k = 0u; k < 9u; k++) {
        a[k] = (a[k] - rotated[k]) * beta;
    }
    return a;
}

// A matrix as the linear columns of nine.
fn wide(region: u32, m: mat3x3f) -> array<vec3f, 9> {
    var all: array<vec3f, 9>;
    for (var k = 0u; k < 3u; k++) {
        all[k] = m[k] * number(region, SIZE);
    }
    return all;
}

const LEAST_VOLUME = 0.1;

// A, scaled so that its linear part has determinant 1.
fn with_volume(region: u32, a: array<vec3f, 9>, r: mat3x3f) -> array<vec3f, 9> {
    let missing = three_columns(region, MISSING);
    let rotated = wide(region, r);
    let fill = wide(region, r * missing);
    let share = clamp(volume(region, a, fill) / LEAST_VOLUME, 0.0, 1.0);
    var mixed: array<vec3f, 9>;
    for (var k = 0u; k < 9u; k++) {
        mixed[k] = a[k] * share + (rotated[k] - fill[k]) * (1.0 - share);
    }
    let kept = volume(region, mixed, fill);
    if !(kept >= LEAST_VOLUME / 2.0) {
        return rotated;
    }
    let scale = root(kept, missing[0].x + missing[1].y + missing[2].z);
    for (var k = 0u; k < 9u; k++) {
        mixed[k] /= scale;
    }
    return mixed;
}

// The determinant of the linear part, with `fill` where the rest shape has no column.
fn volume(region: u32, a: array<vec3f, 9>, fill: array<vec3f, 9>) -> f32 {
    let per_size = 1.0 / number(region, SIZE);
    let x = (a[0] + fill[0]) * per_size;
    let y = (a[1] + fill[1]) * per_size;
    let z = (a[2] + fill[2]) * per_size;
    return dot(x, cross(y, z));
}

// By what lengths grow for a volume: its root of degree 3, less the directions that are missing.
fn root(volume: f32, flatness: f32) -> f32 {
    if flatness >= 1.5 {
        return volume;
    }
    if flatness >= 0.5 {
        return sqrt(volume);
    }
    // `pow` need not be exact; one step of Newton's method makes it so.
    let rough = pow(volume, 1.0 / 3.0);
    return rough - (rough - volume / (rough * rough)) / 3.0;
}

// Pass 2: moves a member towards its goal.
@compute @workgroup_size(LANES)
fn pull(@builtin(global_invocation_id) id: vec3u) {
    let member = params.first + id.x;
    if member >= params.end {
        return;
    }
    let region = tables[params.region_of + member];
    if is_held(member) || (number(region, EXPLICIT) == 1.0 && !is_first_iteration()) {
        pushes[member].push = vec4f(0.0);
        return;
    }
    let q = columns_of(region, member);
    var before: vec4f;
    for (var k = 0u; k < 4u; k++) {
        before[k] = fits[region].columns[k].w;
    }
    // centre + T q − p, as small numbers: their sum over all members stays 0.
    let r0 = matrix(before) * three_columns(region, AXES);
    var missing =
        fits[region].centre.xyz - misfit(region, member, members_of_region(region).x, r0);
    for (var k = 0u; k < column_count(region); k++) {
        missing += fits[region].columns[k].xyz * q[k];
    }
    let given = select(pushes[member].given.xyz, vec3f(0.0), is_first_iteration());
    let firm = firmness(region);
    let push = (missing - given * firm.y) * firm.x;
    pushes[member] = Push(vec4f(push, 0.0), vec4f(given + push, 0.0));
}
