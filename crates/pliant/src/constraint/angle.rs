//! Angle at the corner of a triangle: what keeps cloth from shearing.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Angle, 3, 1>();

/// Below this |a|² or |a × b| (m²), of 1 fm, a side or an area counts as none. Without a limit the
/// inverse overflows.
const LEAST: f64 = 1e-30;

/// Keeps the angle at the first corner of a triangle at its rest value φ₀.
///
/// ```text
///     x₂               a = x₁ − x₀,  b = x₂ − x₀,  n = a × b / |a × b|
///    /  \              C(x) = φ − φ₀,  tan φ = |a × b| / a·b      (rad)
///   / φ  \             ∇₁C = a × n / |a|²,  ∇₂C = n × b / |b|²
/// x₀ ──── x₁           ∇₀C = −∇₁C − ∇₂C
/// ```
///
/// The usual form, φ = acos(a·b / |a||b|), loses half its digits near 0 and π. Corners in line
/// have no normal: n = 0, and nothing moves. WGSL twin: `angle.wgsl`.
///
/// Bender et al. 2014, "A Survey on Position-Based Simulation Methods in Computer Graphics".
#[derive(Debug)]
pub struct Angle;

impl Constraint<3, 1> for Angle {
    const NAME: &'static str = "angle";
    const SHOWS: &'static str = "keeps the angle at a corner of a triangle";
    const UNIT: &'static str = "rad";
    const WGSL: Option<&'static str> = Some(include_str!("angle.wgsl"));

    #[inline(always)]
    fn eval<R: Real>([x0, x1, x2]: [V3<R>; 3], [rest_angle]: [R; 1]) -> (R, [V3<R>; 3]) {
        let (a, b) = (x1 - x0, x2 - x0);
        let normal = a.cross(b);
        let sine = normal.length();
        let (one, least) = (sine.lit(1.0), sine.lit(LEAST));
        let n = normal * (one / sine.at_least(least));
        let g1 = a.cross(n) * (one / a.length_squared().at_least(least));
        let g2 = n.cross(b) * (one / b.length_squared().at_least(least));
        (sine.atan2(a.dot(b)) - rest_angle, [-(g1 + g2), g1, g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 1] {
        [Self::eval(x, [0.0]).0]
    }
}
