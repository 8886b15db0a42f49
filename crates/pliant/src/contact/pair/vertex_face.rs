//! A vertex and a face. WGSL twin: `vertex_face.wgsl`

use super::{Approach, Near, Pair, sum, unit};
use crate::lanes::{Real, V3};

/// Vertex x₀ and the face (x₁, x₂, x₃), counter-clockwise seen from outside.
///
/// ```text
///      x₃           across = e × f,   e = x₂ − x₁,   f = x₃ − x₁,   r = x₀ − x₁
///     /  \          v = (r × f)·across / across²,   w = (e × r)·across / across²
///    / x₀ \         b = (1, v+w−1, −v, −w)
///   x₁----x₂
/// ```
///
/// Where v, w or 1−v−w is negative, the nearest point is on a side: the nearest of the three.
#[derive(Debug)]
pub(crate) struct VertexFace;

impl Pair<4> for VertexFace {
    const SIDED: bool = true;
    const FIRST: usize = 1;
    const NAME: &str = "vertex_face";
    const WGSL: &str = include_str!("vertex_face.wgsl");

    #[inline(always)]
    fn near<R: Real>(x: [V3<R>; 4]) -> Near<R, 4> {
        let (e, f, r) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
        let across = e.cross(f);
        let area = across.length_squared();
        let v = r.cross(f).dot(across).div_or_zero(area);
        let w = e.cross(r).dot(across).div_or_zero(area);
        let (zero, one) = (v.lit(0.0), v.lit(1.0));
        let u = one - v - w;
        let least = u.at_most(v).at_most(w);
        let inside = zero.where_less(area, zero.where_less(least, one, zero), zero);
        let [v, w] = on_border(inside, [v, w], [e, f, r]);
        let b = [one, v + w - one, -v, -w];
        Near { b, d: sum(b, x), across, turned: r.dot(across), inside }
    }

    /// By the plane of the face: along its normal they stay apart by |r·n| + by·n, in front of it.
    #[inline(always)]
    fn parted<R: Real>(x: [V3<R>; 4], approach: Approach<R>, reach: R) -> R {
        let (zero, one) = (reach.lit(0.0), reach.lit(1.0));
        let across = (x[2] - x[1]).cross(x[3] - x[1]);
        let before = (x[0] - x[1]).dot(across);
        let apart = before.abs() + approach.along(across * before.where_less(zero, -one, one));
        let over = apart * apart - reach * reach * across.length_squared();
        zero.where_less(apart, over, zero)
    }
}

/// How far along a side the point is nearest to the end of `from`, 0 to 1, and the squared distance
/// from there (m²). A closure would not be inlined, and called for every lane.
#[inline(always)]
fn along<R: Real>(from: V3<R>, side: V3<R>) -> (R, R) {
    let t = unit(from.dot(side).div_or_zero(side.length_squared()));
    (t, (from - side * t).length_squared())
}

/// `inside` where it is 1; elsewhere the coordinates of the nearest point of the three sides.
#[inline(always)]
fn on_border<R: Real>(inside: R, [v, w]: [R; 2], [e, f, r]: [V3<R>; 3]) -> [R; 2] {
    let (zero, one) = (v.lit(0.0), v.lit(1.0));
    let ((te, de), (tf, df), (tg, dg)) = (along(r, e), along(r, f), along(r - e, f - e));
    let (v1, w1) = (df.where_less(de, zero, te), df.where_less(de, tf, zero));
    let d1 = df.at_most(de);
    let (v1, w1) = (dg.where_less(d1, one - tg, v1), dg.where_less(d1, tg, w1));
    [zero.where_less(inside, v, v1), zero.where_less(inside, w, w1)]
}
