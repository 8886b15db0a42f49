// Which pairs may touch in the next substeps? The shader is `buffers.wgsl`, `state.wgsl`, the pairs, the grid of
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

// See detect.rs, path.rs and elements.rs.
const FLAT = 0.5;
const NEIGHBOURS = 2.5;
const PLANE = 0.25;
const SWERVE = 0.5;
const SWERVE_SOLID = 0.7;
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
    edges: u32,             // bit k: the edge from particle k to the next is its own and touches
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

// Edges that the fastest may pass until the next search, as of solids in path.rs.
const FARTHEST_EDGES = 4.0;

// For how many substeps the pairs of a search are that begins: until the fastest has passed a few edges.
fn new_life() -> u32 {
    let farthest = bitcast<f32>(atomicLoad(&state[FARTHEST]));
    let most = f32(atomicLoad(&state[LEFT]) + 1u);
    let life = select(most, min(FARTHEST_EDGES * params.least_edge / farthest, most), farthest > 0.0);
    return max(u32(life), 1u);
}

// The same for what runs now: `bound` begins it, and others read it.
var<private> substeps: f32;

fn life() -> f32 {
    return substeps;
}

// Remembers where the first substep begins; where others do, `slow_down` knows. Nothing has moved yet.
@compute @workgroup_size(LANES)
fn begin(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var i = id.x; i < params.particles; i += groups.x * LANES) {
        start[i] = xw[i];
    }
    for (var body = id.x; body < params.bodies; body += groups.x * LANES) {
        atomicStore(&grid[fastest_at(body)], 0u);
    }
}

// Where in `grid` it is noted how far a particle of a body has moved in a substep since the search, at most
// (m, as bits).
fn fastest_at(body: u32) -> u32 {
    return around_at(params.bodies) + body;
}

// Empties buckets and lists.
fn empty_grid(lane: u32, groups: u32) {
    for (var row = lane; row < max(params.buckets, LISTS); row += groups * LANES) {
        if row < params.buckets {
            atomicStore(&grid[end_at(row)], 0u);
        }
        if row < LISTS {
            atomicStore(&grid[list_at(row)], 0u);
        }
    }
    for (var row = lane; row < 6u * params.bodies; row += groups * LANES) {
        empty_around(row);
    }
}

