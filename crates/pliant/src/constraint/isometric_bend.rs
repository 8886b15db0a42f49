//! Curvature across an edge, for surfaces that bend but hardly stretch.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<IsometricBend, 4, 4>();

/// Keeps two triangles that share an edge as curved as they were.
///
/// ```text
///        x₂           κ = Σ kᵢxᵢ                across the edge, 2 sin(θ/2)·|x₁ − x₀| long
///       /  \          C(x) = |κ| − c₀           (m; |x₁ − x₀| θ for small angles θ)
///     x₀ ── x₁        ∇ᵢC = kᵢ κ/|κ|
///       \  /          k₀ = −cot 1 − cot 1',  k₁ = −cot 0 − cot 0',
///        x₃           k₂ = cot 0 + cot 1,    k₃ = cot 0' + cot 1'
/// ```
///
/// cot 0, cot 1 are of the first triangle's rest angles at x₀ and x₁, cot 0', cot 1' of the
/// second's. As long as no triangle changes its shape, the kᵢ are right, and C costs no angle and
/// no normal: a third of the work of [`super::bend`]. k₀ is not stored: rounded apart, the four
/// would not sum to 0, and the hinge would pull. Unlike `bend` it cannot tell a fold from the same
/// fold the other way. A flat pair has no direction: nothing moves. WGSL twin:
/// `isometric_bend.wgsl`.
///
/// Bergou et al. 2006, "A Quadratic Bending Model for Inextensible Surfaces"; there C² is the
/// energy, here C is its root, so that a compliance means the same as elsewhere.
#[derive(Debug)]
pub struct IsometricBend;

impl Constraint<4, 4> for IsometricBend {
    const NAME: &'static str = "isometric_bend";
    const SHOWS: &'static str =
        "keeps the curvature across an edge, for surfaces that do not stretch";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Some(include_str!("isometric_bend.wgsl"));

    #[inline(always)]
    fn eval<R: Real>([x0, x1, x2, x3]: [V3<R>; 4], [k1, k2, k3, rest]: [R; 4]) -> (R, [V3<R>; 4]) {
        let curvature = (x1 - x0) * k1 + (x2 - x0) * k2 + (x3 - x0) * k3;
        let length = curvature.length();
        let n = curvature * length.lit(1.0).div_or_zero(length);
        let (g1, g2, g3) = (n * k1, n * k2, n * k3);
        (length - rest, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 4] {
        let [x0, x1, x2, x3] = x;
        let (a, b) = (cot(x0, x1, x2), cot(x1, x0, x2));
        let (c, d) = (cot(x0, x1, x3), cot(x1, x0, x3));
        let [k1, k2, k3] = [-a - c, a + b, c + d];
        [k1, k2, k3, Self::eval(x, [k1, k2, k3, 0.0]).0]
    }
}

/// Cotangent of the angle at `at`, between the directions to `b` and `c`; 0 where the three are
/// so nearly in line that single precision would not hold it.
fn cot(at: V3<f64>, b: V3<f64>, c: V3<f64>) -> f64 {
    let (b, c) = (b - at, c - at);
    let (cosine, sine) = (b.dot(c), b.cross(c).length());
    if sine > 1e-6 * (b.length() * c.length()) { cosine / sine } else { 0.0 }
}
