// Averaged Jacobi: what comes before and after the constraints, which see `xw` and add to `moves`.
// CPU twin: jacobi.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    pad_0: u32,
    pad_1: u32,
}

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> moves: array<vec4f>; // Σ Δx (m), and n w (1/kg)
@group(0) @binding(2) var<storage, read> counts: array<f32>; // constraints of each particle

// A particle of n constraints becomes as many parts.
@compute @workgroup_size(LANES)
fn split(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        moves[i] = vec4f(vec3f(0.0), xw[i].w * counts[i]);
    }
}

// And goes to their average.
@compute @workgroup_size(LANES)
fn average(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        xw[i] += vec4f(moves[i].xyz, 0.0);
    }
}
