// Solids that began in each other, taken apart as wholes: a workgroup for each two. The shader is
// `buffers.wgsl` and this file. CPU twin: entangled.rs
//
// Which way they go is found when they come to the GPU; how far, by every search (`tangle.wgsl`).

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(4) var<storage, read> things: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>;

// What lanes have of a body: its mass (kg), its momentum along the way (kg m/s), and how many are pinned.
var<workgroup> sums: array<vec3f, LANES>;

// One over the mass of the particles from `first` to `end` (1/kg), 0 if one is pinned; and their mean velocity
// along `way` (m/s).
fn inertia(first: u32, end: u32, way: vec3f, lane: u32) -> vec2f {
    var sum = vec3f(0.0);
    for (var i = first + lane; i < end; i += LANES) {
        let w = xw[i].w;
        let mass = select(0.0, 1.0 / w, w > 0.0);
        sum += vec3f(mass, mass * dot(v[i].xyz, way), select(1.0, 0.0, w > 0.0));
    }
    workgroupBarrier();
    sums[lane] = sum;
    workgroupBarrier();
    sum = vec3f(0.0);
    for (var k = 0u; k < LANES; k++) {
        sum += sums[k];
    }
    if sum.z > 0.0 || sum.x <= 0.0 {
        return vec2f(0.0);
    }
    return vec2f(1.0, sum.y) / sum.x;
}

var<workgroup> left: f32;

@compute @workgroup_size(LANES)
fn part(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let at = entangled_at(group.x);
    let word = ENTANGLED_STATE * group.x;
    if lane == 0u {
        let deepest = bitcast<f32>(atomicLoad(&state[ENTANGLED + word]));
        let gone = atomicLoad(&state[GONE + word]);
        left = select(deepest - bitcast<f32>(gone), -1.0, gone == APART || deepest <= 0.0);
    }
    let farthest = workgroupUniformLoad(&left);
    if farthest < 0.0 {
        return;
    }
    let way = vec3f(
        bitcast<f32>(things[at + 6u]),
        bitcast<f32>(things[at + 7u]),
        bitcast<f32>(things[at + 8u]),
    );
    let rows = array(vec2u(things[at + 2u], things[at + 3u]), vec2u(things[at + 4u], things[at + 5u]));
    let one = inertia(rows[0].x, rows[0].y, way, lane);
    let two = inertia(rows[1].x, rows[1].y, way, lane);
    let total = one.x + two.x;
    if total <= 0.0 {
        return;
    }
    let by = min(farthest, params.max_depenetration * params.h);
    let nearing = max(two.y - one.y, 0.0);
    move_along(rows[0], way * (one.x / total), vec2f(by, nearing), lane);
    move_along(rows[1], -way * (two.x / total), vec2f(by, nearing), lane);
    if lane == 0u {
        let gone = bitcast<f32>(atomicLoad(&state[GONE + word]));
        atomicStore(&state[GONE + word], bitcast<u32>(gone + by));
    }
}

// Moves particles by their share of a way (m) and of a speed (m/s).
fn move_along(rows: vec2u, share: vec3f, by: vec2f, lane: u32) {
    let shift = vec4f(share * by.x, 0.0);
    let push = vec4f(share * by.y, 0.0);
    let is_plain = (params.flags & CARRIED) == 0u;
    for (var i = rows.x + lane; i < rows.y && any(share != vec3f(0.0)); i += LANES) {
        v[i] += push;
        predicted[i] += shift + push * params.h;
        if is_plain {
            xw[i] += shift + push * params.h;
        }
        start[i] += shift;
    }
}
