//! Volume of a tetrahedron: what makes jelly bulge where it is pressed.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Volume, 4, 1>();

/// Keeps a tetrahedron at its rest volume V₀.
///
/// ```text
///        x₃            C(x) = ⅙ (x₁−x₀)×(x₂−x₀)·(x₃−x₀) − V₀      (m³)
///       /|\            ∇₁C = ⅙ (x₂−x₀)×(x₃−x₀)
///      / | \           ∇₂C = ⅙ (x₃−x₀)×(x₁−x₀)
///    x₀--|--x₂         ∇₃C = ⅙ (x₁−x₀)×(x₂−x₀)
///      \ | /           ∇₀C = −∇₁C −∇₂C −∇₃C
///        x₁
/// ```
///
/// V is signed: an inverted tetrahedron has V < 0 and is pushed back through itself. All four
/// particles on one line give zero gradients, and nothing moves. WGSL twin: `volume.wgsl`.
///
/// Bender et al. 2014, "A Survey on Position-Based Simulation Methods in Computer Graphics".
#[derive(Debug)]
pub struct Volume;

impl Constraint<4, 1> for Volume {
    const NAME: &'static str = "volume";
    const SHOWS: &'static str = "keeps a tetrahedron at its rest volume";
    const UNIT: &'static str = "m³";
    const WGSL: Option<&'static str> = Some(include_str!("volume.wgsl"));

    #[inline(always)]
    fn eval<R: Real>([x0, x1, x2, x3]: [V3<R>; 4], [rest_volume]: [R; 1]) -> (R, [V3<R>; 4]) {
        let (e1, e2, e3) = (x1 - x0, x2 - x0, x3 - x0);
        let sixth = rest_volume.lit(1.0 / 6.0);
        let g1 = e2.cross(e3) * sixth;
        let g2 = e3.cross(e1) * sixth;
        let g3 = e1.cross(e2) * sixth;
        (g3.dot(e3) - rest_volume, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 1] {
        [Self::eval(x, [0.0]).0]
    }
}
