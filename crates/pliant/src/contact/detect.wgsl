// Which pairs may touch in the next substeps? The shader is `buffers.wgsl`, the pairs, the grid of
// `broad_phase/hash.wgsl`, this file and `tangle.wgsl`. CPU twin: detect.rs
//
// Elements are not grouped into patches, and the mean motion of all is not taken out: pairs are found
// that the CPU need not look at, but none is missed.

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(3) var<storage, read> things: array<u32>; // particles, bodies, elements
@group(0) @binding(4) var<storage, read_write> ways: array<vec4f>; // of particles, then of elements
@group(0) @binding(5) var<storage, read_write> grid: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

// See detect.rs and elements.rs.
const FLAT = 0.5;
const NEIGHBOURS = 2.5;
const PLANE = 0.25;
const SWERVE = 0.5;
const AT_REST = 0.5;
const STRAY_LEAST = 0.03;
const STRAY_MOST = 0.08;

struct Thing {
    rest: vec3f,            // m
    radius: f32,            // m
    phase: u32,
    body: u32,
}

struct Shape {
    friction: f32,
    restitution: f32,
    edge: f32,              // mean length at rest (m); 0 of what touches nothing
}

struct Element {
    ids: vec3u,             // the first is repeated where there are fewer
    corners: u32,
    vertices: u32,          // bit k: the particle k is its own
    edges: u32,             // bit k: the edge from particle k to the next is its own
    body: u32,
    component: u32,         // the least particle that it is connected with
    group: u32,             // those of the same group never touch; 0 is none
}

fn thing(i: u32) -> Thing {
    let at = 8u * i;
    let rest = vec3f(
        bitcast<f32>(things[at]),
        bitcast<f32>(things[at + 1u]),
        bitcast<f32>(things[at + 2u]),
    );
    return Thing(rest, bitcast<f32>(things[at + 3u]), things[at + 4u], things[at + 5u]);
}

fn shape(body: u32) -> Shape {
    let at = 8u * params.particles + 4u * body;
    return Shape(
        bitcast<f32>(things[at]),
        bitcast<f32>(things[at + 1u]),
        bitcast<f32>(things[at + 2u]),
    );
}

fn element(e: u32) -> Element {
    let at = 8u * params.particles + 4u * params.bodies + 8u * e;
    let bits = things[at + 3u];
    return Element(
        vec3u(things[at], things[at + 1u], things[at + 2u]),
        bits & 15u,
        bits >> 4u & 15u,
        bits >> 8u & 15u,
        things[at + 4u],
        things[at + 5u],
        things[at + 6u],
    );
}

// Where a particle is now.
fn position(i: u32) -> vec3f {
    let from_here = (params.flags & CARRIED) != 0u;
    return xw[i].xyz + select(vec3f(0.0), predicted[i].xyz, from_here);
}

// The path of a particle: where the search found it, how far it may stray (m), and how far it goes in
// a substep (m).
fn path_from(i: u32) -> vec4f {
    return ways[2u * i];
}

fn path_by(i: u32) -> vec3f {
    return ways[2u * i + 1u].xyz;
}

fn life() -> f32 {
    return f32(atomicLoad(&state[LIFE]));
}

// Remembers where the substep begins.
@compute @workgroup_size(LANES)
fn begin(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        start[i] = xw[i];
    }
}

// Is a particle farther from its path than it may be? And how far does it go?
@compute @workgroup_size(LANES)
fn check_paths(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end || shape(thing(i).body).edge <= 0.0 {
        return;
    }
    let x = position(i);
    atomicMax(&state[FARTHEST], bitcast<u32>(distance(x, start[i].xyz)));
    let known = path_from(i);
    let passed = f32(atomicLoad(&state[AGE]) + 2u);
    // Written so that what is not a number is stale.
    if !(distance(x, known.xyz + path_by(i) * passed) <= known.w) {
        atomicStore(&state[STALE], 1u);
    }
}

// Where in `grid` the pairs are that are on their wrong side: the first of each of a few lists, then
// the next of each and its particles.
const LISTS = 1024u;

