//! The signed distance to a surface that need not be perfect: it may have holes, overlap itself,
//! or consist of several parts.

use std::cell::Cell;
use std::f64::consts::TAU;

use glam::{DMat3, DVec3, Vec3};

use super::bvh::{Aabb, Bvh, Node};
use super::grid::Grid;
use super::{MeshError, TriMesh, open_edge};

/// A group of triangles is replaced by its moments where the point is farther away than this
/// many of its radii. The first term that is left out is about FAR⁻⁴/4 of all directions: 0.016.
const FAR: f64 = 2.0;

/// Distance to a triangle mesh: negative inside.
///
/// How far is the distance to the nearest triangle; on which side is decided by the generalised
/// winding number, the part of all directions in which the surface is seen from inside:
///
/// ```text
/// w(x) = 1/4π Σ Ω(x, triangle),        x is inside if |w| > 1/2
/// ```
///
/// Jacobson et al. 2013. A hole is closed by the surface w = 1/2 across it; there the sign
/// changes although no triangle is near.
#[derive(Clone, Debug)]
pub struct SignedDistance {
    surface: TriMesh,
    tree: Bvh,
    /// What each node of the tree looks like from afar.
    moments: Vec<Moments>,
    /// Whether every edge has as many triangles on one side as on the other, so that the winding
    /// number changes at triangles only.
    closed: bool,
}

/// What is known of the distance at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The distance (m), negative inside.
    pub distance: f32,
    /// The direction in which it grows: outwards.
    pub normal: Vec3,
    /// The nearest point of the surface (m).
    pub nearest: Vec3,
    /// The triangle that it is on.
    pub triangle: u32,
}

impl SignedDistance {
    /// Prepares a surface for queries.
    ///
    /// # Errors
    /// If there are no triangles, one names a vertex that is not there, or a vertex is not finite.
    pub fn new(surface: TriMesh) -> Result<Self, MeshError> {
        surface.check()?;
        if surface.triangles.is_empty() {
            return Err(MeshError::Nothing);
        }
        let boxes: Vec<Aabb> =
            (0..surface.triangles.len()).map(|t| Aabb::of(surface.corners(t))).collect();
        let tree = Bvh::new(&boxes);
        let moments = tree.nodes.iter().map(|node| Moments::of(&surface, &tree, node)).collect();
        let closed = open_edge(&surface.triangles).is_none();
        Ok(Self { surface, tree, moments, closed })
    }

    /// The surface.
    pub fn surface(&self) -> &TriMesh {
        &self.surface
    }

    /// The box around the surface.
    pub fn bounds(&self) -> Aabb {
        self.tree.nodes[0].bounds
    }

    /// The distance at a point (m), negative inside.
    pub fn distance(&self, x: Vec3) -> f32 {
        self.at(x).distance
    }

    /// Distance, direction and nearest point.
    pub fn at(&self, x: Vec3) -> Sample {
        self.walk().at(x)
    }

