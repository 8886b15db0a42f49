// Brings the multipliers that tiles have left to where the world has them.

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    slots: u32,             // where `tiles` has the slot of row 0
    pad: u32,
}

const HOME = 0x80000000u; // of a slot: this row has its multiplier

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read> tiles: array<u32>;
@group(0) @binding(1) var<storage, read> of_tiles: array<f32>;
@group(0) @binding(2) var<storage, read_write> lambda: array<f32>;

@compute @workgroup_size(64)
fn bring_home(@builtin(global_invocation_id) id: vec3u) {
    let row = params.first + id.x;
    if row >= params.end {
        return;
    }
    let slot = tiles[params.slots + row];
    if (slot & HOME) != 0u {
        lambda[slot & ~HOME] = of_tiles[row];
    }
}