fn list_at(list: u32) -> u32 {
    return giant_at(params.giant_room) + list;
}

fn wrong_at(wrong: u32) -> u32 {
    return list_at(LISTS) + 5u * wrong;
}

fn list_of(ids: vec4u) -> u32 {
    let hash = (ids.x * 73856093u) ^ (ids.y * 19349663u) ^ (ids.z * 83492791u) ^ (ids.w * 2654435761u);
    return (hash ^ (hash >> 15u)) % LISTS;
}

// Particles begin new paths; buckets and lists are emptied.
@compute @workgroup_size(LANES)
fn follow(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let rows = max(max(params.particles, 6u * params.bodies), max(params.buckets, LISTS));
    for (var row = id.x; row < rows; row += groups.x * LANES) {
        if row < params.particles {
            follow_one(row);
        }
        if row < params.buckets {
            atomicStore(&grid[end_at(row)], 0u);
        }
        if row < LISTS {
            atomicStore(&grid[list_at(row)], 0u);
        }
        if row < 6u * params.bodies {
            empty_around(row);
        }
    }
}

fn follow_one(i: u32) {
    let edge = shape(thing(i).body).edge;
    let by = position(i) - start[i].xyz;
    let way = length(by) * life();
    let stray = clamp(way, STRAY_LEAST * edge, STRAY_MOST * edge) + SWERVE * way;
    ways[2u * i] = vec4f(start[i].xyz, stray);
    ways[2u * i + 1u] = vec4f(by, 0.0);
}

// Is a pair of the search before on the wrong side? The others are where their side says.
fn remember(pair: Pair) {
    let kind = pair.ids.x >> KIND;
    if !is_sided(kind) || near_of(kind, starts(ids_of(pair))).turned * sign(pair.load) >= 0.0 {
        return;
    }
    add_note(pair.ids);
    let body = thing(pair.ids.y).body;
    if kind == VERTEX_FACE && pair.load > 0.0 && is_solid(body) {
        add_note(gone_in(pair.ids.x & ID, body));
    }
}

// Notes that a pair is on its wrong side, or what `tangle.wgsl` wants to know.
fn add_note(ids: vec4u) {
    let wrong = atomicAdd(&state[WRONG], 1u);
    if wrong < params.wrong_room {
        let next = atomicExchange(&grid[list_at(list_of(ids))], wrong + 1u);
        atomicStore(&grid[wrong_at(wrong)], next);
        for (var word = 0u; word < 4u; word++) {
            atomicStore(&grid[wrong_at(wrong) + 1u + word], ids[word]);
        }
    }
}

fn noted(wrong: u32) -> vec4u {
    let at = wrong_at(wrong);
    return vec4u(
        atomicLoad(&grid[at + 1u]),
        atomicLoad(&grid[at + 2u]),
        atomicLoad(&grid[at + 3u]),
        atomicLoad(&grid[at + 4u]),
    );
}

// Whether that was noted.
fn is_noted(ids: vec4u) -> bool {
    var next = atomicLoad(&grid[list_at(list_of(ids))]);
    while next > 0u {
        if all(noted(next - 1u) == ids) {
            return true;
        }
        next = atomicLoad(&grid[wrong_at(next - 1u)]);
    }
    return false;
}

fn starts(ids: vec4u) -> array<vec3f, 4> {
    return array(start[ids.x].xyz, start[ids.y].xyz, start[ids.z].xyz, start[ids.w].xyz);
}

struct Box {
    low: vec3f,
    high: vec3f,
}

fn box_at(e: u32) -> u32 {
    return 2u * params.particles + 2u * e;
}

fn box(e: u32) -> Box {
    return Box(ways[box_at(e)].xyz, ways[box_at(e) + 1u].xyz);
}

// Around the way of a particle, and `more` (m).
fn way(i: u32, more: f32) -> Box {
    let known = path_from(i);
    let end = known.xyz + path_by(i) * life();
    let margin = known.w + more;
    return Box(min(known.xyz, end) - margin, max(known.xyz, end) + margin);
}

