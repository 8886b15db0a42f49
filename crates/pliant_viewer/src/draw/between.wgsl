// Where particles are between two steps. Filled in by: draw/follow.rs

@group(0) @binding(0) var<storage, read> earlier: array<vec4f>;
@group(0) @binding(1) var<storage, read> newer: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> between: array<vec4f>;
// x: how far from the earlier to the newer, 0 to 1.
@group(0) @binding(3) var<uniform> share: vec4f;

@compute @workgroup_size(64)
fn blend(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = id.x + id.y * groups.x * 64u;
    if i < arrayLength(&between) {
        between[i] = mix(earlier[i], newer[i], share.x);
    }
}
