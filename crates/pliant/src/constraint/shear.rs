//! Shear between two directions of a triangle or tetrahedron.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3, each};
use crate::mesh::frame;

/// The kind for triangles.
pub static TRIANGLE_KIND: Kind = Kind::of::<TriangleShear, 3, 4>();
/// The kind for tetrahedra.
pub static TET_KIND: Kind = Kind::of::<TetShear, 4, 6>();

/// Keeps two directions of a triangle's material at right angles.
///
/// ```text
/// f = Fa = Σ aₖ (xₖ − x₀),   g = Fb = Σ bₖ (xₖ − x₀)
/// C(x) = γ = 2 E_ab = f·g        (1)
/// ∇ₖC = aₖ g + bₖ f,   ∇₀C = −Σ ∇ₖC
/// ```
///
/// a and b are unit vectors of the rest shape at right angles, in coordinates along its edges, see
/// [`frame`]; measured from a pose, a runs along the first edge. γ is the shear of engineers,
/// twice the entry of Green's tensor: its energy is ½Gγ² per area. WGSL twin: `shear.wgsl`.
///
/// Müller et al. 2014, "Strain Based Dynamics", section 4.
#[derive(Debug)]
pub struct TriangleShear;

/// The same for a tetrahedron.
#[derive(Debug)]
pub struct TetShear;

impl Constraint<3, 4> for TriangleShear {
    const NAME: &'static str = "triangle_shear";
    const SHOWS: &'static str = "keeps two directions of a triangle's material at right angles";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 3;\nconst P = 4;\n", include_str!("shear.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 3], [a1, a2, b1, b2]: [R; 4]) -> (R, [V3<R>; 3]) {
        let (c, [g1, g2]) = shear([x[1] - x[0], x[2] - x[0]], [a1, a2], [b1, b2]);
        (c, [-(g1 + g2), g1, g2])
    }

    fn rest(x: [V3<f64>; 3]) -> [f64; 4] {
        let [[a1, a2], [b1, b2]] = frame::of_triangle(x);
        [a1, a2, b1, b2]
    }
}

impl Constraint<4, 6> for TetShear {
    const NAME: &'static str = "tet_shear";
    const SHOWS: &'static str = "keeps two directions of a tetrahedron's material at right angles";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 4;\nconst P = 6;\n", include_str!("shear.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 4], [a1, a2, a3, b1, b2, b3]: [R; 6]) -> (R, [V3<R>; 4]) {
        let edges = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let (c, [g1, g2, g3]) = shear(edges, [a1, a2, a3], [b1, b2, b3]);
        (c, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 6] {
        let [[a1, a2, a3], [b1, b2, b3], _] = frame::of_tet(x);
        [a1, a2, a3, b1, b2, b3]
    }
}

#[inline(always)]
fn shear<R: Real, const E: usize>(edges: [V3<R>; E], a: [R; E], b: [R; E]) -> (R, [V3<R>; E]) {
    let (f, g) = (frame::image(edges, a), frame::image(edges, b));
    (f.dot(g), each(|k| g * a[k] + f * b[k]))
}
