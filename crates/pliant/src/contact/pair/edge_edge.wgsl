// Two edges. CPU twin: edge_edge.rs

// Squared sine of the angle below which edges count as parallel.
const PARALLEL = 1e-4;

fn edge_edge(x: array<vec3f, 4>) -> Near {
    let e = x[1] - x[0];
    let f = x[3] - x[2];
    let r = x[0] - x[2];
    let ee = dot(e, e);
    let ff = dot(f, f);
    let ef = dot(e, f);
    let er = dot(e, r);
    let fr = dot(f, r);
    let apart = ee * ff - ef * ef;
    let first = clamp(div_or_zero(ef * fr - ff * er, apart), 0.0, 1.0);
    let t = clamp(div_or_zero(ef * first + fr, ff), 0.0, 1.0);
    let s = clamp(div_or_zero(ef * t - er, ee), 0.0, 1.0);
    let b = vec4f(1.0 - s, s, t - 1.0, -t);
    let across = cross(e, f);
    let crossed = select(0.0, 1.0, ee * ff * PARALLEL < apart);
    let inside = between(s) * between(t) * crossed;
    return Near(b, weighted(b, x), across, dot(r, across) * crossed, inside);
}

// Whether other pairs keep two edges apart as long as they move by no more than `margin` (m).
fn is_beside(x: array<vec3f, 4>, margin: f32) -> bool {
    let e = x[1] - x[0];
    let f = x[3] - x[2];
    let r = x[0] - x[2];
    let ee = dot(e, e);
    let ff = dot(f, f);
    let ef = dot(e, f);
    let apart = ee * ff - ef * ef;
    if apart <= PARALLEL * ee * ff {
        return true;
    }
    let s = (ef * dot(f, r) - ff * dot(e, r)) / apart;
    let t = (ee * dot(f, r) - ef * dot(e, r)) / apart;
    let over = vec2f(max(-s, s - 1.0), max(-t, t - 1.0)) * sqrt(vec2f(ee, ff) * apart / (ee * ff));
    return max(over.x, over.y) > margin;
}