    /// For asking at many points, each near the one before: gives the same as [`Self::at`], but
    /// faster.
    pub fn walk(&self) -> Walk<'_> {
        Walk { sdf: self, last: Cell::new(None) }
    }

    /// Whether every edge has as many triangles on one side as on the other, so that there is an
    /// inside.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The distance without a side: never negative, and the direction leads away from the surface.
    pub fn unsigned(&self, x: Vec3) -> Sample {
        let (nearest, triangle, distance) = self.nearest(x, f32::INFINITY);
        let away = self.away(x, nearest, triangle);
        Sample { distance, normal: away.normalize_or_zero(), nearest, triangle }
    }

    /// The tree over its triangles.
    pub(crate) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Shows the triangles in the leaves of the tree that meet a box.
    pub(crate) fn visit_box(&self, within: &Aabb, visit: &mut impl FnMut(u32)) {
        self.tree.visit_box(within, visit);
    }

    /// The first triangle that a way crosses, and the place there: from any side, or from the front
    /// alone. Nothing slips through between triangles that share an edge.
    pub fn first_crossing(&self, [from, to]: [Vec3; 2], sides: Sides) -> Option<(Vec3, u32)> {
        let mut first: Option<(f64, u32)> = None;
        self.tree.visit_box(&Aabb::of([from, to]), &mut |triangle| {
            let corners = self.surface.corners(triangle as usize);
            if let Some(t) = cross(corners, [from, to], sides)
                && first.is_none_or(|best| (t, triangle) < best)
            {
                first = Some((t, triangle));
            }
        });
        first.map(|(t, triangle)| (from + (to - from) * t as f32, triangle))
    }

    /// From the nearest point to `x`. On the surface that is no direction; its triangle has one.
    fn away(&self, x: Vec3, nearest: Vec3, triangle: u32) -> Vec3 {
        let far = x.distance(nearest);
        let on_surface = far <= 1e-6 * x.abs().max(nearest.abs()).max_element();
        if on_surface { self.surface.area(triangle as usize) } else { x - nearest }
    }

    /// The nearest point of the surface, its triangle and its distance (m), given that one is
    /// nearer than `limit` (m).
    fn nearest(&self, x: Vec3, limit: f32) -> (Vec3, u32, f32) {
        let mut best = (Vec3::ZERO, 0, f32::INFINITY);
        self.tree.visit(x, limit * limit, |triangle, limit| {
            let on = closest_point(self.surface.corners(triangle as usize), x);
            let d = on.distance_squared(x);
            if d < limit {
                best = (on, triangle, d.sqrt());
                return d;
            }
            limit
        });
        best
    }

    /// Whether most directions lead out through the surface.
    pub fn is_inside(&self, x: Vec3) -> bool {
        self.winding(x).abs() > 0.5
    }

    /// The generalised winding number: 1 deep inside a closed surface, 0 outside, between where
    /// the surface has holes.
    ///
    /// Groups of triangles that are far away are seen as what their moments say (Barill et al.
    /// 2018).
    pub fn winding(&self, x: Vec3) -> f64 {
        self.solid_angle(0, x.as_dvec3()) / (2.0 * TAU)
    }

    /// The signed distance on a grid of cells (m) around the surface, with two cells to spare on
    /// every side.
    ///
    /// # Errors
    /// If the cells are not a size, or so small that there would be too many.
    pub fn grid(&self, cell: f32) -> Result<Grid, MeshError> {
        let bounds = if cell.is_finite() { self.bounds().grown(2.0 * cell) } else { self.bounds() };
        let walk = self.walk();
        Grid::sample(bounds, cell, |x| walk.at(x).distance)
    }

    /// The angle under which the triangles of a node are seen (sr).
    fn solid_angle(&self, index: usize, x: DVec3) -> f64 {
        let moments = &self.moments[index];
        let node = &self.tree.nodes[index];
        let away = moments.center - x;
        if away.length_squared() > (FAR * moments.radius).powi(2) {
            return moments.solid_angle(away);
        }
        if node.right == 0 {
            let triangles = self.tree.items[node.range()].iter();
            let corners = |&t: &u32| self.surface.corners(t as usize);
            return solid_angle(triangles.map(corners).map(|c| c.map(|c| c.as_dvec3() - x)));
        }
        self.solid_angle(index + 1, x) + self.solid_angle(node.right as usize, x)
    }
}

/// Queries of a [`SignedDistance`] in a row, each helped by the one before.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    sdf: &'a SignedDistance,
    /// The point asked for last, and its distance (m).
    last: Cell<Option<(Vec3, f32)>>,
}

