// Keeps pairs apart: positions first, then velocities, then what slid although it sticks. The shader is
// `buffers.wgsl`, `state.wgsl`, `split.wgsl`, the pairs and this file. CPU twin: solve.rs
//
// The CPU solves pairs colour after colour, or as here if `contact_solver` is `split` (split.rs): all see
// the same positions. A particle of n pairs that touch counts as n parts, each of an n-th of its mass, and
// goes to their average: mass splitting, Tonge et al. 2012, "Mass Splitting for Jitter-Free Parallel Rigid
// Body Simulation". With one pair a particle both do the same. Sums are of whole numbers, so that no order
// changes them.

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(5) var<storage, read_write> touches: array<Touch>;
@group(0) @binding(6) var<storage, read_write> sums: array<Sum>;
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

// See solve.rs.
const THROUGH = 0.5;
const PIECES = 8u;
const HALVINGS = 10u;
const CREEP = 0.1;

// Pairs that are farther apart than so many times the distance that they keep are looked at once in an
// iteration: others rarely move them that far in a substep, and then the next one sees it.
const ASIDE = 1.5;

// A pair that touches.
struct Touch {
    n: vec3f,               // unit length, from the second party to the first
    amount: f32,            // by how much they come apart (m)
    b: vec4f,
    pair: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

fn is_odd() -> bool {
    return (params.flags & ODD) != 0u;
}

fn fixed(distance: f32) -> i32 {
    return i32(round(clamp(distance * UNIT, -FARTHEST_PUSH, FARTHEST_PUSH)));
}

fn add_moved(i: u32, by: vec3f) {
    for (var k = 0u; k < 3u; k++) {
        atomicAdd(&sums[i].moved[k], fixed(by[k]));
    }
}

fn add_sped(i: u32, by: vec3f) {
    for (var k = 0u; k < 3u; k++) {
        atomicAdd(&sums[i].sped[k], fixed(by[k]));
    }
}

// By how far the sweeps of this iteration have moved a particle so far.
fn moved(i: u32) -> vec3f {
    return vec3f(
        f32(atomicLoad(&sums[i].moved[0])),
        f32(atomicLoad(&sums[i].moved[1])),
        f32(atomicLoad(&sums[i].moved[2])),
    ) / UNIT;
}

fn rows(ids: vec4u) -> array<vec3f, 4> {
    return array(xw[ids.x].xyz, xw[ids.y].xyz, xw[ids.z].xyz, xw[ids.w].xyz);
}

fn starts(ids: vec4u) -> array<vec3f, 4> {
    return array(start[ids.x].xyz, start[ids.y].xyz, start[ids.z].xyz, start[ids.w].xyz);
}

fn weights(ids: vec4u) -> vec4f {
    return vec4f(xw[ids.x].w, xw[ids.y].w, xw[ids.z].w, xw[ids.w].w);
}

// Of how many pairs that touch a particle is.
fn count_of(i: u32) -> f32 {
    if is_odd() {
        return f32(atomicLoad(&sums[i].odd_count));
    }
    return f32(atomicLoad(&sums[i].count));
}

fn counts(ids: vec4u) -> vec4f {
    return vec4f(count_of(ids.x), count_of(ids.y), count_of(ids.z), count_of(ids.w));
}

struct Touching {
    n: vec3f,
    apart: f32,             // distance along n (m), negative where they have gone through each other
}

fn touching(near: Near, side: f32, through: f32) -> Touching {
    let across = length(near.across);
    let is_sided = max(near.inside, through) > 0.0 && across > 0.0;
    let by_distance = near.d * div_or_zero(1.0, length(near.d));
    let n = select(by_distance, near.across * div_or_zero(side, across), is_sided);
    return Touching(n, dot(near.d, n));
}

// Parties without sides that have passed each other in this substep; see `passing`.
fn passing(near: Near, before: vec3f, apart: f32) -> Touching {
    let u = near.d - before;
    let t = clamp(div_or_zero(-dot(before, u), dot(u, u)), 0.0, 1.0);
    let nearest = before + u * t;
    let is_hit = dot(nearest, nearest) < apart * apart;
    let has_passed = is_hit && dot(near.d, before) < 0.0;
    var across = near;
    across.across = before;
    return touching(across, 1.0, select(0.0, 1.0, has_passed));
}

struct Settled {
    side: f32,
    fresh: f32,             // 1 where it has gone through in this substep
    blocked: f32,           // 1 where it must not push: it would push the wrong way
}

// Which side a pair is on that seems to have changed it, and whether it went through: see `settle`.
fn settle(kind: u32, near: Near, now: array<vec3f, 4>, before: array<vec3f, 4>, pair: Pair) -> Settled {
    let side = sign(pair.load);
    if near_of(kind, before).turned * side < 0.0 {
        let is_away = near.inside == 0.0 && length(near.d) > pair.distance;
        let blocked = 1.0 - near.inside - select(0.0, 1.0, is_away);
        return Settled(select(side, -side, is_away), 0.0, blocked);
    }
    if goes_through(kind, before, now, pair.distance) {
        return Settled(side, 1.0, 0.0);
    }
    return Settled(-side, 0.0, 0.0);
}

fn part_way(kind: u32, before: array<vec3f, 4>, now: array<vec3f, 4>, t: f32) -> Near {
    return near_of(kind, array(
        mix(before[0], now[0], t),
        mix(before[1], now[1], t),
        mix(before[2], now[2], t),
        mix(before[3], now[3], t),
    ));
}

// Whether a pair that changes sides on straight paths goes through, not around.
fn goes_through(kind: u32, before: array<vec3f, 4>, now: array<vec3f, 4>, apart: f32) -> bool {
    // Most pass each other far away: no party was nearer than it is now by more than both have moved.
    var farthest = 0.0;
    for (var k = 0u; k < 4u; k++) {
        farthest = max(farthest, distance(before[k], now[k]));
    }
    if length(near_of(kind, now).d) > THROUGH * apart + 2.0 * farthest {
        return false;
    }
    var first = sign(part_way(kind, before, now, 0.0).turned);
    for (var piece = 1u; piece <= PIECES; piece++) {
        var ends = vec2f(f32(piece - 1u), f32(piece)) / f32(PIECES);
        let last = sign(part_way(kind, before, now, ends.y).turned);
        if first * last <= 0.0 {
            for (var k = 0u; k < HALVINGS; k++) {
                let middle = (ends.x + ends.y) / 2.0;
                let there = sign(part_way(kind, before, now, middle).turned);
                ends = select(vec2f(ends.x, middle), vec2f(middle, ends.y), there * first > 0.0);
            }
            let nearest = vec2f(
                length(part_way(kind, before, now, ends.x).d),
                length(part_way(kind, before, now, ends.y).d),
            );
            if min(nearest.x, nearest.y) < THROUGH * apart {
                return true;
            }
        }
        first = last;
    }
    return false;
}

// Which pairs are too near, and by how much do they come apart?
@compute @workgroup_size(LANES)
fn look(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    forget_sweep(id.x, groups.x);
    let count = min(atomicLoad(&state[PAIRS]), params.pair_room);
    for (var k = id.x; k < count; k += groups.x * LANES) {
        look_at(k);
    }
}

// What the sweep before has counted begins anew for the next.
fn forget_sweep(lane: u32, groups: u32) {
    if lane == 0u {
        let count = atomicExchange(&state[select(ODD_TOUCHES, TOUCHES, is_odd())], 0u);
        atomicMax(&state[MOST + TOUCHES - PAIRS], count);
    }
    if (params.flags & AGAIN) == 0u {
        if lane == 0u {
            atomicStore(&state[FARTHEST], 0u);
        }
        return;
    }
    for (var i = lane; i < params.particles; i += groups * LANES) {
        if is_odd() {
            atomicStore(&sums[i].count, 0u);
        } else {
            atomicStore(&sums[i].odd_count, 0u);
        }
    }
}

fn look_at(k: u32) {
    if (params.flags & AGAIN) != 0u && abs(pairs[k].load) <= FAR {
        return;
    }
    let pair = pairs[k];
    let kind = pair.ids.x >> KIND;
    let ids = ids_of(pair);
    var x = rows(ids);
    if (params.flags & CARRIED) != 0u {
        x[0] += predicted[ids.x].xyz;
        x[1] += predicted[ids.y].xyz;
        x[2] += predicted[ids.z].xyz;
        x[3] += predicted[ids.w].xyz;
    }
    if (params.flags & AGAIN) != 0u {
        x[0] += moved(ids.x);
        x[1] += moved(ids.y);
        x[2] += moved(ids.z);
        x[3] += moved(ids.w);
    }
    var load = abs(pair.load);
    if (params.flags & FIRST_ITERATION) != 0u {
        load = IDLE;
    }
    var settled = Settled(sign(pair.load), 0.0, 0.0);
    let near = near_of(kind, x);
    let is_far = dot(near.d, near.d) >= pair.distance * pair.distance;
    if load <= IDLE {
        load = select(IDLE, FAR, length(near.d) > ASIDE * pair.distance);
    }
    if is_sided(kind) && is_far && near.turned * settled.side >= 0.0 {
        pairs[k].load = load * settled.side;
        return;
    }
    let before = starts(ids);
    var touch: Touching;
    if is_sided(kind) {
        if near.turned * settled.side < 0.0 {
            settled = settle(kind, near, x, before, pair);
        }
        touch = touching(near, settled.side, settled.fresh);
    } else {
        touch = passing(near, near_of(kind, before).d, pair.distance);
    }
    pairs[k].load = load * settled.side;
    let c = select(touch.apart - pair.distance, 0.0, settled.blocked > 0.0);
    let motion = dot(touch.n, weighted(near.b, x) - weighted(near.b, before));
    let most = params.max_depenetration * params.h;
    // What went through just now goes back at once, wherever a straight line says that it began.
    let goal = select(min(c - motion + most, 0.0), 0.0, settled.fresh > 0.0);
    if c < 0.0 && goal > c {
        list(ids, Touch(touch.n, goal - c, near.b, k, 0u, 0u, 0u));
    }
}

// Adds a pair to those that touch.
fn list(ids: vec4u, touch: Touch) {
    let slot = atomicAdd(&state[select(TOUCHES, ODD_TOUCHES, is_odd())], 1u);
    if slot >= params.touch_room {
        return;
    }
    touches[slot] = touch;
    for (var k = 0u; k < 4u; k++) {
        if touch.b[k] != 0.0 && is_odd() {
            atomicAdd(&sums[ids[k]].odd_count, 1u);
        } else if touch.b[k] != 0.0 {
            atomicAdd(&sums[ids[k]].count, 1u);
        }
    }
}

// Pairs that touch and fit.
fn listed() -> u32 {
    return min(atomicLoad(&state[select(TOUCHES, ODD_TOUCHES, is_odd())]), params.touch_room);
}

// C = n·d − distance ≥ 0,   Δλ = −C / Σ nₖwₖbₖ²,   Δxₖ = wₖ bₖ n Δλ, with nₖ parts of particle k.
@compute @workgroup_size(LANES)
fn push(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var k = id.x; k < listed(); k += groups.x * LANES) {
        let touch = touches[k];
        let pair = pairs[touch.pair];
        let ids = ids_of(pair);
        let w = weights(ids);
        let d_lambda = div_or_zero(touch.amount, dot(counts(ids) * w, touch.b * touch.b));
        pairs[touch.pair].load = (abs(pair.load) + d_lambda) * sign(pair.load);
        for (var p = 0u; p < 4u; p++) {
            if touch.b[p] != 0.0 && w[p] > 0.0 {
                add_moved(ids[p], touch.n * (w[p] * touch.b[p] * d_lambda));
            }
        }
    }
}

