//! Pairs of things that can touch: where are they nearest, and on which side? WGSL twin: `pair.wgsl`
//!
//! A pair is nothing but that. Masses, colours, lanes, friction and rest are the same for all of
//! them, in `solve.rs`.

use glam::Vec3;

use super::path::Approach;
use crate::lanes::{Real, V3};

pub(crate) mod edge_edge;
pub(crate) mod particle_edge;
pub(crate) mod two_particles;
pub(crate) mod vertex_face;

/// What the shaders of pairs share.
pub(crate) const WGSL: &str = include_str!("pair.wgsl");

/// Where the two parties of a pair are nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<R, const N: usize> {
    /// One number per particle: Σ bₖ xₖ leads from the second party to the first.
    pub(crate) b: [R; N],
    /// That vector (m).
    pub(crate) d: V3<R>,
    /// Across both parties, of any length; its direction depends on the order of the particles
    /// alone. Nothing where the parties have no sides.
    pub(crate) across: V3<R>,
    /// More than 0 where the first party is on the side to which `across` points, less on the
    /// other; 0 where that cannot be said.
    pub(crate) turned: R,
    /// 1 where the nearest points are inside both parties, 0 where one is on a border.
    pub(crate) inside: R,
}

/// Two parties that can touch, of `N` particles together.
pub(crate) trait Pair<const N: usize> {
    /// Whether the first party can be told to be on one side of the second.
    const SIDED: bool;

    /// How many particles the first party has.
    const FIRST: usize;

    /// What its shader calls it.
    const NAME: &str;

    /// Its shader: a function of that name that does what [`Pair::near`] does.
    const WGSL: &str;

    /// Where they are nearest.
    fn near<R: Real>(x: [V3<R>; N]) -> Near<R, N>;

    /// The same for one pair.
    fn near_at(x: [Vec3; N]) -> Near<f32, N> {
        Self::near(x.map(V3::from))
    }

    /// Positive where they surely come no nearer than `reach` (m) while they move so,
    /// whatever their nearest points say.
    #[inline(always)]
    fn parted<R: Real>(_: [V3<R>; N], _: Approach<R>, reach: R) -> R {
        reach.lit(0.0)
    }

    /// Positive where other pairs keep these parties apart as long as they move by no more than
    /// `margin` (m).
    #[inline(always)]
    fn beside<R: Real>(_: [V3<R>; N], margin: R) -> R {
        margin.lit(0.0)
    }
}

/// Σ bₖ xₖ.
#[inline(always)]
pub(crate) fn sum<R: Real, const N: usize>(b: [R; N], x: [V3<R>; N]) -> V3<R> {
    let mut sum = x[0] * b[0];
    for k in 1..N {
        sum = sum + x[k] * b[k];
    }
    sum
}

/// `t` brought between 0 and 1.
#[inline(always)]
fn unit<R: Real>(t: R) -> R {
    t.at_least(t.lit(0.0)).at_most(t.lit(1.0))
}

/// 1 where `t` is strictly between 0 and 1.
#[inline(always)]
fn between<R: Real>(t: R) -> R {
    let (zero, one) = (t.lit(0.0), t.lit(1.0));
    zero.where_less(t, t.where_less(one, one, zero), zero)
}

/// For parties that have no sides.
#[inline(always)]
fn without_sides<R: Real, const N: usize>(b: [R; N], x: [V3<R>; N]) -> Near<R, N> {
    let zero = b[0].lit(0.0);
    let across = V3 { x: zero, y: zero, z: zero };
    Near { b, d: sum(b, x), across, turned: zero, inside: zero }
}

#[cfg(test)]
mod tests;