impl Walk<'_> {
    /// The distance (m), exact where it is at most `reach` (m); elsewhere farther than that, on
    /// the right side.
    pub fn within(&self, x: Vec3, reach: f32) -> f32 {
        if let Some((y, d)) = self.last.get().filter(|_| self.sdf.closed) {
            let least = 0.999 * d.abs() - x.distance(y);
            if least > reach {
                return least.copysign(d);
            }
        }
        self.at(x).distance
    }

    /// Distance, direction and nearest point.
    pub fn at(&self, x: Vec3) -> Sample {
        let last = self.last.get();
        // The distance changes by no more than the way, but for rounding.
        let limit = last.map_or(f32::INFINITY, |(y, d)| 1.001 * (d.abs() + x.distance(y)));
        let (nearest, triangle, far) = match self.sdf.nearest(x, limit) {
            (.., f32::INFINITY) => self.sdf.nearest(x, f32::INFINITY),
            found => found,
        };
        // No triangle is nearer than the last distance, so on a shorter way none is crossed.
        let same_side = last.filter(|(y, d)| self.sdf.closed && x.distance(*y) < 0.999 * d.abs());
        let inside = same_side.map_or_else(|| self.sdf.is_inside(x), |(_, d)| d < 0.0);
        let side = if inside { -1.0 } else { 1.0 };
        self.last.set(Some((x, side * far)));
        let on_surface = far <= 1e-6 * x.abs().max(nearest.abs()).max_element();
        let away = (x - nearest) * side;
        // On the surface there is no direction to its nearest point; its triangle has one.
        let direction = if on_surface { self.sdf.surface.area(triangle as usize) } else { away };
        let normal = direction.normalize_or_zero();
        Sample { distance: side * far, normal, nearest, triangle }
    }
}

/// What a group of triangles looks like from afar.
#[derive(Clone, Copy, Debug)]
struct Moments {
    /// The middle, weighted by area.
    center: DVec3,
    /// Distance from the middle to the farthest corner (m).
    radius: f64,
    /// Σ a n, the area with its direction (m²).
    first: DVec3,
    /// Σ a n (c − center)ᵀ, with the middle c of each triangle (m³).
    second: DMat3,
}

impl Moments {
    fn of(surface: &TriMesh, tree: &Bvh, node: &Node) -> Self {
        let triangles = &tree.items[node.range()];
        let corners = |t: &u32| surface.corners(*t as usize).map(Vec3::as_dvec3);
        let mut center = DVec3::ZERO;
        let mut total = 0.0;
        for [a, b, c] in triangles.iter().map(corners) {
            let area = (b - a).cross(c - a).length();
            center += area * (a + b + c) / 3.0;
            total += area;
        }
        let middle = (node.bounds.low.as_dvec3() + node.bounds.high.as_dvec3()) / 2.0;
        let center = if total > 0.0 { center / total } else { middle };
        let mut moments = Self { center, radius: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
        for [a, b, c] in triangles.iter().map(corners) {
            let area = (b - a).cross(c - a) / 2.0;
            let from = (a + b + c) / 3.0 - center;
            moments.first += area;
            moments.second += DMat3::from_cols(area * from.x, area * from.y, area * from.z);
            let far = [a, b, c].map(|corner| corner.distance(center));
            moments.radius = far.into_iter().fold(moments.radius, f64::max);
        }
        moments
    }

    /// Ω ≈ r·Σan/|r|³ + tr M/|r|³ − 3 rᵀM r/|r|⁵, with r from the point to the middle and M the
    /// second moment. Barill et al. 2018, the first two terms.
    fn solid_angle(&self, r: DVec3) -> f64 {
        let inverse = r.length_recip();
        let inverse3 = inverse * inverse * inverse;
        let trace = self.second.x_axis.x + self.second.y_axis.y + self.second.z_axis.z;
        let along = r.dot(self.second * r) * inverse * inverse;
        (r.dot(self.first) + trace - 3.0 * along) * inverse3
    }
}

/// The angle under which triangles are seen from the origin (sr), positive from behind.
///
/// Van Oosterom and Strackee 1983. Half the angle is the argument of a complex number; numbers
/// whose arguments are small are multiplied, so that few arguments need to be taken.
fn solid_angle(triangles: impl Iterator<Item = [DVec3; 3]>) -> f64 {
    let mut product: [f64; 2] = [1.0, 0.0];
    let mut sum = 0.0;
    for [a, b, c] in triangles {
        let [la, lb, lc] = [a.length(), b.length(), c.length()];
        let sine = a.dot(b.cross(c));
        let cosine = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        let small = sine.abs() < cosine / 2.0 && product[1].abs() < product[0];
        if small {
            let [real, imaginary] = product;
            let (real, imaginary) =
                (real * cosine - imaginary * sine, real * sine + imaginary * cosine);
            // The length does not matter, but must not run away.
            let scale = 1.0 / (real.abs() + imaginary.abs());
            product = [real * scale, imaginary * scale];
        } else {
            sum += libm::atan2(sine, cosine);
        }
    }
    2.0 * (sum + libm::atan2(product[1], product[0]))
}

/// From which sides a way may cross a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// From both.
    Both,
    /// From where its corners run counter-clockwise.
    Front,
}

