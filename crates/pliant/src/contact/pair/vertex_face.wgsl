// A vertex and a face. CPU twin: vertex_face.rs

fn vertex_face(x: array<vec3f, 4>) -> Near {
    let e = x[2] - x[1];
    let f = x[3] - x[1];
    let r = x[0] - x[1];
    let across = cross(e, f);
    let area = dot(across, across);
    var v = div_or_zero(dot(cross(r, f), across), area);
    var w = div_or_zero(dot(cross(e, r), across), area);
    let least = min(min(1.0 - v - w, v), w);
    let inside = select(0.0, 1.0, area > 0.0 && least > 0.0);
    if inside == 0.0 {
        let border = on_border(e, f, r);
        v = border.x;
        w = border.y;
    }
    let b = vec4f(1.0, v + w - 1.0, -v, -w);
    return Near(b, weighted(b, x), across, dot(r, across), inside);
}

// How far along a side the point is nearest to the end of `start`, 0 to 1, and the squared distance
// from there (m²).
fn along(start: vec3f, side: vec3f) -> vec2f {
    let t = clamp(div_or_zero(dot(start, side), dot(side, side)), 0.0, 1.0);
    let away = start - side * t;
    return vec2f(t, dot(away, away));
}

// The coordinates of the nearest point of the three sides.
fn on_border(e: vec3f, f: vec3f, r: vec3f) -> vec2f {
    let on_e = along(r, e);
    let on_f = along(r, f);
    let on_g = along(r - e, f - e);
    var at = select(vec2f(on_e.x, 0.0), vec2f(0.0, on_f.x), on_f.y < on_e.y);
    if on_g.y < min(on_f.y, on_e.y) {
        at = vec2f(1.0 - on_g.x, on_g.x);
    }
    return at;
}
