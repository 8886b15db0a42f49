//! Which samples of a buffer does a triangle cover, and how near is it there?

use super::view::View;
use glam::Vec3;
use std::ops::Range;

/// A band of rows of samples: what is nearest at each.
pub(super) struct Buffer {
    pub(super) width: usize,
    /// The first row of the band, and the one after its last.
    pub(super) rows: Range<usize>,
    /// Closeness of what is seen, see [`View::closeness`].
    pub(super) closeness: Vec<f32>,
    /// Which primitive is seen. Empty in a buffer that only measures depth.
    pub(super) id: Vec<u32>,
}

impl Buffer {
    /// A buffer that only measures depth, with nothing in sight.
    pub(super) fn depth_only(width: usize, height: usize) -> Self {
        let closeness = vec![f32::NEG_INFINITY; width * height];
        Self { width, rows: 0..height, closeness, id: Vec::new() }
    }

    /// A band that remembers primitives, with nothing in sight but `id` at closeness 0.
    pub(super) fn band(width: usize, rows: Range<usize>, id: u32) -> Self {
        let count = width * rows.len();
        Self { width, rows, closeness: vec![0.0; count], id: vec![id; count] }
    }

    /// Puts `id` where it is nearer than what was there; `closeness(k)` is that of the k-th sample.
    pub(super) fn span(
        &mut self,
        row: usize,
        columns: Range<usize>,
        id: u32,
        closeness: impl Fn(usize) -> f32,
    ) {
        let start = (row - self.rows.start) * self.width;
        let range = start + columns.start..start + columns.end;
        let depths = &mut self.closeness[range.clone()];
        if self.id.is_empty() {
            for (k, depth) in depths.iter_mut().enumerate() {
                *depth = depth.max(closeness(k));
            }
        } else {
            for (k, (depth, seen)) in depths.iter_mut().zip(&mut self.id[range]).enumerate() {
                let new = closeness(k);
                if new > *depth {
                    (*depth, *seen) = (new, id);
                }
            }
        }
    }

    /// The columns whose sample centres lie in `from..to`.
    pub(super) fn columns(&self, from: f64, to: f64) -> Range<usize> {
        samples_between(from, to, 0..self.width)
    }

    /// The rows of the band whose sample centres lie in `from..to`.
    pub(super) fn rows_between(&self, from: f64, to: f64) -> Range<usize> {
        samples_between(from, to, self.rows.clone())
    }
}

/// The samples, with centres at halves, in `from..to`: a sample on the border between two
/// neighbours belongs to exactly one of them.
fn samples_between(from: f64, to: f64, within: Range<usize>) -> Range<usize> {
    let first = ceil(from - 0.5).clamp(within.start, within.end);
    let last = ceil(to - 0.5).clamp(within.start, within.end);
    first..last.max(first)
}

/// The least index not below `x`. `f64::ceil` is a call on x86-64 without SSE4.1, and was 8 % of
/// the time; casts of numbers beyond the range saturate.
fn ceil(x: f64) -> usize {
    let below = x as u32;
    below as usize + usize::from(x > f64::from(below))
}

/// A corner of a facet: place in the buffer and closeness.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    x: f32,
    y: f32,
    q: f32,
}

/// A projected triangle, corners from top to bottom.
pub(super) struct Facet {
    corners: [Corner; 3],
    pub(super) id: u32,
}