/// Share of a way that lies before a triangle, if it crosses it.
///
/// The way passes the same side of all three edges; each side is the sign of a volume that two
/// triangles compute from the same numbers, so that none of them misses what crosses their edge.
fn cross(corners: [Vec3; 3], [from, to]: [Vec3; 2], sides: Sides) -> Option<f64> {
    let [from, to] = [from, to].map(Vec3::as_dvec3);
    let [a, b, c] = corners.map(|x| x.as_dvec3() - from);
    let along = to - from;
    let normal = (b - a).cross(c - a);
    let [before, after] = [-normal.dot(a), normal.dot(along - a)];
    // What begins on the surface of a solid may be behind it by rounding.
    let rounding = 1e-6 * normal.length() * a.abs().max_element().max(along.length());
    let front = before >= -rounding && after < 0.0 && after < before;
    let back = before < 0.0 && after >= 0.0;
    if !(front || back && sides == Sides::Both) {
        return None;
    }
    let edge = |p: DVec3, q: DVec3| {
        if less(p, q) { along.dot(p.cross(q)) } else { -along.dot(q.cross(p)) }
    };
    let volumes = [edge(a, b), edge(b, c), edge(c, a)];
    let inside = volumes.iter().all(|v| *v <= 0.0) || volumes.iter().all(|v| *v >= 0.0);
    inside.then(|| (before / (before - after)).clamp(0.0, 1.0))
}

/// An order of points, the same from both triangles of an edge.
fn less(p: DVec3, q: DVec3) -> bool {
    p.to_array() < q.to_array()
}

