//! Angle at the corner of a triangle: what keeps cloth from shearing.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Angle, 3, 1>();

/// Below this |a|² (m²), of 1 fm, a side counts as none. Without a limit the inverse overflows.
const LEAST: f64 = 1e-30;

/// Below this |a × b|² (m⁴), of sides of 1 nm, an area counts as none.
const LEAST_AREA_SQUARED: f64 = 1e-36;

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
/// have no normal: n = 0, and nothing moves. Only what is multiplied by 1/|a × b| waits for the root.
/// WGSL twin: `angle.wgsl`.
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
        let area_squared = normal.length_squared();
        let (one, least) = (area_squared.lit(1.0), area_squared.lit(LEAST));
        let inverse = one / area_squared.at_least(area_squared.lit(LEAST_AREA_SQUARED)).sqrt();
        let sine = area_squared * inverse;
        let g1 = a.cross(normal) * (one / a.length_squared().at_least(least)) * inverse;
        let g2 = normal.cross(b) * (one / b.length_squared().at_least(least)) * inverse;
        (sine.atan2(a.dot(b)) - rest_angle, [-(g1 + g2), g1, g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 1] {
        [Self::eval(x, [0.0]).0]
    }
}