/// Clips a triangle in view coordinates to what is beyond the near plane, and projects it.
pub(super) fn project<V: View>(view: &V, triangle: [Vec3; 3], id: u32, out: &mut Vec<Facet>) {
    let corner = |p: Vec3| {
        let [x, y] = view.buffer_from_view(p);
        Corner { x, y, q: V::closeness(p.z) }
    };
    let mut emit = |triangle: [Vec3; 3]| {
        let mut corners = triangle.map(corner);
        corners.sort_by(|a, b| a.y.total_cmp(&b.y));
        out.push(Facet { corners, id });
    };
    // Turned so that, of the corners beyond the near plane, the first two come first.
    let [a, b, c] = triangle;
    match triangle.map(|p| p.z > V::NEAR) {
        [true, true, true] => emit(triangle),
        [true, true, false] => emit_quad([a, b, c], V::NEAR, &mut emit),
        [false, true, true] => emit_quad([b, c, a], V::NEAR, &mut emit),
        [true, false, true] => emit_quad([c, a, b], V::NEAR, &mut emit),
        [true, false, false] => emit([a, cut(a, b, V::NEAR), cut(a, c, V::NEAR)]),
        [false, true, false] => emit([b, cut(b, c, V::NEAR), cut(b, a, V::NEAR)]),
        [false, false, true] => emit([c, cut(c, a, V::NEAR), cut(c, b, V::NEAR)]),
        [false, false, false] => {}
    }
}

fn emit_quad([a, b, outside]: [Vec3; 3], near: f32, emit: &mut impl FnMut([Vec3; 3])) {
    let (p, q) = (cut(b, outside, near), cut(a, outside, near));
    emit([a, b, p]);
    emit([a, p, q]);
}

/// Where the edge meets the near plane. Always from the inside out, so that the two triangles at
/// an edge agree on the point to the last bit.
fn cut(inside: Vec3, outside: Vec3, near: f32) -> Vec3 {
    let t = ((inside.z - near) / (inside.z - outside.z)).clamp(0.0, 1.0);
    let p = inside + (outside - inside) * t;
    Vec3::new(p.x, p.y, near)
}

/// Fills the samples of `buffer` that the facet covers.
///
/// Edges are walked from their upper to their lower corner in double precision, the same way in
/// both triangles that share one: there are neither gaps nor overlaps.
pub(super) fn fill(buffer: &mut Buffer, facet: &Facet) {
    let [top, middle, bottom] = facet.corners;
    let rows = buffer.rows_between(f64::from(top.y), f64::from(bottom.y));
    let [left, right] = min_max([top.x, middle.x, bottom.x]);
    // Most triangles of a fine mesh lie between the samples of a coarse depth map.
    if rows.is_empty() || buffer.columns(f64::from(left), f64::from(right)).is_empty() {
        return;
    }
    let plane = Plane::through(&facet.corners);
    let (long, upper, lower) =
        (Edge::new(top, bottom), Edge::new(top, middle), Edge::new(middle, bottom));
    for row in rows {
        let y = row as f64 + 0.5;
        let short = if y < f64::from(middle.y) { &upper } else { &lower };
        let (a, b) = (long.x(y), short.x(y));
        let columns = buffer.columns(a.min(b), a.max(b));
        if columns.is_empty() {
            continue;
        }
        let start = plane.at(columns.start as f64 + 0.5, y) as f32;
        let Plane { slope, range: [least, most], .. } = plane;
        let slope = slope[0] as f32;
        buffer.span(row, columns, facet.id, |k| (start + slope * k as f32).clamp(least, most));
    }
}

