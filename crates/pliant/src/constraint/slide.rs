//! A particle on a plane of space: rollers, guides and planes of symmetry.

use super::{Constraint, Kind, Symmetry};
use crate::lanes::{Real, V3};

/// The kind, for holding particles.
pub static KIND: Kind = Kind::of::<Slide, 1, 4>();

/// Keeps a particle on a plane, in which it moves freely.
///
/// ```text
/// C(x) = n·x − d       (m)
/// ∇C = n
/// ```
///
/// n is the plane's normal, of length 1, and d its distance from the origin along n; measured
/// from a pose, the plane is level. WGSL twin: `slide.wgsl`.
#[derive(Debug)]
pub struct Slide;

impl Constraint<1, 4> for Slide {
    const NAME: &'static str = "slide";
    const SHOWS: &'static str = "keeps a particle on a plane of space";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Some(include_str!("slide.wgsl"));
    const SYMMETRY: Symmetry = Symmetry::None("the plane does not move with the body");

    #[inline(always)]
    fn eval<R: Real>([x0]: [V3<R>; 1], [nx, ny, nz, d]: [R; 4]) -> (R, [V3<R>; 1]) {
        let n = V3 { x: nx, y: ny, z: nz };
        (n.dot(x0) - d, [n])
    }

    fn rest([x0]: [V3<f64>; 1]) -> [f64; 4] {
        [0.0, 1.0, 0.0, x0.y]
    }
}
