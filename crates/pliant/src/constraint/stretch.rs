//! Strain along one direction of a triangle or tetrahedron: warp, weft, fibres.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3, each};
use crate::mesh::frame;

/// The kind for triangles.
pub static TRIANGLE_KIND: Kind = Kind::of::<TriangleStretch, 3, 2>();
/// The kind for tetrahedra.
pub static TET_KIND: Kind = Kind::of::<TetStretch, 4, 3>();

/// Keeps the Green strain of a triangle along a direction of its material at 0.
///
/// ```text
/// f = Fa = Σ aₖ (xₖ − x₀)         what the unit vector a of the rest shape has become
/// C(x) = E_aa = ½ (|f|² − 1)      (1)
/// ∇ₖC = aₖ f,   ∇₀C = −Σ ∇ₖC
/// ```
///
/// aₖ are the coordinates of a along the edges of the rest shape, see [`frame`]; measured from a
/// pose, a runs along the first edge. Stretch along every direction, [`super::shear`] between them
/// and [`super::dilation`] together are the Saint Venant-Kirchhoff material. A rest shape without
/// area has aₖ = 0, and nothing moves. WGSL twin: `stretch.wgsl`.
///
/// Müller et al. 2014, "Strain Based Dynamics", section 4.
#[derive(Debug)]
pub struct TriangleStretch;

/// The same for a tetrahedron.
#[derive(Debug)]
pub struct TetStretch;

impl Constraint<3, 2> for TriangleStretch {
    const NAME: &'static str = "triangle_stretch";
    const SHOWS: &'static str = "keeps a triangle's strain along one direction of its material";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 3;\nconst P = 2;\n", include_str!("stretch.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 3], a: [R; 2]) -> (R, [V3<R>; 3]) {
        let (c, [g1, g2]) = stretch([x[1] - x[0], x[2] - x[0]], a);
        (c, [-(g1 + g2), g1, g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 2] {
        frame::of_triangle(x)[0]
    }
}

impl Constraint<4, 3> for TetStretch {
    const NAME: &'static str = "tet_stretch";
    const SHOWS: &'static str = "keeps a tetrahedron's strain along one direction of its material";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 4;\nconst P = 3;\n", include_str!("stretch.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 4], a: [R; 3]) -> (R, [V3<R>; 4]) {
        let (c, [g1, g2, g3]) = stretch([x[1] - x[0], x[2] - x[0], x[3] - x[0]], a);
        (c, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 3] {
        frame::of_tet(x)[0]
    }
}

#[inline(always)]
fn stretch<R: Real, const E: usize>(edges: [V3<R>; E], a: [R; E]) -> (R, [V3<R>; E]) {
    let f = frame::image(edges, a);
    let one = a[0].lit(1.0);
    ((f.length_squared() - one) * one.lit(0.5), each(|k| f * a[k]))
}