fn join(a: Box, b: Box) -> Box {
    return Box(min(a.low, b.low), max(a.high, b.high));
}

fn overlap(a: Box, b: Box) -> bool {
    return all(a.low <= b.high) && all(b.low <= a.high);
}

fn cells(around: Box) -> Cells {
    return cells_of(around.low, around.high);
}

// A box around the ways of every element, and what is remembered of the search before.
@compute @workgroup_size(LANES)
fn bound(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var k = id.x; k < atomicLoad(&state[OLD]); k += groups.x * LANES) {
        remember(pairs[k]);
    }
    for (var e = id.x; e < params.elements; e += groups.x * LANES) {
        let whose = element(e);
        if is_new() && is_solid(whose.body) {
            surround(whose);
        }
        let ids = whose.ids;
        let radius = thing(ids.x).radius;
        let around = join(join(way(ids.x, radius), way(ids.y, radius)), way(ids.z, radius));
        ways[box_at(e)] = vec4f(around.low, 0.0);
        ways[box_at(e) + 1u] = vec4f(around.high, 0.0);
        count_cells(e, cells(around));
    }
}

// Elements go into the grid; then vertices are led out of solids.
@compute @workgroup_size(LANES)
fn fill(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var e = id.x; e < params.elements; e += groups.x * LANES) {
        fill_cells(e, cells(box(e)));
    }
    let count = select(atomicLoad(&state[SUSPECTS]), 3u * params.elements, is_new());
    for (var k = id.x; k < count; k += groups.x * LANES) {
        lead_out(k);
    }
}

// The partners of every element among those of higher numbers.
@compute @workgroup_size(LANES)
fn compare(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var e = id.x; e < params.elements; e += groups.x * LANES) {
        let around = box(e);
        let own = cells(around);
        let giants = min(atomicLoad(&state[GIANTS]), params.giant_room);
        for (var k = 0u; k < giants; k++) {
            let other = atomicLoad(&grid[giant_at(k)]);
            // Of two giants, the first reports the pair.
            if (own.count <= MOST_CELLS || other > e) && overlap(around, box(other)) {
                meet(min(e, other), max(e, other));
            }
        }
        if own.count <= MOST_CELLS {
            for (var k = 0u; k < own.count; k++) {
                compare_in(e, around, nth_cell(own, k));
            }
        }
    }
}

fn compare_in(e: u32, around: Box, at: vec3i) {
    let bucket = bucket_of(at);
    let end = min(atomicLoad(&grid[end_at(bucket)]), params.entry_room);
    for (var k = atomicLoad(&grid[start_at(bucket)]); k < end; k++) {
        let entry = atomicLoad(&grid[entry_at(k)]);
        let other = entry >> CELL_BITS;
        if other <= e {
            continue;
        }
        let its = box(other);
        // Two boxes may share several cells: the lowest of them reports the pair.
        if overlap(around, its)
            && all(cell(max(around.low, its.low)) == at)
            && number_of(cells(its), at) == (entry & (MOST_CELLS - 1u))
        {
            meet(e, other);
        }
    }
}

// Where in `grid` the elements are whose boxes overlap, two by two.
fn meeting_at(meeting: u32) -> u32 {
    return wrong_at(params.wrong_room) + 2u * meeting;
}

// Two elements whose boxes overlap: whether they touch, the next pass finds out.
fn meet(one: u32, two: u32) {
    let a = element(one);
    let b = element(two);
    if (a.group != 0u && a.group == b.group) || (thing(a.ids.x).phase & thing(b.ids.x).phase) == 0u {
        return;
    }
    let slot = atomicAdd(&state[MEETINGS], 1u);
    if slot < params.meeting_room {
        atomicStore(&grid[meeting_at(slot)], one);
        atomicStore(&grid[meeting_at(slot) + 1u], two);
    }
}

struct Meeting {
    shapes: array<Shape, 2>,
    is_within: bool,        // one body with itself
    is_of_faces: bool,
    distance: f32,          // how near they may come, without regard to rest (m)
    faces: array<vec3u, 2>, // the particles of both
}

