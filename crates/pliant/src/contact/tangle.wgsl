// Solids that have got into each other: which way is out? Part of the shader of `detect.wgsl`. CPU twin:
// tangle.rs
//
// What is asked about pairs on their wrong side stands beside them in the lists of `detect.wgsl`, as notes.
// A note begins as a pair of two particles would, which has no sides and so is never listed itself.

// See tangle.rs.
const TIE = 1e-4;
const CLEAR = 0.1;

const NOTE = TWO_PARTICLES << KIND;
const NOBODY = 0xffffffffu;

// A vertex that has gone into a body.
fn gone_in(vertex: u32, body: u32) -> vec4u {
    return vec4u(vertex | NOTE, body, NOBODY, 0u);
}

// Two bodies of which one has a vertex in the other.
fn tangled(one: u32, two: u32) -> vec4u {
    return vec4u(min(one, two) | NOTE, max(one, two), NOBODY, 1u);
}

// A vertex that goes out through a face.
fn way_out(vertex: u32, face: vec3u) -> vec4u {
    return vec4u(vertex | NOTE, face);
}

fn is_solid(body: u32) -> bool {
    return things[8u * params.particles + 4u * body + 3u] != 0u;
}

// Where in `grid` the box around a body is: its lowest and highest coordinates.
fn around_at(body: u32) -> u32 {
    return meeting_at(params.meeting_room) + 6u * body;
}