// Particles go where the sweeps of an iteration want them.
@compute @workgroup_size(LANES)
fn move_apart(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    count_anew(i);
    if i < params.end {
        move_one(i);
    }
}

// Which pairs have touched in this substep?
@compute @workgroup_size(LANES)
fn list_touching(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let count = min(atomicLoad(&state[PAIRS]), params.pair_room);
    for (var k = id.x; k < count; k += groups.x * LANES) {
        let pair = pairs[k];
        if abs(pair.load) > SLIDES {
            let ids = ids_of(pair);
            let near = near_of(pair.ids.x >> KIND, rows(ids));
            let n = touching(near, sign(pair.load), 0.0).n;
            list(ids, Touch(n, 0.0, near.b, k, 0u, 0u, 0u));
        }
    }
}

// Friction and restitution: see `respond_lanes` and `put_back_lanes`.
@compute @workgroup_size(LANES)
fn respond(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var k = id.x; k < listed(); k += groups.x * LANES) {
        respond_at(touches[k]);
    }
}

fn respond_at(touch: Touch) {
    let pair = pairs[touch.pair];
    let ids = ids_of(pair);
    let w = weights(ids);
    let n = touch.n;
    let b = touch.b;
    let weight = dot(counts(ids) * w, b * b);
    let speeds = array(v[ids.x].xyz, v[ids.y].xyz, v[ids.z].xyz, v[ids.w].xyz);
    let free = array(
        predicted[ids.x].xyz,
        predicted[ids.y].xyz,
        predicted[ids.z].xyz,
        predicted[ids.w].xyz,
    );
    let began = weighted(b, starts(ids));
    let after = weighted(b, speeds);
    let vn_before = dot(n, weighted(b, free) - began) / params.h;
    let vn = dot(n, after);
    let by_itself = vn - abs(pair.load) * weight / params.h;
    let calm = min(vn, max(by_itself, 0.0));
    let bounce = select(0.0, -pair.restitution * vn_before, vn_before < -params.rest_speed);
    let vn_new = max(calm, bounce);

    let sliding = after - n * vn;
    let speed = length(sliding);
    let most = pair.friction * max(vn_new - by_itself, 0.0);
    let sticks = speed <= most;
    let lost = select(div_or_zero(most, speed), 1.0, sticks);
    let change = (n * (vn_new - vn) - sliding * lost) * div_or_zero(1.0, weight);
    var back = vec3f(0.0);
    if sticks {
        // What slid in this substep although friction holds it is put back.
        let moved = weighted(b, rows(ids)) - began;
        let slid = moved - n * dot(n, moved);
        let far = length(slid);
        let farthest = pair.distance * CREEP;
        back = slid * (select(1.0, div_or_zero(farthest, far), farthest < far) * div_or_zero(1.0, weight));
    } else {
        pairs[touch.pair].load = sign(pair.load) * SLIDES;
    }
    for (var k = 0u; k < 4u; k++) {
        if b[k] != 0.0 && w[k] > 0.0 {
            add_sped(ids[k], change * (w[k] * b[k] * params.h));
            add_moved(ids[k], -back * (w[k] * b[k]));
        }
    }
}

// Particles get the velocities that their pairs want. The next substep begins there.
@compute @workgroup_size(LANES)
fn slow_down(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    count_anew(i);
    if i < params.end {
        slow_one(i);
    }
}

// How near is what touches, when the step ends?
@compute @workgroup_size(LANES)
fn measure(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let count = min(atomicLoad(&state[PAIRS]), params.pair_room);
    for (var k = id.x; k < count; k += groups.x * LANES) {
        let pair = pairs[k];
        let near = near_of(pair.ids.x >> KIND, rows(ids_of(pair)));
        let is_through = near.inside > 0.0 && near.turned * sign(pair.load) < 0.0;
        let depth = pair.distance - select(length(near.d), -length(near.d), is_through);
        if depth > 0.0 {
            // The bits of numbers that are not negative are in their order.
            atomicMax(&state[TOO_NEAR], bitcast<u32>(depth));
            atomicMax(&state[SHARE], bitcast<u32>(depth / pair.distance));
        }
    }
}
