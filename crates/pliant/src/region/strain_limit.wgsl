// Limits on strain: no link ends a substep longer than it may be. CPU twin: strain_limit.rs
//
// A sweep goes from link to link, and each needs the one before that shares an end with it. Links
// that wait for no other are a wave: a workgroup solves one wave after the other, which gives what
// going from link to link would give. Positions are taken from the region's first member; of a
// `Push`, `push` is where a member is to go and its inverse mass, and `given` where it was found.

// See strain_limit.rs.
const SWEEPS = 300u;
const ENOUGH = 5e-4;
const INSIDE = 0.03;
const PERMITTED = 8e-4;
const TOLERATED = 1e-3;

// Numbers of a pair of held members, and of a link.
const PAIR = 3u;
const LINK = 4u;

struct Aim {
    limit: f32,
    inside: f32,
}

var<workgroup> too_long: atomic<u32>;
var<workgroup> go_on: u32;
var<workgroup> held_tightly: u32;
var<workgroup> extremes: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn limit(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let region = params.first + group.x;
    if region >= params.end {
        return;
    }
    let members = members_of_region(region);
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let x = vec4f(offset(member, members.x), inverse_mass(member));
        pushes[member] = Push(x, x);
    }
    storageBarrier();
    workgroupBarrier();
    let block = params.extra + tables[params.extra + region];
    let tightness = tightness_of(block, members.x);
    let aim = Aim(max(tightness, 1.0), clamp((1.0 - tightness) / 2.0, 0.0, INSIDE));
    if lane == 0u {
        held_tightly = select(0u, 1u, tightness >= 1.0);
    }
    let is_solved = sweep_all(block, members.x, aim, lane);
    if !is_solved && workgroupUniformLoad(&held_tightly) == 0u {
        fall_back(sweep_list(block, 0u), members, lane);
    }
    apply(members, lane);
}

// How far apart held members are, over how far they may be.
fn tightness_of(block: u32, first: u32) -> f32 {
    var most = 0.0;
    for (var k = 0u; k < tables[block + 1u]; k++) {
        let pair = block + 2u + PAIR * k;
        let a = pushes[first + tables[pair]].push.xyz;
        let b = pushes[first + tables[pair + 1u]].push.xyz;
        most = max(most, ratio(length(a - b), bitcast<f32>(tables[pair + 2u])));
    }
    return most;
}

fn ratio(length: f32, limit: f32) -> f32 {
    return length / max(limit, 1e-6);
}

// The place of a sweep's waves: their number, where each starts among the links, the links.
fn sweep_list(block: u32, sweep: u32) -> u32 {
    return params.extra + tables[block + 2u + PAIR * tables[block + 1u] + sweep];
}

// Sweeps until no link is too long; whether that was reached.
fn sweep_all(block: u32, first: u32, aim: Aim, lane: u32) -> bool {
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
        if lane == 0u {
            atomicStore(&too_long, 0u);
        }
        let list = sweep_list(block, sweep % tables[block]);
        let waves = tables[list];
        for (var wave = 0u; wave < waves; wave++) {
            storageBarrier();
            workgroupBarrier();
            let end = tables[list + 2u + wave];
            for (var k = tables[list + 1u + wave] + lane; k < end; k += LANES) {
                if shorten(link(list, k), first, aim) {
                    atomicStore(&too_long, 1u);
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
        if lane == 0u {
            go_on = atomicLoad(&too_long);
        }
        if workgroupUniformLoad(&go_on) == 0u {
            return true;
        }
    }
    return false;
}

// The place of link k.
fn link(list: u32, k: u32) -> u32 {
    return list + 2u + tables[list] + LINK * k;
}

fn limit_of(link: u32) -> f32 {
    return bitcast<f32>(tables[link + 2u]);
}

// Pulls the ends of a link together if it is too long; whether it was.
fn shorten(link: u32, first: u32, aim: Aim) -> bool {
    let a = first + tables[link];
    let b = first + tables[link + 1u];
    let x = pushes[a].push;
    let y = pushes[b].push;
    let d = y.xyz - x.xyz;
    let length = sqrt(dot(d, d));
    let limit = limit_of(link) * aim.limit;
    if length <= limit * (1.0 + ENOUGH) || x.w + y.w <= 0.0 {
        return false;
    }
    let w = vec2f(x.w, y.w);
    let moved = w * vec2f(f32(tables[link + 3u] & 1u), f32(tables[link + 3u] >> 1u));
    let share = select(w, moved, moved.x + moved.y > 0.0);
    let n = d / length * ((length - limit * (1.0 - aim.inside)) / (share.x + share.y));
    pushes[a].push = vec4f(x.xyz + n * share.x, x.w);
    pushes[b].push = vec4f(y.xyz - n * share.y, y.w);
    return true;
}

// The largest number of a workgroup's lanes, known to all of them. All must call it.
fn largest_of(lane: u32, value: f32) -> f32 {
    extremes[lane] = value;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            extremes[lane] = max(extremes[lane], extremes[lane + half]);
        }
        workgroupBarrier();
    }
    let most = extremes[0];
    workgroupBarrier();
    return most;
}

