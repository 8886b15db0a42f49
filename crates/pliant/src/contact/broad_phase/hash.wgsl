// A grid without borders, whose cells are sorted into a table by their hash: how many has each bucket,
// where does it start, then each to its place. In which order buckets and their entries lie is left to
// chance; no result depends on it. CPU twin: hash.rs, which finds the same pairs by other means: there a
// box is in one cell, and its neighbours are looked for around it; here it is in every cell that it touches.

// A box in more cells than this is looked for by all others instead.
const MOST_CELLS = 64u;
// Farthest cell from the origin along an axis; boxes beyond share the last.
const FARTHEST_CELL = 5e8;

// An entry has six bits for a cell among those of its box.
const CELL_BITS = 6u;

// Where in `grid` there is what: of each bucket how many it has, then where it ends; where it starts.
fn end_at(bucket: u32) -> u32 {
    return bucket;
}

fn start_at(bucket: u32) -> u32 {
    return params.buckets + bucket;
}

fn entry_at(entry: u32) -> u32 {
    return 2u * params.buckets + entry;
}

fn giant_at(giant: u32) -> u32 {
    return 2u * params.buckets + params.entry_room + giant;
}

struct Cells {
    low: vec3i,
    sides: vec3u,
    count: u32,             // more than MOST_CELLS if there are that many
}

fn cell(x: vec3f) -> vec3i {
    return vec3i(floor(clamp(x * params.per_cell, vec3f(-FARTHEST_CELL), vec3f(FARTHEST_CELL))));
}

fn cells_of(low: vec3f, high: vec3f) -> Cells {
    let first = cell(low);
    let sides = vec3u(max(cell(high) - first, vec3i(0))) + 1u;
    let most = min(sides, vec3u(MOST_CELLS + 1u));
    let count = min(most.x * most.y, MOST_CELLS + 1u) * most.z;
    return Cells(first, sides, count);
}

// The cell of that number among those of a box.
fn nth_cell(cells: Cells, k: u32) -> vec3i {
    let plane = cells.sides.x * cells.sides.y;
    return cells.low + vec3i(vec3u(k % cells.sides.x, k % plane / cells.sides.x, k / plane));
}

// Teschner et al. 2003, "Optimized Spatial Hashing for Collision Detection of Deformable Objects", section 3.1, with
// their primes; then mixed, since tables here have sizes that are powers of two. The CPU folds cells onto a block
// instead, whose sides it measures first.
fn bucket_of(at: vec3i) -> u32 {
    let c = vec3u(at);
    let hash = (c.x * 73856093u) ^ (c.y * 19349663u) ^ (c.z * 83492791u);
    return (hash ^ (hash >> 15u)) & (params.buckets - 1u);
}

// How many has each bucket? Run over elements, after their boxes were made.
fn count_cells(element: u32, cells: Cells) {
    if cells.count > MOST_CELLS {
        let giant = atomicAdd(&state[GIANTS], 1u);
        if giant < params.giant_room {
            atomicStore(&grid[giant_at(giant)], element);
        }
        return;
    }
    for (var k = 0u; k < cells.count; k++) {
        atomicAdd(&grid[end_at(bucket_of(nth_cell(cells, k)))], 1u);
    }
}

var<workgroup> sums: array<u32, LANES>;
var<workgroup> base: u32;

// Where does it start? A workgroup takes room for its buckets at once.
@compute @workgroup_size(LANES)
fn place_buckets(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_id) local: vec3u,
) {
    for (var first = group.x * LANES; first < params.buckets; first += groups.x * LANES) {
        let bucket = first + local.x;
        var count = 0u;
        if bucket < params.buckets {
            count = atomicLoad(&grid[end_at(bucket)]);
        }
        sums[local.x] = count;
        workgroupBarrier();
        for (var reach = 1u; reach < LANES; reach *= 2u) {
            var before = 0u;
            if local.x >= reach {
                before = sums[local.x - reach];
            }
            workgroupBarrier();
            sums[local.x] += before;
            workgroupBarrier();
        }
        if local.x == LANES - 1u {
            base = atomicAdd(&state[ENTRIES], sums[local.x]);
        }
        workgroupBarrier();
        let start = base + sums[local.x] - count;
        if bucket < params.buckets {
            atomicStore(&grid[start_at(bucket)], start);
            atomicStore(&grid[end_at(bucket)], start);
        }
        workgroupBarrier();
    }
}

// Then each to its place.
fn fill_cells(element: u32, cells: Cells) {
    if cells.count > MOST_CELLS {
        return;
    }
    for (var k = 0u; k < cells.count; k++) {
        let entry = atomicAdd(&grid[end_at(bucket_of(nth_cell(cells, k)))], 1u);
        if entry < params.entry_room {
            atomicStore(&grid[entry_at(entry)], element << CELL_BITS | k);
        }
    }
}
