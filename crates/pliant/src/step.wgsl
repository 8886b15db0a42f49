// What the stages of a step share: their parameters, and the columns of the particles. The shader of
// `predict`, `contacts` and `velocity` is this file, `collider.wgsl`, the shapes of colliders, and
// the three. CPU twin: step.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    flags: u32,             // CARRIED | FORCED | AWAY
    h: f32,                 // s
    gravity: vec3f,         // m/s²
    keep: f32,              // share of a velocity that damping leaves in a substep
    max_depenetration: f32, // m/s
    rest_speed: f32,        // m/s
    collider_count: u32,
    particle_count: u32,
    face_row: u32,          // row of the first triangle in `faces`: one after the other, by iteration
    iteration: u32,
    pad_1: u32,
    pad_2: u32,
}

const CARRIED = 4u; // rows are displacements from `predicted`
const FORCED = 16u; // there are forces, and `acceleration` is up to date
const AWAY = 32u; // where `xw` has room for all rows twice, a substep begins in its second half

struct Trait {
    radius: f32,            // m
    phase: u32,
    inverse_mass: f32,      // when nothing holds the particle (1/kg)
    owner: u32,             // twice the index of its body, 1 more if it is pinned, and RIGID
}

const RIGID = 0x80000000u; // colliders move its body as a whole

struct Contact {
    normal: vec3f,
    depth: f32,             // m; 0 for no contact
    collider: u32,
    rounded_x: f32,         // what rounding added to pushes (m); see contacts.rs
    rounded_y: f32,
    rounded_z: f32,
}

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> acceleration: array<vec4f>;
@group(0) @binding(4) var<storage, read> traits: array<Trait>;
@group(0) @binding(5) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(6) var<storage, read_write> colliders: array<Collider>;
@group(0) @binding(7) var<storage, read> fields: array<vec4f>; // grids of signed distances

fn is_carried() -> bool {
    return (params.flags & CARRIED) != 0u;
}

fn is_rigid(i: u32) -> bool {
    return (traits[i].owner & RIGID) != 0u;
}