fn min_max([a, b, c]: [f32; 3]) -> [f32; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// An edge as x over y.
struct Edge {
    from: [f64; 2],
    slope: f64,
}

impl Edge {
    fn new(from: Corner, to: Corner) -> Self {
        let from_y = f64::from(from.y);
        let height = f64::from(to.y) - from_y;
        let slope = if height > 0.0 { (f64::from(to.x) - f64::from(from.x)) / height } else { 0.0 };
        Self { from: [f64::from(from.x), from_y], slope }
    }

    fn x(&self, y: f64) -> f64 {
        self.from[0] + (y - self.from[1]) * self.slope
    }
}

/// Closeness as a linear function over the buffer.
struct Plane {
    at: [f64; 3],
    slope: [f64; 2],
    /// Slivers have wild slopes; the result is kept between the closeness of the corners.
    range: [f32; 2],
}

impl Plane {
    fn through(corners: &[Corner; 3]) -> Self {
        let [a, b, c] = corners.map(|c| [f64::from(c.x), f64::from(c.y), f64::from(c.q)]);
        let (u, v) =
            ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let area = u[0] * v[1] - u[1] * v[0];
        let inverse = if area == 0.0 { 0.0 } else { 1.0 / area };
        let slope = [(u[2] * v[1] - u[1] * v[2]) * inverse, (u[0] * v[2] - u[2] * v[0]) * inverse];
        Self { at: a, slope, range: min_max(corners.map(|c| c.q)) }
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        let [ax, ay, aq] = self.at;
        aq + (x - ax) * self.slope[0] + (y - ay) * self.slope[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(points: [[f32; 3]; 3], id: u32) -> Facet {
        let mut corners = points.map(|[x, y, q]| Corner { x, y, q });
        corners.sort_by(|a, b| a.y.total_cmp(&b.y));
        Facet { corners, id }
    }

    #[test]
    fn triangles_around_a_point_cover_every_sample_exactly_once() {
        // A fan with an awkward centre; later triangles lose ties, so an overlap shows as a gap in
        // the sum of areas when each is drawn alone.
        let ring: Vec<[f32; 3]> = (0..13)
            .map(|k| {
                let (s, c) = libm::sincosf(k as f32 * (std::f32::consts::TAU / 13.0));
                [20.3 + 19.0 * c, 20.1 + 19.0 * s, 1.0]
            })
            .collect();
        let mut counts = vec![0; 41 * 41];
        for k in 0..13 {
            let mut buffer = Buffer::band(41, 0..41, 0);
            fill(&mut buffer, &facet([[20.5, 20.5, 1.0], ring[k], ring[(k + 1) % 13]], 1));
            for (count, id) in counts.iter_mut().zip(&buffer.id) {
                *count += id;
            }
        }
        let most = counts.iter().max().unwrap();
        assert_eq!(*most, 1, "a sample was covered {most} times");
        let inside = |x: usize, y: usize| {
            let (dx, dy) = (x as f32 + 0.5 - 20.3, y as f32 + 0.5 - 20.1);
            dx * dx + dy * dy < 17.5 * 17.5
        };
        for y in 0..41 {
            for x in 0..41 {
                assert!(!inside(x, y) || counts[y * 41 + x] == 1, "sample {x}, {y} is a hole");
            }
        }
    }

    #[test]
    fn closeness_is_linear_over_a_facet() {
        let mut buffer = Buffer::band(32, 0..32, 0);
        let q = |x: f32, y: f32| 0.5 + 0.01 * x - 0.003 * y;
        let p = |x: f32, y: f32| [x, y, q(x, y)];
        fill(&mut buffer, &facet([p(1.0, 2.0), p(30.0, 5.0), p(12.0, 31.0)], 7));
        for (k, (depth, id)) in buffer.closeness.iter().zip(&buffer.id).enumerate() {
            let exact = q((k % 32) as f32 + 0.5, (k / 32) as f32 + 0.5);
            assert!(*id == 0 || (depth - exact).abs() < 1e-5, "sample {k}: {depth}, not {exact}");
        }
        assert_eq!(buffer.id[15 * 32 + 15], 7);
    }

    #[test]
    fn degenerate_and_far_away_facets_are_harmless() {
        let mut buffer = Buffer::band(8, 2..6, 0);
        fill(&mut buffer, &facet([[1.0, 1.0, 1.0]; 3], 1));
        fill(&mut buffer, &facet([[1.0, 3.5, 1.0], [5.0, 3.5, 1.0], [7.0, 3.5, 1.0]], 1));
        fill(&mut buffer, &facet([[1e30, 1e30, 1.0], [2e30, 1e30, 1.0], [1e30, 2e30, 1.0]], 1));
        fill(&mut buffer, &facet([[-1e30, -1e30, 1.0], [-2e30, 0.0, 1.0], [-1e30, 9.0, 1.0]], 1));
        assert!(buffer.id.iter().all(|&id| id == 0));
        fill(&mut buffer, &facet([[-1e6, -1e6, 1.0], [3e6, -1e6, 1.0], [-1e6, 3e6, 1.0]], 1));
        assert!(buffer.id.iter().all(|&id| id == 1), "a huge triangle covers the whole band");
    }
}