var<workgroup> held_count: u32;

// Goes to a pose that is known to be permitted.
fn fall_back(list: u32, members: vec2u, lane: u32) {
    var held = vec4f(0.0); // sum of the held positions, and their number
    var free = vec4f(0.0); // sum of the free positions by mass, and the mass
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let x = pushes[member].push;
        if x.w == 0.0 {
            held += vec4f(x.xyz, 1.0);
        } else {
            free += vec4f(x.xyz, 1.0) / x.w;
        }
    }
    held = total(lane, held);
    free = total(lane, free);
    if lane == 0u {
        held_count = u32(held.w);
    }
    if workgroupUniformLoad(&held_count) > 1u {
        go_back(list, members, lane);
        return;
    }
    let about = select(held.xyz, free.xyz / free.w, held.w == 0.0);
    let links = tables[list + 1u + tables[list]];
    var worst = 1.0;
    for (var k = lane; k < links; k += LANES) {
        let ends = link(list, k);
        let a = pushes[members.x + tables[ends]].push.xyz;
        let b = pushes[members.x + tables[ends + 1u]].push.xyz;
        worst = max(worst, ratio(length(a - b), limit_of(ends)));
    }
    let scale = 1.0 / largest_of(lane, worst);
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let x = pushes[member].push;
        pushes[member].push = vec4f(about + (x.xyz - about) * scale, x.w);
    }
}

// Where a member was when the substep began, or is now if it is held (m).
fn start_of(member: u32, origin: u32) -> vec3f {
    if pushes[member].push.w == 0.0 {
        return pushes[member].given.xyz;
    }
    let i = particle(origin);
    let now = xw[i].xyz - select(predicted[i].xyz, vec3f(0.0), (params.flags & CARRIED) != 0u);
    return start_offset(member, origin) - now - v[i].xyz * params.h;
}

// Stops on the way from the start of the substep, where all links were as they must be.
fn go_back(list: u32, members: vec2u, lane: u32) {
    let links = tables[list + 1u + tables[list]];
    var least = 1.0;
    var bad = 0.0;
    for (var k = lane; k < links; k += LANES) {
        let ends = link(list, k);
        let a = members.x + tables[ends];
        let b = members.x + tables[ends + 1u];
        let start = start_of(b, members.x) - start_of(a, members.x);
        let along = pushes[b].push.xyz - pushes[a].push.xyz - start;
        let limit = limit_of(ends);
        let most = limit * (1.0 + PERMITTED);
        let room = max(most * most - dot(start, start), 0.0);
        bad = max(bad, select(0.0, 1.0, length(start) > limit * (1.0 + TOLERATED)));
        least = min(least, share_of_way(dot(start, along), dot(along, along), room));
    }
    let way = -largest_of(lane, -least);
    let is_lost = largest_of(lane, bad) > 0.0;
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let x = pushes[member].push;
        let start = start_of(member, members.x);
        pushes[member].push = select(vec4f(start + (x.xyz - start) * way, x.w), x, is_lost);
    }
}

// The largest t for which 2 t b + t² a <= room.
fn share_of_way(b: f32, a: f32, room: f32) -> f32 {
    let root = sqrt(b * b + a * room);
    if b > 0.0 {
        return room / (b + root);
    }
    return select(1.0, (root - b) / a, a > 0.0);
}

// Moves the particles; their velocities feel as much of it as takes the most energy of motion.
fn apply(members: vec2u, lane: u32) {
    var part = vec4f(0.0); // -Σ m v·Δ/h and Σ m|Δ/h|²
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let x = pushes[member].push;
        if x.w > 0.0 {
            let found = pushes[member].given.xyz;
            let kick = (x.xyz - found) / params.h;
            let velocity = (found - start_of(member, members.x)) / params.h;
            part += vec4f(-dot(velocity, kick), dot(kick, kick), 0.0, 0.0) / x.w;
        }
    }
    let sum = total(lane, part);
    let felt = clamp(div_or_zero(sum.x, sum.y), 0.0, 1.0);
    storageBarrier();
    workgroupBarrier(); // nobody asks any more where particles were
    for (var member = members.x + lane; member < members.y; member += LANES) {
        let i = particle(member);
        let moved = pushes[member].push.xyz - pushes[member].given.xyz;
        let is_carried = (params.flags & CARRIED) != 0u;
        predicted[i] += vec4f(moved * (1.0 - felt), 0.0);
        xw[i] += vec4f(select(moved, moved * felt, is_carried), 0.0);
    }
}
