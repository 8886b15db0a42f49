//! Distance between two particles: springs, threads, the edges of everything.

use super::{Constraint, Gradients, Kind, Sense};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Distance, 2, 1>();
/// The one-sided kind: particles may part, but not come closer.
pub static MIN_KIND: Kind = Kind::of::<MinDistance, 2, 1>();

/// Keeps two particles at their rest distance l₀.
///
/// ```text
/// C(x) = |x₀ − x₁| − l₀       (m)
/// ∇₀C = n,  ∇₁C = −n,  n = (x₀ − x₁) / |x₀ − x₁|
/// ```
///
/// Two particles in one place have no direction to part in: n = 0, and nothing moves. A rest
/// distance of 0 is allowed and pulls the two together. WGSL twin: `distance.wgsl`.
///
/// Müller et al. 2007, "Position Based Dynamics", eq. 8 to 11.
#[derive(Debug)]
pub struct Distance;

impl Constraint<2, 1> for Distance {
    const NAME: &'static str = "distance";
    const SHOWS: &'static str = "keeps two particles at their rest distance";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Some(include_str!("distance.wgsl"));
    const GRADIENTS: Gradients = Gradients::Unit;

    #[inline(always)]
    fn eval<R: Real>([x0, x1]: [V3<R>; 2], [rest_length]: [R; 1]) -> (R, [V3<R>; 2]) {
        let d = x0 - x1;
        let length = d.length();
        let n = d * length.lit(1.0).div_or_zero(length);
        (length - rest_length, [n, -n])
    }

    fn rest([x0, x1]: [V3<f64>; 2]) -> [f64; 1] {
        [(x0 - x1).length()]
    }
}

/// Keeps two particles at least their rest distance apart: [`Distance`] that only pushes.
#[derive(Debug)]
pub struct MinDistance;

impl Constraint<2, 1> for MinDistance {
    const NAME: &'static str = "min_distance";
    const SHOWS: &'static str = "keeps two particles at least their rest distance apart";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Distance::WGSL;
    const SENSE: Sense = Sense::AtLeast;
    const GRADIENTS: Gradients = Distance::GRADIENTS;

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
        Distance::eval(x, rest)
    }

    fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
        Distance::rest(x)
    }
}
