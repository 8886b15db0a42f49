// Surfaces that follow particles: where their vertices are, and which way they face. CPU twin: skin.rs

const LANES = 64u;

struct Params {
    first: u32,             // row of the dispatch's first lane
    end: u32,               // row after the last
    // Where columns start in `tables`:
    of_vertex: u32,         // first of a vertex's triangles in `around`, and the end of the last
    around: u32,
    triangles: u32,         // corners of each triangle
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

struct Binding {
    particles: vec4u,
    shares: vec4f,          // the height above the first three particles (m), weights of the others
}

@group(1) @binding(0) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read> xw: array<vec4f>;
@group(0) @binding(1) var<storage, read> bindings: array<Binding>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read_write> positions: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> normals: array<vec4f>;

// A vector of length 1, or 0 where there is no direction.
fn unit(a: vec3f) -> vec3f {
    let length = sqrt(dot(a, a));
    return select(vec3f(0.0), a / length, length > 1e-30);
}

// See `Binding::evaluate`.
@compute @workgroup_size(LANES)
fn place(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    let to = bindings[i].particles;
    let shares = bindings[i].shares;
    let a = xw[to.x].xyz;
    let b = xw[to.y].xyz - a;
    let c = xw[to.z].xyz - a;
    let d = xw[to.w].xyz - a;
    let x = a + b * shares.y + c * shares.z + d * shares.w + unit(cross(b, c)) * shares.x;
    positions[i] = vec4f(x, 1.0);
}

// See `TriMesh::normals`.
@compute @workgroup_size(LANES)
fn face(@builtin(global_invocation_id) id: vec3u) {
    let i = params.first + id.x;
    if i >= params.end {
        return;
    }
    var sum = vec3f(0.0);
    let end = tables[params.of_vertex + i + 1u];
    for (var k = tables[params.of_vertex + i]; k < end; k++) {
        let corners = params.triangles + 3u * tables[params.around + k];
        let a = positions[tables[corners]].xyz;
        let b = positions[tables[corners + 1u]].xyz;
        let c = positions[tables[corners + 2u]].xyz;
        sum += cross(b - a, c - a);
    }
    normals[i] = vec4f(unit(sum), 0.0);
}
