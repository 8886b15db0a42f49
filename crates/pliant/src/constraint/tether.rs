//! Long-range tether: however few iterations there are, cloth stays near what holds it.

use super::distance::Distance;
use super::{Constraint, Kind, Sense};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Tether, 2, 1>();

/// Keeps two particles at most their rest distance apart: [`Distance`] that only pulls.
///
/// Between a free particle and a pinned one, with the way along the body as rest distance, it
/// stops a cloth from stretching at once instead of link by link: the pin is reached in one
/// iteration from anywhere. [`crate::Blueprint::tethered`] adds them.
///
/// Kim et al. 2012, "Long Range Attachments: A Method to Simulate Inextensible Clothing in
/// Computer Games".
#[derive(Debug)]
pub struct Tether;

impl Constraint<2, 1> for Tether {
    const NAME: &'static str = "tether";
    const SHOWS: &'static str = "keeps two particles at most their rest distance apart";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Distance::WGSL;
    const SENSE: Sense = Sense::AtMost;

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
        Distance::eval(x, rest)
    }

    fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
        Distance::rest(x)
    }
}
