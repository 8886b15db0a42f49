//! Two edges. WGSL twin: `edge_edge.wgsl`

use super::{Near, Pair, between, sum, unit};
use crate::lanes::{Real, V3};

/// Squared sine of the angle below which edges count as parallel: to each other they have no sides.
const PARALLEL: f64 = 1e-4;

/// The edges from x₀ to x₁ and from x₂ to x₃.
///
/// ```text
///  x₃           f = x₃ − x₂      s = unit((e·f f·r − f·f e·r) / (e·e f·f − (e·f)²)),  r = x₀ − x₂
///   |           e = x₁ − x₀      t = unit((e·f s + f·r) / f·f)
///   |  x₁                        s = unit((e·f t − e·r) / e·e)
///   | /         b = (1−s, s, t−1, −t)
///   |/          across = e × f
///  /|
/// x₀ x₂
/// ```
///
/// Of parallel edges, some pair of nearest points. Ericson 2005, "Real-Time Collision Detection",
/// section 5.1.9.
#[derive(Debug)]
pub(crate) struct EdgeEdge;

impl Pair<4> for EdgeEdge {
    const SIDED: bool = true;
    const FIRST: usize = 2;
    const NAME: &str = "edge_edge";
    const WGSL: &str = include_str!("edge_edge.wgsl");

    #[inline(always)]
    fn near<R: Real>(x: [V3<R>; 4]) -> Near<R, 4> {
        let (e, f, r) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
        let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
        let (er, fr) = (e.dot(r), f.dot(r));
        let apart = ee * ff - ef * ef;
        let s = unit((ef * fr - ff * er).div_or_zero(apart));
        let t = unit((ef * s + fr).div_or_zero(ff));
        let s = unit((ef * t - er).div_or_zero(ee));
        let (zero, one) = (s.lit(0.0), s.lit(1.0));
        let b = [one - s, s, t - one, -t];
        let across = e.cross(f);
        let crossed = (ee * ff * s.lit(PARALLEL)).where_less(apart, one, zero);
        Near {
            b,
            d: sum(b, x),
            across,
            turned: r.dot(across) * crossed,
            inside: between(s) * between(t) * crossed,
        }
    }

    /// Where the nearest points of the two lines are not on the edges, an end of one is nearest:
    /// a vertex, which has its pairs with faces. So it is for parallel edges.
    #[inline(always)]
    fn beside<R: Real>(x: [V3<R>; 4], margin: R) -> R {
        let (e, f, r) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
        let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
        let (er, fr, one) = (e.dot(r), f.dot(r), margin.lit(1.0));
        let apart = ee * ff - ef * ef;
        let s = (ef * fr - ff * er).div_or_zero(apart);
        let t = (ee * fr - ef * er).div_or_zero(apart);
        // |e| sin = √(apart / f·f)
        let over = (-s).at_least(s - one) * apart.div_or_zero(ff).sqrt();
        let other = (-t).at_least(t - one) * apart.div_or_zero(ee).sqrt();
        let far = margin.lit(f32::MAX.into());
        let over = over.at_least(other);
        (ee * ff * margin.lit(PARALLEL)).where_less(apart, over, far) - margin
    }
}
