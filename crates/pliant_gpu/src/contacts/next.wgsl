// Where bodies touch, a substep ends and the next begins in one pass. After the shader of the stages,
// `state.wgsl` and `split.wgsl`.

// In the places of `traits`, `colliders` and `fields`, which nothing here needs.
@group(0) @binding(4) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> sums: array<Sum>;
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

@compute @workgroup_size(LANES)
fn slow_down_and_predict(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    count_anew(i);
    if i < params.end {
        slow_one(i);
        xw[i] = predict_one(i, xw[i], v[i]);
    }
}