// A number as bits that are in the same order, and back.
fn ordered(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn from_ordered(bits: u32) -> f32 {
    return bitcast<f32>(select(~bits, bits & 0x7fffffffu, bits >= 0x80000000u));
}

// Whether there is nothing to remember: then bodies may have been put into each other.
fn is_new() -> bool {
    return atomicLoad(&state[OLD]) == 0u;
}

fn empty_around(word: u32) {
    atomicStore(&grid[around_at(0u) + word], select(0u, NOBODY, word % 6u < 3u));
}

// Takes an element into the box around its body.
fn surround(whose: Element) {
    for (var k = 0u; k < 3u; k++) {
        let x = start[whose.ids[k]].xyz;
        for (var axis = 0u; axis < 3u; axis++) {
            atomicMin(&grid[around_at(whose.body) + axis], ordered(x[axis]));
            atomicMax(&grid[around_at(whose.body) + 3u + axis], ordered(x[axis]));
        }
    }
}

fn is_around(body: u32, x: vec3f) -> bool {
    let at = around_at(body);
    var low: vec3f;
    var high: vec3f;
    for (var axis = 0u; axis < 3u; axis++) {
        low[axis] = from_ordered(atomicLoad(&grid[at + axis]));
        high[axis] = from_ordered(atomicLoad(&grid[at + 3u + axis]));
    }
    return all(low <= x) && all(x <= high);
}

// The place of two bodies among those that began in each other, if the last search found them so.
fn entangled(one: u32, two: u32) -> u32 {
    let count = select(params.entangled, 0u, atomicLoad(&state[STILL_IN]) == 0u);
    for (var k = 0u; k < count; k++) {
        let at = entangled_at(k);
        let is_it = things[at] == min(one, two) && things[at + 1u] == max(one, two);
        if is_it && atomicLoad(&state[GONE + ENTANGLED_STATE * k]) != APART {
            return k;
        }
    }
    return NOBODY;
}

// Whether this search has found them in each other: then no pair of theirs is solved, and `entangled.wgsl`
// takes them apart as wholes.
fn is_entangled(one: u32, two: u32) -> bool {
    let k = entangled(one, two);
    return k != NOBODY && atomicLoad(&state[ENTANGLED + ENTANGLED_STATE * k]) != 0u;
}

// Whether vertices are looked for in the boxes around solids.
fn looks_in_boxes() -> bool {
    return is_new() || atomicLoad(&state[STILL_IN]) > 0u;
}

// Notes the vertices of an element that are in the box around a solid.
fn look_in_boxes(whose: Element) {
    for (var corner = 0u; corner < 3u; corner++) {
        let vertex = whose.ids[corner];
        let is_own = (whose.vertices >> corner & 1u) == 1u;
        for (var body = 0u; body < params.bodies && is_own; body++) {
            if body != whose.body && is_solid(body) && is_around(body, start[vertex].xyz)
                && (is_new() || entangled(body, whose.body) != NOBODY)
                && !is_apart(vertex, whose.group, body)
            {
                add_note(gone_in(vertex, body));
            }
        }
    }
}

// Whether a vertex and a body never touch.
fn is_apart(vertex: u32, group: u32, body: u32) -> bool {
    let face = element(first_element(body));
    let is_one_group = group != 0u && group == face.group;
    return is_one_group || (thing(vertex).phase & thing(face.ids.x).phase) == 0u;
}

var<workgroup> suspects: u32;
var<workgroup> suspect: vec4u;
var<workgroup> nearest: array<f32, LANES>;
var<workgroup> upright: array<f32, LANES>;
var<workgroup> exits: array<u32, LANES>;

// Leads vertices that are in a solid out through the nearest face: each workgroup those of some notes, its
// lanes the faces of the solid.
fn lead_out(group: u32, groups: u32, lane: u32) {
    if lane == 0u {
        suspects = min(atomicLoad(&state[WRONG]), params.wrong_room);
    }
    let count = workgroupUniformLoad(&suspects);
    for (var k = group; k < count; k += groups) {
        if lane == 0u {
            suspect = noted(k);
            // Several faces may have noted it.
            if is_listed(suspect, atomicLoad(&grid[wrong_at(k)])) {
                suspect.x = 0u;
            }
        }
        let note = workgroupUniformLoad(&suspect);
        if note.x >= NOTE && note.z == NOBODY {
            lead(note.x & ID, note.y, lane);
        }
    }
}

// The first element of a body: elements are in the order of their bodies.
fn first_element(body: u32) -> u32 {
    var low = 0u;
    var high = params.elements;
    while low < high {
        let middle = (low + high) / 2u;
        if element(middle).body < body {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// How far a vertex is from a face, squared, and how far in front of it (m).
fn before_face(x: vec3f, ids: vec3u) -> vec2f {
    let near = vertex_face(array(x, start[ids.x].xyz, start[ids.y].xyz, start[ids.z].xyz));
    return vec2f(dot(near.d, near.d), dot(near.d, normal(ids)));
}

// If a vertex is in a solid, adds the pair by which it goes out.
fn lead(vertex: u32, body: u32, lane: u32) {
    let x = start[vertex].xyz;
    let first = first_element(body);
    let end = first_element(body + 1u);
    var least = 3e38;
    for (var e = first + lane; e < end; e += LANES) {
        let face = element(e);
        if face.corners == 3u {
            least = min(least, before_face(x, face.ids).x);
        }
    }
    nearest[lane] = least;
    workgroupBarrier();
    for (var k = 0u; k < LANES; k++) {
        least = min(least, nearest[k]);
    }
    // Of faces that are equally near, at an edge or a corner, the one that looks most at it says whether it
    // is inside; of those that look alike, the first.
    var most = 0.0;
    var through = NOBODY;
    for (var e = first + lane; e < end; e += LANES) {
        let face = element(e);
        let found = before_face(x, face.ids);
        if face.corners == 3u && found.x <= least * (1.0 + TIE) && abs(found.y) > abs(most) {
            most = found.y;
            through = e;
        }
    }
    upright[lane] = most;
    exits[lane] = through;
    workgroupBarrier();
    if lane == 0u {
        for (var k = 1u; k < LANES; k++) {
            let is_first = abs(upright[k]) == abs(most) && exits[k] < through;
            if abs(upright[k]) > abs(most) || is_first {
                most = upright[k];
                through = exits[k];
            }
        }
        if through != NOBODY && most < 0.0 {
            let_out(vertex, body, through);
        }
    }
    workgroupBarrier();
}

fn let_out(vertex: u32, body: u32, through: u32) {
    let face = element(through);
    let own = thing(vertex);
    let is_still = xw[vertex].w == 0.0 && is_held(face);
    if is_still || (own.phase & thing(face.ids.x).phase) == 0u {
        return;
    }
    let apart = own.radius + thing(face.ids.x).radius;
    let two = entangled(own.body, body);
    if two != NOBODY {
        let depth = sqrt(before_face(start[vertex].xyz, face.ids).x);
        atomicMax(&state[ENTANGLED + ENTANGLED_STATE * two], bitcast<u32>(depth + apart));
        return;
    }
    add_way_out(way_out(vertex, face.ids));
    add_way_out(tangled(own.body, body));
    add_pair(array(shape(own.body), shape(body)), vec4u(vertex, face.ids), vec2f(apart, IDLE));
}

// Adds a note while others are being read: these lie at the other end of the room, and their number does not
// change then.
fn add_way_out(ids: vec4u) {
    let number = atomicAdd(&state[WAYS_OUT], 1u);
    if number + atomicLoad(&state[WRONG]) < params.wrong_room {
        put_note(params.wrong_room - 1u - number, ids);
    }
}

// The side of a pair, and 0 where it is not to be kept: `side` is what it remembers, on the wrong side if
// `is_wrong`.
fn untangled(meeting: Meeting, kind: u32, ids: vec4u, side: f32, is_wrong: bool) -> f32 {
    let body = thing(ids.y).body;
    if kind == VERTEX_FACE && is_solid(body) {
        if is_noted(way_out(ids.x, ids.yzw)) {
            return 0.0;
        }
        // It may have gone in through one face and out through another. As long as another face of the same
        // body says that it has gone in there, it goes back that way: what is thin is not passed.
        let is_out = is_wrong && side < 0.0 && !is_noted(gone_in(ids.x, body));
        return select(side, IDLE, is_out);
    }
    let other = thing(ids.z).body;
    if kind == EDGE_EDGE && is_solid(body) && is_solid(other) {
        if is_wrong || is_noted(tangled(body, other)) || entangled(body, other) != NOBODY {
            return outward(meeting, ids, side);
        }
    }
    return side;
}

// On which side the first edge is by the way that the surfaces look, if they tell.
fn outward(meeting: Meeting, ids: vec4u, side: f32) -> f32 {
    let across = unit_or_zero(edge_edge(starts(ids)).across);
    let apart = dot(across, normal(meeting.faces[1]) - normal(meeting.faces[0]));
    return select(side, select(-IDLE, IDLE, apart > 0.0), abs(apart) > CLEAR);
}
