//! A particle and an edge, such as a link of a rope. WGSL twin: `particle_edge.wgsl`

use super::{Near, Pair, unit, without_sides};
use crate::lanes::{Real, V3};

/// Particle x₀ and the edge from x₁ to x₂.
#[derive(Debug)]
pub(crate) struct ParticleEdge;

impl Pair<3> for ParticleEdge {
    const SIDED: bool = false;
    const FIRST: usize = 1;
    const NAME: &str = "particle_edge";
    const WGSL: &str = include_str!("particle_edge.wgsl");

    #[inline(always)]
    fn near<R: Real>(x: [V3<R>; 3]) -> Near<R, 3> {
        let e = x[2] - x[1];
        let t = unit((x[0] - x[1]).dot(e).div_or_zero(e.length_squared()));
        let one = t.lit(1.0);
        without_sides([one, t - one, -t], x)
    }
}
