// The end of a substep in which bodies touch, in one pass: the last sweep over pairs moves a particle, then
// colliders do, and its velocity is corrected. After the shader of the stages, `state.wgsl` and `split.wgsl`.

// In the place of `acceleration`, which nothing here needs.
@group(0) @binding(3) var<storage, read_write> sums: array<Sum>;
// For what is not called here.
@group(0) @binding(4) var<storage, read_write> start: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

@compute @workgroup_size(LANES)
fn move_collide_and_correct(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i < params.end {
        move_one(i);
        let corrected = correct_one(i, collide_one(i, xw[i]));
        xw[i] = corrected.row;
        v[i] = corrected.velocity;
    }
}
