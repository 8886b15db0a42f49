// Triangles: solids and sheets. CPU twin: mesh.rs
//
// `fields` has, from row `numbers.x` on: how many nodes the tree has; for each node its low corner and its
// right child, 0 for a leaf, then its high corner and 8 times its first triangle and how many it has; for
// each triangle its corners. A left child follows its parent. `numbers.y` is 1 for a sheet with two sides.

// See mesh.rs.
const STRAIGHT = 0.9999;
const FLAT = 0.9999;
// Halving leaves at most 24 levels, each with one node waiting.
const DEEPEST = 32u;

struct Nearest {
    point: vec3f,           // m
    triangle: u32,          // the row of its first corner
    square: f32,            // of the distance (m²)
}

fn mesh(x: vec3f, numbers: vec4f) -> vec4f {
    let field = u32(numbers.x);
    let near = nearest_of(field, x);
    let far = sqrt(near.square);
    let front = unit_or_zero(area_at(near.triangle));
    let away = x - near.point;
    let sizes = max(abs(x), abs(near.point));
    let is_on = far <= 1e-6 * max(sizes.x, max(sizes.y, sizes.z));
    let normal = select(unit_or_zero(away), front, is_on);
    if numbers.y != 0.0 {
        return vec4f(normal, far);
    }
    var cosine = dot(front, normal);
    if abs(cosine) <= STRAIGHT {
        cosine = dot(direction_out(field, near.point), normal);
    }
    let side = select(1.0, -1.0, cosine < 0.0);
    return vec4f(normal, far) * side;
}

// The nearest point of the surface: nearer boxes first.
fn nearest_of(field: u32, x: vec3f) -> Nearest {
    var best = Nearest(vec3f(0.0), triangles_of(field), 1e30);
    var stack: array<u32, DEEPEST>;
    var waiting = 1u;
    while waiting > 0u {
        waiting--;
        let node = field + 1u + 2u * stack[waiting];
        if square_from(node, x) >= best.square {
            continue;
        }
        let right = u32(fields[node].w);
        if right > 0u {
            let left = stack[waiting] + 1u;
            let far = vec2f(square_from(node + 2u, x), square_from(field + 1u + 2u * right, x));
            let is_right_first = far.y < far.x;
            stack[waiting] = select(right, left, is_right_first);
            stack[waiting + 1u] = select(left, right, is_right_first);
            waiting += 2u;
            continue;
        }
        let leaf = u32(fields[node + 1u].w);
        for (var k = 0u; k < leaf % 8u; k++) {
            let triangle = triangles_of(field) + 3u * (leaf / 8u + k);
            let point = closest_on(triangle, x);
            let square = dot(point - x, point - x);
            if square < best.square {
                best = Nearest(point, triangle, square);
            }
        }
    }
    return best;
}

// The triangles in the leaves that meet a box, one after the other: `leaf` and `left` are of the leaf
// that is shown, `triangle` is what was found.
struct Search {
    low: vec3f,             // m
    high: vec3f,            // m
    stack: array<u32, DEEPEST>,
    waiting: u32,
    leaf: u32,
    left: u32,
    triangle: u32,
}

fn search_of(low: vec3f, high: vec3f) -> Search {
    var search: Search;
    search.low = low;
    search.high = high;
    search.waiting = 1u;
    return search;
}

fn find_next(field: u32, search: ptr<function, Search>) -> bool {
    while (*search).left == 0u {
        if (*search).waiting == 0u {
            return false;
        }
        (*search).waiting--;
        let index = (*search).stack[(*search).waiting];
        let node = field + 1u + 2u * index;
        if any(fields[node].xyz > (*search).high) || any(fields[node + 1u].xyz < (*search).low) {
            continue;
        }
        let right = u32(fields[node].w);
        if right > 0u {
            (*search).stack[(*search).waiting] = right;
            (*search).stack[(*search).waiting + 1u] = index + 1u;
            (*search).waiting += 2u;
            continue;
        }
        let leaf = u32(fields[node + 1u].w);
        (*search).leaf = triangles_of(field) + 3u * (leaf / 8u);
        (*search).left = leaf % 8u;
    }
    (*search).triangle = (*search).leaf;
    (*search).leaf += 3u;
    (*search).left--;
    return true;
}

// The direction out at a point of an edge or a vertex: see `out` in mesh.rs.
fn direction_out(field: u32, point: vec3f) -> vec3f {
    let size = distance(fields[field + 1u].xyz, fields[field + 2u].xyz);
    let near = 1e-5 * (size + length(point));
    var out = vec3f(0.0);
    var search = search_of(point - near, point + near);
    while find_next(field, &search) {
        let triangle = search.triangle;
        if distance(closest_on(triangle, point), point) > near {
            continue;
        }
        var angle = 3.14159265;
        for (var k = 0u; k < 3u; k++) {
            let corner = fields[triangle + k].xyz;
            if distance(corner, point) <= near {
                let one = fields[triangle + (k + 1u) % 3u].xyz - corner;
                let other = fields[triangle + (k + 2u) % 3u].xyz - corner;
                angle = atan2(length(cross(one, other)), dot(one, other));
                break;
            }
        }
        out += unit_or_zero(area_at(triangle)) * angle;
    }
    return out;
}

