//! Angle between two links in a row: what makes a rope or a thread resist bending.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<LinkBend, 3, 3>();

/// Keeps two links that meet in a particle as bent as they were.
///
/// ```text
/// x₀ ──l── x₁         u = (x₀ − x₁)/l + (x₂ − x₁)/m       0 for links in line
///            \m       C(x) = |u| − c₀                     (1; for an angle θ between the links
///             x₂      ∇₀C = n/l,  ∇₂C = n/m,  ∇₁C = −∇₀C − ∇₂C,  n = u/|u|      2 sin θ/2 ≈ θ)
/// ```
///
/// l and m are the rest lengths, of which the inverses are kept. Other than a link to the next
/// particle but one, which only buckles, it resists the smallest bend. Links in line have no
/// direction to bend in: n = 0, and nothing moves. WGSL twin: `link_bend.wgsl`.
#[derive(Debug)]
pub struct LinkBend;

impl Constraint<3, 3> for LinkBend {
    const NAME: &'static str = "link_bend";
    const SHOWS: &'static str = "keeps two links in a row as bent as they were";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> = Some(include_str!("link_bend.wgsl"));

    #[inline(always)]
    fn eval<R: Real>([x0, x1, x2]: [V3<R>; 3], [l, m, rest]: [R; 3]) -> (R, [V3<R>; 3]) {
        let u = (x0 - x1) * l + (x2 - x1) * m;
        let length = u.length();
        let n = u * length.lit(1.0).div_or_zero(length);
        let (g0, g2) = (n * l, n * m);
        (length - rest, [g0, -(g0 + g2), g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 3] {
        let inverse = |v: V3<f64>| if v.length() > LEAST { v.length().recip() } else { 0.0 };
        let (l, m) = (inverse(x[0] - x[1]), inverse(x[2] - x[1]));
        [l, m, Self::eval(x, [l, m, 0.0]).0]
    }
}

/// A link shorter than this (m) counts as having no length: its inverse would soon overflow.
const LEAST: f64 = 1e-9;