// Two elements have 16 parts that may meet, each for a lane: three vertices and a face, a face and three
// vertices, nine pairs of edges, and what has neither.
const PARTS = 16u;

// The candidates among the vertices, edges and faces of two elements.
@compute @workgroup_size(LANES)
fn expand(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let count = PARTS * min(atomicLoad(&state[MEETINGS]), params.meeting_room);
    for (var lane = id.x; lane < count; lane += groups.x * LANES) {
        let at = meeting_at(lane / PARTS);
        expand_part(atomicLoad(&grid[at]), atomicLoad(&grid[at + 1u]), lane % PARTS);
    }
}

fn expand_part(one: u32, two: u32, part: u32) {
    let a = element(one);
    let b = element(two);
    let apart = thing(a.ids.x).radius + thing(b.ids.x).radius;
    var kind = EDGE_EDGE;
    var ids: vec4u;
    var is_near: bool;
    if part < 3u {
        kind = VERTEX_FACE;
        ids = vec4u(a.ids[part], b.ids);
        is_near = has_vertex(a, part, b) && overlap(way(ids.x, apart), box(two));
    } else if part < 6u {
        kind = VERTEX_FACE;
        ids = vec4u(b.ids[part - 3u], a.ids);
        is_near = has_vertex(b, part - 3u, a) && overlap(way(ids.x, apart), box(one));
    } else if part < 15u {
        let k = (part - 6u) / 3u;
        let l = (part - 6u) % 3u;
        ids = vec4u(a.ids[k], a.ids[next_corner(a, k)], b.ids[l], b.ids[next_corner(b, l)]);
        let around = join(way(ids.x, apart), way(ids.y, apart));
        let has_both = (a.edges >> k & b.edges >> l & 1u) == 1u;
        is_near = has_both && overlap(around, join(way(ids.z, 0.0), way(ids.w, 0.0)));
    } else {
        kind = select(PARTICLE_EDGE, TWO_PARTICLES, a.corners == b.corners);
        ids = select(
            vec4u(b.ids.x, a.ids.xy, b.ids.x),
            vec4u(a.ids.x, b.ids.xy, a.ids.x),
            a.corners <= b.corners,
        );
        is_near = min(a.corners, b.corners) == 1u && max(a.corners, b.corners) < 3u;
    }
    if is_near && can_meet(a, b) {
        let is_of_faces = a.corners == 3u && b.corners == 3u;
        let shapes = array(shape(a.body), shape(b.body));
        let faces = array(a.ids, b.ids);
        consider(Meeting(shapes, a.body == b.body, is_of_faces, apart, faces), kind, ids);
    }
}

// Whether an element has a vertex of its own that may meet the other, a face.
fn has_vertex(whose: Element, k: u32, face: Element) -> bool {
    return face.corners == 3u && (whose.vertices >> k & 1u) == 1u;
}

fn next_corner(whose: Element, k: u32) -> u32 {
    return select(0u, k + 1u, k + 1u < whose.corners);
}

fn normal(ids: vec3u) -> vec3f {
    let a = start[ids.x].xyz;
    return unit_or_zero(cross(start[ids.y].xyz - a, start[ids.z].xyz - a));
}

fn unit_or_zero(v: vec3f) -> vec3f {
    return v * div_or_zero(1.0, length(v));
}

// Whether two elements can touch at all.
fn can_meet(a: Element, b: Element) -> bool {
    return !(is_held(a) && is_held(b)) && (a.body != b.body || !is_one_sheet(a, b));
}

fn is_held(whose: Element) -> bool {
    return xw[whose.ids.x].w == 0.0 && xw[whose.ids.y].w == 0.0 && xw[whose.ids.z].w == 0.0;
}

