// Bodies, as the ends of a step see them. The shader of `sleep` and `quarantine` is this file and the
// two. CPU twin: body.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    flags: u32,             // WAKE_ALL
    dt: f32,                // length of the step (s)
    sleep_speed: f32,       // m/s
    sleep_after: f32,       // s
    pad_0: u32,
    pad_1: u32,
}

const WAKE_ALL = 1u;

struct Trait {
    radius: f32,
    phase: u32,
    inverse_mass: f32,      // when nothing holds the particle (1/kg)
    owner: u32,             // twice the index of its body, 1 more if it is pinned, and a bit if it is rigid
}

struct Body {
    flags: u32,             // EXISTS | ASLEEP | HELD, and what changes in this step
    island: u32,            // the lowest body of its island
    quiet: f32,             // how long it has been slow (s)
    age: u32,               // steps that it has taken since it was last read
    culprit: u32,           // the first particle that was not finite
    bad: atomic<u32>,       // the same in this step, or NONE
    fast: atomic<u32>,      // whether one of its particles is fast
    disturbed: atomic<u32>, // whether one of its particles was moved from outside
    restless: atomic<u32>,  // of an island: whether one of its bodies is not yet quiet
    stirred: atomic<u32>,   // of an island: whether one of its bodies moves
    pad_0: u32,
    pad_1: u32,
}

const EXISTS = 1u;
const ASLEEP = 2u;
const HELD = 4u;
const FALLING = 8u;  // falls asleep in this step
const RISING = 16u;  // wakes up in this step
const BROKEN = 32u;  // stopped being finite in this step
const NONE = 0xffffffffu;

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> predicted: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read> traits: array<Trait>;
@group(0) @binding(4) var<storage, read_write> good: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> bodies: array<Body>;

fn owner(i: u32) -> u32 {
    return (traits[i].owner & 0x7fffffffu) / 2u;
}

fn has(body: u32, flags: u32) -> bool {
    return (bodies[body].flags & flags) != 0u;
}
