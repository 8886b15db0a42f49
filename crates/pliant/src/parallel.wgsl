// What the lanes of a workgroup do together. A shader that has this file has LANES, 64. CPU twin: parallel.rs

var<workgroup> sums: array<vec4f, LANES>;

// The sum over the lanes of a workgroup, in a fixed order, known to all of them. All must call it.
fn total(lane: u32, value: vec4f) -> vec4f {
    sums[lane] = value;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            sums[lane] += sums[lane + half];
        }
        workgroupBarrier();
    }
    let sum = sums[0];
    workgroupBarrier(); // before the next sum is written
    return sum;
}