// Whether two elements of a body lie side by side at rest, connected and in one plane, and face the
// same way now.
fn is_one_sheet(a: Element, b: Element) -> bool {
    if a.component != b.component || dot(normal(a.ids), normal(b.ids)) <= FLAT {
        return false;
    }
    let edge = shape(a.body).edge;
    let x = array(thing(a.ids.x).rest, thing(a.ids.y).rest, thing(a.ids.z).rest);
    let y = array(thing(b.ids.x).rest, thing(b.ids.y).rest, thing(b.ids.z).rest);
    let between_middles = (y[0] + y[1] + y[2] - x[0] - x[1] - x[2]) / 3.0;
    let facing = unit_or_zero(cross(x[1] - x[0], x[2] - x[0]));
    return length(between_middles) < NEIGHBOURS * edge
        && abs(dot(between_middles, facing)) < PLANE * edge;
}

// A pair of the parts of two elements, if they may touch before the next search.
fn consider(meeting: Meeting, kind: u32, ids: vec4u) {
    let count = particles_of(kind);
    let first = first_of(kind);
    if meeting.is_within && has_twice(ids, count) {
        return;
    }
    let x = array(
        path_from(ids.x).xyz,
        path_from(ids.y).xyz,
        path_from(ids.z).xyz,
        path_from(ids.w).xyz,
    );
    var by: array<vec3f, 2>;
    var turn = vec2f(0.0);
    var stray = vec2f(0.0);
    for (var k = 0u; k < count; k++) {
        let party = select(0u, 1u, k >= first);
        let own = path_by(ids[k]) * life();
        if k == 0u || k == first {
            by[party] = own;
        }
        turn[party] = max(turn[party], distance(own, by[party]));
        stray[party] = max(stray[party], path_from(ids[k]).w);
    }
    let towards = by[0] - by[1];
    let margin = stray.x + stray.y + turn.x + turn.y;
    if kind == EDGE_EDGE && meeting.is_of_faces && is_beside(x, margin + length(towards)) {
        return;
    }
    let near = near_of(kind, x);
    if misses(near.d, towards, meeting.distance + margin) {
        return;
    }
    var apart = meeting.distance;
    if meeting.is_within {
        apart = min(apart, at_rest(kind, ids));
        if apart <= 0.0 || misses(near.d, towards, apart + margin) {
            return;
        }
    }
    keep(meeting, kind, ids, vec2f(apart, near.turned));
}

// Adds a pair that was found: `found` is how near it may come (m), and which side it is on.
fn keep(meeting: Meeting, kind: u32, ids: vec4u, found: vec2f) {
    let named = vec4u(ids.x | kind << KIND, ids.yzw);
    var side = select(IDLE, -IDLE, found.y < 0.0);
    if is_sided(kind) {
        let is_wrong = is_noted(named);
        side = untangled(meeting, kind, ids, select(side, -side, is_wrong), is_wrong);
    }
    if side != 0.0 {
        add_pair(meeting.shapes, named, vec2f(found.x, side));
    }
}

// Adds a pair: `apart` is how near it may come (m), and its side.
fn add_pair(shapes: array<Shape, 2>, named: vec4u, apart: vec2f) {
    let slot = atomicAdd(&state[PAIRS], 1u);
    if slot < params.pair_room {
        let friction = sqrt(shapes[0].friction * shapes[1].friction);
        let restitution = max(shapes[0].restitution, shapes[1].restitution);
        pairs[slot] = Pair(named, apart.x, friction, restitution, apart.y);
    }
}

fn has_twice(ids: vec4u, count: u32) -> bool {
    for (var k = 1u; k < count; k++) {
        for (var l = 0u; l < k; l++) {
            if ids[k] == ids[l] {
                return true;
            }
        }
    }
    return false;
}

// How near two parts of one body may come: no nearer than half of their distance at rest (m).
fn at_rest(kind: u32, ids: vec4u) -> f32 {
    let rest = array(thing(ids.x).rest, thing(ids.y).rest, thing(ids.z).rest, thing(ids.w).rest);
    return AT_REST * length(near_of(kind, rest).d);
}

// Whether parties that are `d` apart come no nearer than `reach` while the first moves by `by`.
fn misses(d: vec3f, by: vec3f, reach: f32) -> bool {
    let apart = length(d);
    return apart > 0.0 && apart + min(dot(by, d) / apart, 0.0) > reach;
}
