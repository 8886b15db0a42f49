// Regions of one kind, solved together: what is the same for every kind. A kind's shader is this
// file, `parallel.wgsl` and its own, whose entry points are its passes; `gather` ends an iteration.
// CPU twin: region.rs
//
// A pass over regions has a workgroup for each; one over parts, members or particles has a lane
// for each. Where the CPU sums in double precision, positions are first taken from a member of the
// same region, so that they are small; sums run in a fixed order, so that they are always the
// same.

const LANES = 64u;

struct Params {
    first: u32,          // row of the dispatch's first workgroup or lane
    end: u32,            // row after the last
    flags: u32,          // FIRST_ITERATION | PBD | CARRIED
    h: f32,              // s
    // Where columns start in `tables`:
    starts: u32,         // first member of each region, and the end of the last
    members: u32,        // particle of each member
    region_of: u32,      // region of each member
    of_particle: u32,    // first of a particle's members in `members_of`, and the end of the last
    members_of: u32,
    parts: u32,          // corners of each part, as three members
    region_of_part: u32,
    of_member: u32,      // first of a member's corners in `corners`, and the end of the last
    corners: u32,        // part, and which of its corners the member is
    // And in `numbers`, where the rows of the regions come first:
    region_row: u32,     // length of such a row
    member_rows: u32,    // start of the rows of the members
    extra: u32,          // in `tables` again: whatever the kind puts there
}

const FIRST_ITERATION = 1u;
const PBD = 2u;
const CARRIED = 4u; // rows are displacements from `predicted`

struct Push {
    push: vec4f,         // how far a member should go (m); between passes, whatever the kind puts
    given: vec4f,        // how far it was pushed in this substep (m)
}

struct Fit {
    state: vec4f,        // what a region remembers from substep to substep
    centre: vec4f,       // a point, from the region's first member (m); w is the change of λ
    columns: array<vec4f, 9>,
}

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> tables: array<u32>;
@group(0) @binding(4) var<storage, read> numbers: array<f32>;
@group(0) @binding(5) var<storage, read_write> pushes: array<Push>;
@group(0) @binding(6) var<storage, read_write> fits: array<Fit>;
@group(0) @binding(7) var<storage, read_write> multipliers: array<vec2f>; // λ of a part, its change

// a / b, and 0 where b is not positive: a degenerate region moves nothing.
fn div_or_zero(a: f32, b: f32) -> f32 {
    return select(0.0, a / b, b > 0.0);
}

fn is_first_iteration() -> bool {
    return (params.flags & FIRST_ITERATION) != 0u;
}

// The members of a region: the first, and the end.
fn members_of_region(region: u32) -> vec2u {
    return vec2u(tables[params.starts + region], tables[params.starts + region + 1u]);
}

fn particle(member: u32) -> u32 {
    return tables[params.members + member];
}

// The place of a member's corners in `tables`: the first, and the end.
fn corners_of(member: u32) -> vec2u {
    let place = params.of_member + member;
    return params.corners + 2u * vec2u(tables[place], tables[place + 1u]);
}

// Corner k of a part, as a member.
fn corner(part: u32, k: u32) -> u32 {
    return tables[params.parts + 3u * part + k];
}

// Where a member is, from another one (m).
fn offset(member: u32, origin: u32) -> vec3f {
    let i = particle(member);
    let o = particle(origin);
    let rows = xw[i].xyz - xw[o].xyz;
    let carried = (params.flags & CARRIED) != 0u;
    return rows + select(vec3f(0.0), predicted[i].xyz - predicted[o].xyz, carried);
}

// The same when the substep began (m).
fn start_offset(member: u32, origin: u32) -> vec3f {
    let i = particle(member);
    let o = particle(origin);
    return predicted[i].xyz - predicted[o].xyz - (v[i].xyz - v[o].xyz) * params.h;
}

fn is_held(member: u32) -> bool {
    return xw[particle(member)].w == 0.0;
}

// Inverse of the mass that a member has in its region (1/kg): n w; 0 is held.
fn inverse_mass(member: u32) -> f32 {
    let i = particle(member);
    return xw[i].w * f32(tables[params.of_particle + i + 1u] - tables[params.of_particle + i]);
}

// Number k of a member's row: 0 to 2, its rest position from the mean by weight, along the
// principal axes of the region (m); 3, that weight (kg); 4, its mass in the region (kg).
fn member_number(member: u32, k: u32) -> f32 {
    return numbers[params.member_rows + 5u * member + k];
}

fn at_rest(member: u32) -> vec3f {
    return vec3f(member_number(member, 0u), member_number(member, 1u), member_number(member, 2u));
}

fn weight(member: u32) -> f32 {
    return member_number(member, 3u);
}

fn mass(member: u32) -> f32 {
    return member_number(member, 4u);
}

// Number k of a region's row: its compliance, its share under PBD, then, from KIND_NUMBERS on,
// those of the kind, and then what follows from its rest pose.
fn number(region: u32, k: u32) -> f32 {
    return numbers[region * params.region_row + k];
}

const KIND_NUMBERS = 2u;

// See `View::firmness`: the share that is given, and the share that is taken back.
fn firmness(region: u32) -> vec2f {
    if (params.flags & PBD) != 0u {
        return vec2f(number(region, 1u), 0.0);
    }
    let alpha = number(region, 0u) / (params.h * params.h);
    return vec2f(1.0 / (1.0 + alpha), alpha);
}

// The change of a multiplier: `xpbd` or `pbd` of project.rs.
fn change(region: u32, c: f32, lambda: f32, sum: f32) -> f32 {
    if (params.flags & PBD) != 0u {
        return div_or_zero(-c, sum) * number(region, 1u);
    }
    let alpha = number(region, 0u) / (params.h * params.h);
    return div_or_zero(-c - alpha * lambda, sum + alpha);
}

// Moves every particle by the mean of what its members want.
@compute @workgroup_size(LANES)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    let first = tables[params.of_particle + i];
    let end = tables[params.of_particle + i + 1u];
    if xw[i].w == 0.0 || first == end {
        return;
    }
    var sum = vec3f(0.0);
    for (var k = first; k < end; k++) {
        sum += pushes[tables[params.members_of + k]].push.xyz;
    }
    xw[i] += vec4f(sum / f32(end - first), 0.0);
}