/// The point of a triangle that is nearest to `x`. Ericson 2005, §5.1.5.
pub(crate) fn closest_point([a, b, c]: [Vec3; 3], x: Vec3) -> Vec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(x - a), ac.dot(x - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(x - b), ac.dot(x - b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let (d5, d6) = (ab.dot(x - c), ac.dot(x - c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * share(d1, -d3);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * share(d2, -d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * share(d4 - d3, d5 - d6);
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// `a` over `a + b`, both at least 0; 0 if both are.
fn share(a: f32, b: f32) -> f32 {
    if a + b > 0.0 { a / (a + b) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Lattice;

    /// A cube of 1 m about the origin, without its first `open` triangles.
    fn cube(open: usize) -> SignedDistance {
        let cube = Lattice { spacing: 0.25, ..Lattice::default() }.blueprint().unwrap();
        let triangles = cube.triangles[open..].to_vec();
        SignedDistance::new(TriMesh { positions: cube.positions, triangles }).unwrap()
    }

    /// Points inside and outside of a box of 2 m, none on a face of the cube.
    fn points() -> impl Iterator<Item = Vec3> {
        (0..2000u32).map(|k| {
            let at = |prime: u32| ((k * prime) % 1999) as f32 / 1999.0 * 2.2 - 1.1001;
            Vec3::new(at(7), at(101), at(997))
        })
    }

    /// The distance to a box of 1 m: exact.
    fn box_distance(x: Vec3) -> f32 {
        let q = x.abs() - 0.5;
        q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
    }

    #[test]
    fn the_distance_to_a_cube_is_exact() {
        let cube = cube(0);
        for x in points() {
            let (found, expected) = (cube.at(x), box_distance(x));
            assert!((found.distance - expected).abs() < 1e-6, "{found:?} at {x}: not {expected}");
            let ahead = box_distance(x + found.normal * 1e-3) - expected;
            assert!(ahead > 0.0, "the distance falls along the normal {} at {x}", found.normal);
        }
    }

    #[test]
    fn from_the_middle_of_a_face_its_normal_leads_outwards() {
        let face = cube(0).at(Vec3::new(0.1, 0.5, 0.03));
        assert!(face.distance.abs() < 1e-6 && face.normal.distance(Vec3::Y) < 1e-6, "{face:?}");
    }

    #[test]
    fn moments_change_the_winding_number_by_less_than_two_hundredths() {
        let cube = cube(40);
        let exact = |x: Vec3| -> f64 {
            let of =
                |t| solid_angle([cube.surface.corners(t).map(|c| (c - x).as_dvec3())].into_iter());
            (0..cube.surface.triangles.len()).map(of).sum::<f64>() / (2.0 * TAU)
        };
        let worst = points().map(|x| (cube.winding(x) - exact(x)).abs()).fold(0.0, f64::max);
        assert!(worst < 0.02, "off by {worst}");
    }

    #[test]
    fn a_cube_without_a_part_of_its_side_still_has_an_inside() {
        let (open, inside_out) = (cube(12), {
            let mut surface = cube(0).surface;
            surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
            SignedDistance::new(surface).unwrap()
        });
        for x in points().filter(|&x| box_distance(x).abs() > 0.05) {
            assert_eq!(inside_out.is_inside(x), box_distance(x) < 0.0, "inside out, {x}");
        }
        // Away from the hole in the face z = −½ that 12 of its 32 triangles leave.
        for x in points().filter(|x| x.z > -0.2 && box_distance(*x).abs() > 0.02) {
            assert_eq!(open.is_inside(x), box_distance(x) < 0.0, "{x}, {}", open.winding(x));
        }
    }

    #[test]
    fn a_walk_gives_what_single_questions_give() {
        for open in [0, 12] {
            let cube = cube(open);
            let walk = cube.walk();
            for k in 0..4000 {
                let x =
                    Vec3::new((k % 40) as f32, (k / 40 % 10) as f32 * 4.0, (k / 400) as f32 * 4.0);
                let x = x / 20.0 - 1.013;
                let (found, expected) = (walk.at(x), cube.at(x));
                assert_eq!(found.distance, expected.distance, "{x}");
                let bound = walk.within(x + Vec3::Y * 0.01, 0.05);
                let expected = cube.distance(x + Vec3::Y * 0.01);
                assert_eq!(bound < 0.0, expected < 0.0, "{x}");
                assert!(bound == expected || bound.abs().min(expected.abs()) > 0.05, "{x}");
            }
        }
    }

    #[test]
    fn a_surface_that_is_none_is_explained() {
        let nothing = SignedDistance::new(TriMesh::default()).unwrap_err();
        assert_eq!(nothing, MeshError::Nothing);
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::NAN];
        let mut surface = TriMesh { positions, triangles: vec![[0, 1, 2]] };
        let nan = SignedDistance::new(surface.clone()).unwrap_err();
        assert_eq!(nan, MeshError::NotFinite { vertex: 2 });
        surface.positions[2] = Vec3::Y * 1e30;
        assert!(SignedDistance::new(surface.clone()).is_err());
        surface.positions.pop();
        let missing = SignedDistance::new(surface).unwrap_err().to_string();
        assert!(missing.contains("triangle 0 uses a vertex past the last of 2"), "{missing}");
    }

    #[test]
    fn a_triangle_of_no_size_has_a_distance_too() {
        let positions = vec![Vec3::ONE; 3];
        let point = SignedDistance::new(TriMesh { positions, triangles: vec![[0, 1, 2]] }).unwrap();
        assert!((point.distance(Vec3::ZERO) - 3f32.sqrt()).abs() < 1e-6);
    }
}
