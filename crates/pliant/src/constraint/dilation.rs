//! Strain of a triangle or tetrahedron in all directions together: what couples length and width.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3, each};
use crate::mesh::frame;

/// The kind for triangles.
pub static TRIANGLE_KIND: Kind = Kind::of::<TriangleDilation, 3, 4>();
/// The kind for tetrahedra.
pub static TET_KIND: Kind = Kind::of::<TetDilation, 4, 9>();

/// Keeps the trace of a triangle's Green strain at 0: where it gets longer, it gets narrower.
///
/// ```text
/// f = Fa = Σ aₖ (xₖ − x₀),   g = Fb likewise
/// C(x) = tr E = ½ (|f|² + |g|² − 2)      (1)
/// ∇ₖC = aₖ f + bₖ g,   ∇₀C = −Σ ∇ₖC
/// ```
///
/// a and b are unit vectors of the rest shape at right angles, in coordinates along its edges, see
/// [`frame`]. Beside [`super::stretch`] and [`super::shear`] it is the term of Lamé's λ, which is
/// Poisson's ratio. WGSL twin: `dilation.wgsl`.
///
/// Macklin et al. 2016, "XPBD: Position-Based Simulation of Compliant Constrained Dynamics",
/// section 6.
#[derive(Debug)]
pub struct TriangleDilation;

/// The same for a tetrahedron, in three directions.
#[derive(Debug)]
pub struct TetDilation;

impl Constraint<3, 4> for TriangleDilation {
    const NAME: &'static str = "triangle_dilation";
    const SHOWS: &'static str = "keeps the sum of a triangle's strains in all directions";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 3;\nconst P = 4;\n", include_str!("dilation.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 3], [a1, a2, b1, b2]: [R; 4]) -> (R, [V3<R>; 3]) {
        let (c, [g1, g2]) = dilation([x[1] - x[0], x[2] - x[0]], [[a1, a2], [b1, b2]]);
        (c, [-(g1 + g2), g1, g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 4] {
        let [[a1, a2], [b1, b2]] = frame::of_triangle(x);
        [a1, a2, b1, b2]
    }
}

impl Constraint<4, 9> for TetDilation {
    const NAME: &'static str = "tet_dilation";
    const SHOWS: &'static str = "keeps the sum of a tetrahedron's strains in all directions";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 4;\nconst P = 9;\n", include_str!("dilation.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 4], rest: [R; 9]) -> (R, [V3<R>; 4]) {
        let edges = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let (c, [g1, g2, g3]) = dilation(edges, frame::rows(rest));
        (c, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 9] {
        frame::flat(frame::of_tet(x))
    }
}

#[inline(always)]
fn dilation<R: Real, const E: usize>(edges: [V3<R>; E], axes: [[R; E]; E]) -> (R, [V3<R>; E]) {
    let images: [_; E] = each(|d| frame::image(edges, axes[d]));
    let one = axes[0][0].lit(1.0);
    let strains: [_; E] = each(|d| images[d].length_squared() - one);
    let trace = strains[1..].iter().fold(strains[0], |sum, &e| sum + e);
    (
        trace * one.lit(0.5),
        each(|k| {
            let mut gradient = images[0] * axes[0][k];
            for d in 1..E {
                gradient = gradient + images[d] * axes[d][k];
            }
            gradient
        }),
    )
}
