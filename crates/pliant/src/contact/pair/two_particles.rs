//! Two particles. WGSL twin: `two_particles.wgsl`

use super::{Near, Pair, without_sides};
use crate::lanes::{Real, V3};

/// Particles x₀ and x₁.
#[derive(Debug)]
pub(crate) struct TwoParticles;

impl Pair<2> for TwoParticles {
    const SIDED: bool = false;
    const FIRST: usize = 1;
    const NAME: &str = "two_particles";
    const WGSL: &str = include_str!("two_particles.wgsl");

    #[inline(always)]
    fn near<R: Real>(x: [V3<R>; 2]) -> Near<R, 2> {
        let one = x[0].x.lit(1.0);
        without_sides([one, -one], x)
    }
}
