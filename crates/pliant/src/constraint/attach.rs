//! Attachment of a particle to a point of another body's surface.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for joining bodies.
pub static KIND: Kind = Kind::of::<Attach, 4, 3>();

/// Keeps a particle at its rest distance from a point that rides on a triangle.
///
/// ```text
/// p = x₁ + b₂(x₂ − x₁) + b₃(x₃ − x₁)      the point, in barycentric coordinates
/// C(x) = |x₀ − p| − d₀                    (m)
/// ∇₀C = n,  ∇₁C = −(1 − b₂ − b₃) n,  ∇₂C = −b₂ n,  ∇₃C = −b₃ n,  n = (x₀ − p) / |x₀ − p|
/// ```
///
/// b₁ is not stored: rounded apart, the three would not sum to 1, and the tie would pull.
/// Measured from a pose, p is the foot of x₀ on the triangle's plane. For a triangle without
/// area it is the corners' centre. A particle exactly at p has no direction: n = 0.
/// WGSL twin: `attach.wgsl`.
#[derive(Debug)]
pub struct Attach;

impl Constraint<4, 3> for Attach {
    const NAME: &'static str = "attach";
    const SHOWS: &'static str = "keeps a particle at a point of a triangle";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Some(include_str!("attach.wgsl"));

    #[inline(always)]
    fn eval<R: Real>(
        [x0, x1, x2, x3]: [V3<R>; 4],
        [b2, b3, rest_length]: [R; 3],
    ) -> (R, [V3<R>; 4]) {
        let d = (x0 - x1) - (x2 - x1) * b2 - (x3 - x1) * b3;
        let length = d.length();
        let n = d * length.lit(1.0).div_or_zero(length);
        let (g2, g3) = (-(n * b2), -(n * b3));
        (length - rest_length, [n, -(n + g2 + g3), g2, g3])
    }

    fn rest([x0, x1, x2, x3]: [V3<f64>; 4]) -> [f64; 3] {
        let (e1, e2, d) = (x2 - x1, x3 - x1, x0 - x1);
        let normal = e1.cross(e2);
        let area = normal.length_squared();
        let (b2, b3) = if area > 0.0 {
            (d.cross(e2).dot(normal) / area, e1.cross(d).dot(normal) / area)
        } else {
            (1.0 / 3.0, 1.0 / 3.0)
        };
        [b2, b3, (d - e1 * b2 - e2 * b3).length()]
    }
}
