//! Angle between two triangles: what makes cloth and paper resist folding.

use glam::DVec3;

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Bend, 4, 1>();

/// Below this |a|² (m⁴) a triangle, of 30 nm, counts as having no area. Without a limit the inverse
/// overflows where a triangle is a line but for 1e-20 m.
const LEAST: f64 = 1e-30;

/// Keeps two triangles that share an edge at their rest angle θ₀.
///
/// ```text
///        x₂           e = x₁ − x₀      the shared edge
///       /  \          a = e × (x₂ − x₀)      normal of the first triangle, twice its area long
///     x₀ ── x₁        b = (x₃ − x₀) × e      normal of the second
///       \  /          C(x) = θ − θ₀,  tan θ = (b × a)·e / (|e| a·b)      (rad)
///        x₃
/// ∇₂C = |e| a/|a|²     ∇₃C = |e| b/|b|²
/// ∇₁C = −s ∇₂C − t ∇₃C,   ∇₀C = −(1−s) ∇₂C − (1−t) ∇₃C
/// s = (x₂−x₀)·e/|e|²,   t = (x₃−x₀)·e/|e|²
/// ```
///
/// θ is 0 for a flat pair and positive when the free corners rise along the normals. θ − θ₀ is
/// taken the short way round, so a fold through ±π does not jump. A triangle without area has a
/// zero gradient. WGSL twin: `bend.wgsl`.
///
/// Tamstorf and Grinspun 2013, "Discrete Bending Forces and Their Jacobians", section 3.
#[derive(Debug)]
pub struct Bend;

impl Constraint<4, 1> for Bend {
    const NAME: &'static str = "bend";
    const SHOWS: &'static str = "keeps the angle between two triangles that share an edge";
    const UNIT: &'static str = "rad";
    const WGSL: Option<&'static str> = Some(include_str!("bend.wgsl"));

    #[inline(always)]
    fn eval<R: Real>([x0, x1, x2, x3]: [V3<R>; 4], [rest_angle]: [R; 1]) -> (R, [V3<R>; 4]) {
        let (e, p, q) = (x1 - x0, x2 - x0, x3 - x0);
        let (a, b) = (e.cross(p), q.cross(e));
        let length = e.length();
        let one = length.lit(1.0);

        let angle = b.cross(a).dot(e).atan2(a.dot(b) * length);
        let least = length.lit(LEAST);
        let g2 = a * (length / a.length_squared().at_least(least));
        let g3 = b * (length / b.length_squared().at_least(least));
        let s = p.dot(e).div_or_zero(e.length_squared());
        let t = q.dot(e).div_or_zero(e.length_squared());
        let g1 = -(g2 * s) - g3 * t;
        let g0 = -(g2 * (one - s)) - g3 * (one - t);
        (short_way_round(angle - rest_angle), [g0, g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 1] {
        [Self::eval(x, [0.0]).0]
    }
}

/// The angle between two triangles (rad).
pub(crate) fn angle(x: [DVec3; 4]) -> f64 {
    Bend::eval(x.map(V3::from), [0.0]).0
}

/// An angle (rad), taken the short way round.
pub(crate) fn short_way(angle: f64) -> f64 {
    short_way_round(angle)
}

/// The angle brought to −π … π.
#[inline(always)]
fn short_way_round<R: Real>(angle: R) -> R {
    let (pi, turn) = (angle.lit(std::f64::consts::PI), angle.lit(std::f64::consts::TAU));
    let angle = pi.where_less(angle, angle - turn, angle);
    angle.where_less(-pi, angle + turn, angle)
}