// By its triangles: exact, however long the way. See `crossing` in mesh.rs.
fn mesh_crossing(way: Way, numbers: vec4f) -> Crossing {
    let field = u32(numbers.x);
    let start = way.start;
    let end = way.end;
    let along = (end - start) + unit_or_zero(end - start) * way.level;
    let ahead = start + along;
    var first = 2.0;
    var hit = 0u;
    var search = search_of(min(start, ahead), max(start, ahead));
    while find_next(field, &search) {
        let t = crossed_at(search.triangle, start, along, numbers.y != 0.0);
        if t < first || (t == first && search.triangle < hit) {
            first = t;
            hit = search.triangle;
        }
    }
    if first > 1.0 {
        return Crossing(end, false, vec4f(0.0));
    }
    let front = unit_or_zero(area_at(hit));
    let normal = select(-front, front, dot(front, along) < 0.0);
    return Crossing(start + along * first, any(front != vec3f(0.0)), vec4f(normal, 0.0));
}

// Share of a way that lies before a triangle; 2 if it does not cross it. See `cross` in mesh/sdf.rs.
fn crossed_at(triangle: u32, start: vec3f, along: vec3f, is_sheet: bool) -> f32 {
    let a = fields[triangle].xyz - start;
    let b = fields[triangle + 1u].xyz - start;
    let c = fields[triangle + 2u].xyz - start;
    let normal = cross(b - a, c - a);
    let before = -dot(normal, a);
    let after = dot(normal, along - a);
    // What begins on the surface of a solid may be behind it by rounding.
    let sizes = abs(a);
    let rounding = 1e-6 * length(normal) * max(max(sizes.x, max(sizes.y, sizes.z)), length(along));
    let is_front = before >= -rounding && after < 0.0 && after < before;
    let is_back = before < 0.0 && after >= 0.0;
    if !(is_front || (is_back && is_sheet)) {
        return 2.0;
    }
    let volumes = vec3f(beside(along, a, b), beside(along, b, c), beside(along, c, a));
    let is_inside = all(volumes <= vec3f(0.0)) || all(volumes >= vec3f(0.0));
    return select(2.0, clamp(before / (before - after), 0.0, 1.0), is_inside);
}

// The same number, but for its sign, from both triangles of an edge.
fn beside(along: vec3f, p: vec3f, q: vec3f) -> f32 {
    let is_less = p.x < q.x || (p.x == q.x && (p.y < q.y || (p.y == q.y && p.z < q.z)));
    let low = select(q, p, is_less);
    let high = select(p, q, is_less);
    let volume = dot(along, cross(low, high));
    return select(-volume, volume, is_less);
}

// Of a closed surface: a sheet has borders.
fn mesh_is_flat(low: vec3f, high: vec3f, numbers: vec4f) -> bool {
    let field = u32(numbers.x);
    let middle = (low + high) / 2.0;
    let reach = 0.5 * distance(low, high);
    var face = vec3f(0.0);
    var search = search_of(low, high);
    while find_next(field, &search) {
        let off = closest_on(search.triangle, middle) - middle;
        if dot(off, off) > reach * reach {
            continue;
        }
        let normal = unit_or_zero(area_at(search.triangle));
        if all(face == vec3f(0.0)) {
            face = normal;
        }
        if dot(normal, face) <= FLAT {
            return false;
        }
    }
    return numbers.y == 0.0;
}

// Whether nothing of it is nearer to x than `reach` (m).
fn mesh_is_far(x: vec3f, reach: f32, numbers: vec4f) -> bool {
    return square_from(u32(numbers.x) + 1u, x) > reach * reach;
}

// Where the triangles begin.
fn triangles_of(field: u32) -> u32 {
    return field + 1u + 2u * u32(fields[field].x);
}

// Square of the distance of x from the box of a node (m²).
fn square_from(node: u32, x: vec3f) -> f32 {
    let off = clamp(x, fields[node].xyz, fields[node + 1u].xyz) - x;
    return dot(off, off);
}

fn closest_on(triangle: u32, x: vec3f) -> vec3f {
    let b = fields[triangle + 1u].xyz;
    return closest_point(fields[triangle].xyz, b, fields[triangle + 2u].xyz, x);
}

// The area of a triangle with the direction of its normal (m²).
fn area_at(triangle: u32) -> vec3f {
    let a = fields[triangle].xyz;
    return cross(fields[triangle + 1u].xyz - a, fields[triangle + 2u].xyz - a) / 2.0;
}

fn unit_or_zero(v: vec3f) -> vec3f {
    let far = length(v);
    return select(vec3f(0.0), v / far, far > 1e-30);
}
