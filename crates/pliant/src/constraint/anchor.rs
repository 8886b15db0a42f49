//! Attachment of a particle to a fixed point: nails, and the hand that drags.

use super::{Constraint, Kind, Symmetry};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Anchor, 1, 3>();

/// Keeps a particle at a point p of space; with compliance, a spring to it.
///
/// ```text
/// C(x) = |x₀ − p|       (m)
/// ∇₀C = (x₀ − p) / |x₀ − p|
/// ```
///
/// At p itself the gradient is 0, and so is C. To nail a particle for good, an inverse mass of 0
/// is cheaper. WGSL twin: `anchor.wgsl`.
#[derive(Debug)]
pub struct Anchor;

impl Constraint<1, 3> for Anchor {
    const NAME: &'static str = "anchor";
    const SHOWS: &'static str = "keeps a particle at a point of space";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Some(include_str!("anchor.wgsl"));
    const SYMMETRY: Symmetry = Symmetry::None("the point is fixed in space and takes the reaction");

    #[inline(always)]
    fn eval<R: Real>([x0]: [V3<R>; 1], [x, y, z]: [R; 3]) -> (R, [V3<R>; 1]) {
        let d = x0 - V3 { x, y, z };
        let length = d.length();
        (length, [d * length.lit(1.0).div_or_zero(length)])
    }

    fn rest([V3 { x, y, z }]: [V3<f64>; 1]) -> [f64; 3] {
        [x, y, z]
    }
}
