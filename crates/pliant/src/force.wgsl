// Forces beside gravity. A kind's own file has a function of its name, which gives the acceleration
// (m/s²) of particle i by a force; `acceleration_by` chooses among them. CPU twin: force.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    count: u32,             // forces
    h: f32,                 // s
    // Where columns start in `tables`:
    kinds: u32,             // kind of each force
    numbers: u32,           // first of each force's numbers
    masks: u32,             // for each force, a bit per particle: whether it acts on it
    mask_words: u32,        // length of such a mask
    of_particle: u32,       // first of a particle's triangles in `around`, and the end of the last
    around: u32,
    triangles: u32,         // corners of each triangle
    pad: u32,
}

struct Trait {
    radius: f32,
    phase: u32,
    inverse_mass: f32,      // when nothing holds the particle (1/kg)
    owner: u32,
}

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> v: array<vec4f>;
@group(0) @binding(2) var<storage, read> traits: array<Trait>;
@group(0) @binding(3) var<storage, read> tables: array<u32>;
@group(0) @binding(4) var<storage, read> numbers: array<f32>;
@group(0) @binding(5) var<storage, read_write> acceleration: array<vec4f>;

// Number k of a force.
fn number(force: u32, k: u32) -> f32 {
    return numbers[tables[params.numbers + force] + k];
}

fn acts_on(force: u32, particle: u32) -> bool {
    let word = tables[params.masks + force * params.mask_words + particle / 32u];
    return ((word >> (particle % 32u)) & 1u) != 0u;
}

// Corner k of a triangle, as a particle.
fn corner(triangle: u32, k: u32) -> u32 {
    return tables[params.triangles + 3u * triangle + k];
}

// Sums up what the forces do to a particle.
@compute @workgroup_size(LANES)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    var sum = vec3f(0.0);
    for (var force = 0u; force < params.count; force++) {
        sum += acceleration_by(tables[params.kinds + force], force, i);
    }
    acceleration[i] = vec4f(sum, 0.0);
}