// Whether a particle is farther from its path than it may be; notes how far it goes.
fn has_left(i: u32) -> bool {
    if shape(thing(i).body).edge <= 0.0 {
        return false;
    }
    let x = position(i);
    let moved = bitcast<u32>(distance(x, start[i].xyz));
    atomicMax(&state[FARTHEST], moved);
    atomicMax(&grid[fastest_at(thing(i).body)], moved);
    let known = path_from(i);
    let passed = f32(atomicLoad(&state[AGE]) + 2u);
    // Written so that what is not a number has left.
    return !(distance(x, known.xyz + path_by(i) * passed) <= known.w);
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

// The path that a particle begins: as `path_from` and `path_by` have it.
struct Path {
    from_stray: vec4f,
    by: vec3f,
}

// What is of a body that moves may stray farther.
fn new_path(i: u32) -> Path {
    let body = thing(i).body;
    let edge = shape(body).edge;
    let by = position(i) - start[i].xyz;
    let farthest = bitcast<f32>(atomicLoad(&grid[fastest_at(body)])) * life();
    let swerve = select(SWERVE, SWERVE_SOLID, is_solid(body)) * length(by) * life();
    let stray = clamp(farthest, STRAY_LEAST * edge, STRAY_MOST * edge) + swerve;
    return Path(vec4f(start[i].xyz, stray), by);
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

// Notes that a pair is on its wrong side, or that a vertex may be in a solid.
fn add_note(ids: vec4u) {
    let wrong = atomicAdd(&state[WRONG], 1u);
    if wrong < params.wrong_room {
        put_note(wrong, ids);
    }
}

fn put_note(wrong: u32, ids: vec4u) {
    let next = atomicExchange(&grid[list_at(list_of(ids))], wrong + 1u);
    atomicStore(&grid[wrong_at(wrong)], next);
    for (var word = 0u; word < 4u; word++) {
        atomicStore(&grid[wrong_at(wrong) + 1u + word], ids[word]);
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
    return is_listed(ids, atomicLoad(&grid[list_at(list_of(ids))]));
}

// Whether it is in a list from there on.
fn is_listed(ids: vec4u, first: u32) -> bool {
    var next = first;
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
    return way_of(Path(path_from(i), path_by(i)), more);
}

fn way_of(path: Path, more: f32) -> Box {
    let known = path.from_stray;
    let end = known.xyz + path.by * life();
    let margin = known.w + more;
    return Box(min(known.xyz, end) - margin, max(known.xyz, end) + margin);
}

// The group of an element: those of the same never touch; 0 is none.
fn group_of(e: u32) -> f32 {
    return ways[box_at(e)].w;
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

// Particles begin new paths; a box around the ways of every element; what is remembered of the search
// before.
@compute @workgroup_size(LANES)
fn bound(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let life = new_life();
    substeps = f32(life);
    if id.x == 0u {
        atomicStore(&state[LIFE], life);
    }
    for (var i = id.x; i < params.particles; i += groups.x * LANES) {
        let path = new_path(i);
        ways[2u * i] = path.from_stray;
        ways[2u * i + 1u] = vec4f(path.by, 0.0);
    }
    for (var k = id.x; k < atomicLoad(&state[OLD]); k += groups.x * LANES) {
        remember(pairs[k]);
    }
    for (var e = id.x; e < params.elements; e += groups.x * LANES) {
        let whose = element(e);
        if looks_in_boxes() && is_solid(whose.body) {
            surround(whose);
        }
        let ids = whose.ids;
        let radius = thing(ids.x).radius;
        // Others write the paths just now.
        var around = way_of(new_path(ids.x), radius);
        around = join(around, way_of(new_path(ids.y), radius));
        around = join(around, way_of(new_path(ids.z), radius));
        ways[box_at(e)] = vec4f(around.low, f32(whose.group));
        ways[box_at(e) + 1u] = vec4f(around.high, 0.0);
        count_cells(e, cells(around));
    }
}

// Elements go into the grid; if there is nothing to remember, or solids began in each other, vertices are
// noted that are in the box around a solid.
@compute @workgroup_size(LANES)
fn fill(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    for (var e = id.x; e < params.elements; e += groups.x * LANES) {
        fill_cells(e, cells(box(e)));
        if looks_in_boxes() {
            look_in_boxes(element(e));
        }
    }
}

// Lanes that compare an entry of the grid with those behind it in the same bucket: a step waits for the
// longest bucket.
const TOGETHER = 8u;

// Which elements have boxes that overlap? Then each workgroup leads vertices out of solids.
@compute @workgroup_size(LANES)
fn compare(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let entries = min(atomicLoad(&state[ENTRIES]), params.entry_room);
    for (var k = id.x; k < TOGETHER * entries; k += groups.x * LANES) {
        compare_behind(k / TOGETHER, k % TOGETHER);
    }
    if atomicLoad(&state[GIANTS]) > 0u {
        for (var e = id.x; e < params.elements; e += groups.x * LANES) {
            compare_with_giants(e);
        }
    }
    lead_out(group.x, groups.x, lane);
}

fn compare_with_giants(e: u32) {
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
}

// Compares the k-th entry with each eighth of those behind it.
fn compare_behind(k: u32, part: u32) {
    let entry = atomicLoad(&grid[entry_at(k)]);
    let e = entry >> CELL_BITS;
    let around = box(e);
    let at = nth_cell(cells(around), entry & (MOST_CELLS - 1u));
    let group = group_of(e);
    let end = min(atomicLoad(&grid[end_at(bucket_of(at))]), params.entry_room);
    for (var l = k + 1u + part; l < end; l += TOGETHER) {
        let behind = atomicLoad(&grid[entry_at(l)]);
        let other = behind >> CELL_BITS;
        if group != 0.0 && group == group_of(other) {
            continue;
        }
        let its = box(other);
        // Two boxes may share several cells: the lowest of them reports the pair. A bucket may have
        // several cells.
        if other != e && overlap(around, its)
            && all(cell(max(around.low, its.low)) == at)
            && all(nth_cell(cells(its), behind & (MOST_CELLS - 1u)) == at)
        {
            meet(min(e, other), max(e, other));
        }
    }
}

// Where in `grid` the elements are whose boxes overlap, two by two.
fn meeting_at(meeting: u32) -> u32 {
    return wrong_at(params.wrong_room) + 2u * meeting;
}

// Two elements whose boxes overlap: which of their parts touch, the next pass finds out.
fn meet(one: u32, two: u32) {
    let a = element(one);
    let b = element(two);
    if (a.group != 0u && a.group == b.group) || (thing(a.ids.x).phase & thing(b.ids.x).phase) == 0u {
        return;
    }
    var parts = parts_of(a, b);
    var slot = atomicAdd(&state[MEETINGS], countOneBits(parts));
    while parts != 0u && slot < params.meeting_room {
        let part = firstTrailingBit(parts);
        parts &= parts - 1u;
        atomicStore(&grid[meeting_at(slot)], one | part << PART);
        atomicStore(&grid[meeting_at(slot) + 1u], two);
        slot += 1u;
    }
}

// Two elements have 16 parts that may meet: three vertices and a face, a face and three vertices, nine pairs
// of edges, and what has neither. In a word beside an element, its number is shifted by so much.
const PART = 26u;

// Those that there are of two elements, as bits.
fn parts_of(a: Element, b: Element) -> u32 {
    var parts = select(0u, a.vertices & 7u, b.corners == 3u);
    parts |= select(0u, b.vertices & 7u, a.corners == 3u) << 3u;
    for (var k = 0u; k < 3u; k++) {
        parts |= select(0u, b.edges & 7u, (a.edges >> k & 1u) == 1u) << (6u + 3u * k);
    }
    let has_particle = min(a.corners, b.corners) == 1u && max(a.corners, b.corners) < 3u;
    return parts | select(0u, 1u << 15u, has_particle);
}

struct Meeting {
    shapes: array<Shape, 2>,
    is_within: bool,        // one body with itself
    is_of_faces: bool,
    distance: f32,          // how near they may come, without regard to rest (m)
    faces: array<vec3u, 2>, // the particles of both
}

// The candidates among the vertices, edges and faces of two elements.
@compute @workgroup_size(LANES)
fn expand(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    substeps = f32(atomicLoad(&state[LIFE]));
    for (var body = id.x; body < params.bodies; body += groups.x * LANES) {
        atomicStore(&grid[fastest_at(body)], 0u);
    }
    let count = min(atomicLoad(&state[MEETINGS]), params.meeting_room);
    for (var lane = id.x; lane < count; lane += groups.x * LANES) {
        let at = meeting_at(lane);
        let one = atomicLoad(&grid[at]);
        expand_part(one & ((1u << PART) - 1u), atomicLoad(&grid[at + 1u]), one >> PART);
    }
}

fn expand_part(one: u32, two: u32, part: u32) {
    let a = element(one);
    let b = element(two);
    let apart = thing(a.ids.x).radius + thing(b.ids.x).radius;
    var kind = EDGE_EDGE;
    var ids: vec4u;
    var is_near = true;
    if part < 3u {
        kind = VERTEX_FACE;
        ids = vec4u(a.ids[part], b.ids);
        is_near = overlap(way(ids.x, apart), box(two));
    } else if part < 6u {
        kind = VERTEX_FACE;
        ids = vec4u(b.ids[part - 3u], a.ids);
        is_near = overlap(way(ids.x, apart), box(one));
    } else if part < 15u {
        let k = (part - 6u) / 3u;
        let l = (part - 6u) % 3u;
        ids = vec4u(a.ids[k], a.ids[next_corner(a, k)], b.ids[l], b.ids[next_corner(b, l)]);
        let around = join(way(ids.x, apart), way(ids.y, apart));
        is_near = overlap(around, join(way(ids.z, 0.0), way(ids.w, 0.0)));
    } else {
        kind = select(PARTICLE_EDGE, TWO_PARTICLES, a.corners == b.corners);
        ids = select(
            vec4u(b.ids.x, a.ids.xy, b.ids.x),
            vec4u(a.ids.x, b.ids.xy, a.ids.x),
            a.corners <= b.corners,
        );
    }
    if is_near && can_meet(a, b) {
        let is_of_faces = a.corners == 3u && b.corners == 3u;
        let shapes = array(shape(a.body), shape(b.body));
        let faces = array(a.ids, b.ids);
        consider(Meeting(shapes, a.body == b.body, is_of_faces, apart, faces), kind, ids);
    }
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
    if a.body == b.body {
        return !(is_held(a) && is_held(b)) && !is_one_sheet(a, b);
    }
    return !(is_held(a) && is_held(b)) && !is_entangled(a.body, b.body);
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
