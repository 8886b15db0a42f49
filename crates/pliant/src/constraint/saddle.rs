//! Saddle shape of a triangle, from its neighbours: what keeps a thick sheet from curling crosswise.

use glam::{DMat3, DVec2, DVec3};

use super::{Constraint, Kind};
use crate::lanes::{Real, V3, each};

/// The kind for triangles with three neighbours.
pub static KIND: Kind = Kind::of::<Saddle, 6, 11>();
/// The kind for triangles with two neighbours, at the edge of a sheet.
pub static EDGE_KIND: Kind = Kind::of::<EdgeSaddle, 5, 9>();

/// Keeps a triangle as saddle-shaped as it was, judged by the far corners of its neighbours.
///
/// ```text
///     x₃ ─── x₂ ─── x₄      K of the parabola w(q) = w₀ + g·q + ½ qᵀKq through six points
///       \   / \   /         s = (K_uu − K_vv)/√2,   t = √2 K_uv
///        x₀ ─── x₁          C(x) = √(|s|² + |t|²) − c₀      (1/m)
///          \   /            s = Σᵢ sᵢ (xᵢ − x₀), t likewise;  ∇ᵢC = (sᵢ s + tᵢ t) / √(|s|² + |t|²)
///           x₅
/// ```
///
/// (u, v) are coordinates in the rest shape laid flat, so the sᵢ and tᵢ are constants, and each
/// coordinate of x is fitted by itself. Together with half of [`super::curvature`] it is the energy of
/// a plate, κ:κ = ½ (tr κ)² + |s|² + |t|², right on any mesh and at any thickness. s₀ and t₀ are not
/// stored: rounded apart, the sums would not be 0. Points that fix no parabola have sᵢ = tᵢ = 0, and
/// nothing moves. WGSL twin: `saddle.wgsl`.
///
/// Oñate and Cervera 1993, "Derivation of Thin Plate Bending Elements with One Degree of Freedom
/// per Node", have the patch of four triangles.
#[derive(Debug)]
pub struct Saddle;

/// The same with two neighbours: of all parabolas through five points the flattest, which is what a
/// free edge settles to.
#[derive(Debug)]
pub struct EdgeSaddle;

impl Constraint<6, 11> for Saddle {
    const NAME: &'static str = "saddle";
    const SHOWS: &'static str = "keeps the saddle shape of a triangle of a sheet";
    const UNIT: &'static str = "1/m";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 6;\nconst P = 11;\n", include_str!("saddle.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 6], rest: [R; 11]) -> (R, [V3<R>; 6]) {
        let (c, [g1, g2, g3, g4, g5]) = saddle(each(|i| x[i + 1] - x[0]), &rest);
        (c, [-(g1 + g2 + g3 + g4 + g5), g1, g2, g3, g4, g5])
    }

    fn rest(x: [V3<f64>; 6]) -> [f64; 11] {
        let mut rest = [0.0; 11];
        rest[..10].copy_from_slice(&coefficients(&projected(&x), [1.0; 2]));
        rest[10] = Self::eval(x, rest).0;
        rest
    }
}

impl Constraint<5, 9> for EdgeSaddle {
    const NAME: &'static str = "edge_saddle";
    const SHOWS: &'static str = "keeps the saddle shape of a triangle at the edge of a sheet";
    const UNIT: &'static str = "1/m";
    const WGSL: Option<&'static str> =
        Some(concat!("const N = 5;\nconst P = 9;\n", include_str!("saddle.wgsl")));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 5], rest: [R; 9]) -> (R, [V3<R>; 5]) {
        let (c, [g1, g2, g3, g4]) = saddle(each(|i| x[i + 1] - x[0]), &rest);
        (c, [-(g1 + g2 + g3 + g4), g1, g2, g3, g4])
    }

    fn rest(x: [V3<f64>; 5]) -> [f64; 9] {
        let mut rest = [0.0; 9];
        rest[..8].copy_from_slice(&coefficients(&projected(&x), [1.0; 2]));
        rest[8] = Self::eval(x, rest).0;
        rest
    }
}

/// C and the gradient, of the points after the first, as seen from it.
#[inline(always)]
fn saddle<R: Real, const E: usize>(edges: [V3<R>; E], rest: &[R]) -> (R, [V3<R>; E]) {
    let (mut s, mut t) = (edges[0] * rest[0], edges[0] * rest[E]);
    for i in 1..E {
        s = s + edges[i] * rest[i];
        t = t + edges[i] * rest[E + i];
    }
    let size = (s.length_squared() + t.length_squared()).sqrt();
    let over = size.lit(1.0).div_or_zero(size);
    let (s, t) = (s * over, t * over);
    (size - rest[2 * E], each(|i| s * rest[i] + t * rest[E + i]))
}

/// A triangle and the far corners of its neighbours, seen along its normal; u is along its first side.
fn projected(x: &[V3<f64>]) -> Vec<DVec2> {
    let at = |i: usize| DVec3::new(x[i].x - x[0].x, x[i].y - x[0].y, x[i].z - x[0].z);
    let (side, other) = (at(1), at(2));
    let u = side.normalize_or_zero();
    let v = side.cross(other).cross(side).normalize_or_zero();
    (0..x.len()).map(|i| DVec2::new(at(i).dot(u), at(i).dot(v))).collect()
}

/// Narrower than this share of its size, a patch counts as fixing no parabola.
const LEAST: f64 = 1e-3;

/// The sᵢ, then the tᵢ, of the points after the first, for `flat` = the triangle's corners and the
/// far corners of two or three neighbours. The entries of `weights` scale K_uu and K_vv, and their
/// geometric mean K_uv. 0 where the points fix no parabola.
///
/// ```text
/// far corner q = Σ bᵢ qᵢ of the triangle:   x(q) − Σ bᵢ xᵢ = ½ (qᵀKq − Σ bᵢ qᵢᵀKqᵢ) = g·k
/// k = G⁺ (x(q) − Σ bᵢ xᵢ)      one row g per neighbour; G⁺ gives the flattest for two
/// ```
pub(crate) fn coefficients(flat: &[DVec2], weights: [f64; 2]) -> Vec<f64> {
    let (corners, neighbours) = (flat.len() - 1, flat.len() - 3);
    let mut result = vec![0.0; 2 * corners];
    let [q0, q1, q2] = [flat[0], flat[1], flat[2]];
    let size = flat.iter().map(|q| q.distance(q0)).fold(0.0, f64::max);
    let twice_area = (q1 - q0).perp_dot(q2 - q0);
    if size < 1e-9 || twice_area.abs() < LEAST * size * size {
        return result;
    }
    let half_square = |q: DVec2| {
        let q = q - q0;
        DVec3::new(q.x * q.x / 2.0, q.y * q.y / 2.0, q.x * q.y / std::f64::consts::SQRT_2)
    };
    let mut rows = [DVec3::ZERO; 3];
    let mut shares = [[0.0; 2]; 3];
    for (k, &q) in flat[3..].iter().enumerate() {
        let b1 = (q - q0).perp_dot(q2 - q0) / twice_area;
        let b2 = (q1 - q0).perp_dot(q - q0) / twice_area;
        rows[k] = half_square(q) - half_square(q1) * b1 - half_square(q2) * b2;
        shares[k] = [b1, b2];
    }
    let Some(inverse) = pseudo_inverse(rows, neighbours, size * size) else { return result };
    let [u, v] = weights;
    for far in 0..neighbours {
        // The third entry of k is √2 K_uv already.
        let DVec3 { x, y, z } = inverse[far];
        let [b1, b2] = shares[far];
        let st = [(u * x - v * y) * std::f64::consts::FRAC_1_SQRT_2, (u * v).sqrt() * z];
        for (row, value) in st.into_iter().enumerate() {
            let row = &mut result[row * corners..][..corners];
            row[2 + far] = value;
            row[0] -= value * b1;
            row[1] -= value * b2;
        }
    }
    result
}

/// The columns of G⁺ for the first `count` rows, two or three; `None` where they are nearly
/// dependent, against `scale`.
fn pseudo_inverse(rows: [DVec3; 3], count: usize, scale: f64) -> Option<[DVec3; 3]> {
    let [a, b, c] = rows;
    if count == 3 {
        let g = DMat3::from_cols(a, b, c).transpose();
        let fixed = g.determinant().abs() > LEAST * scale * scale * scale;
        return fixed.then(|| {
            let inverse = g.inverse();
            [inverse.x_axis, inverse.y_axis, inverse.z_axis]
        });
    }
    // Gᵀ(GGᵀ)⁻¹
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let det = aa * bb - ab * ab;
    let fixed = count == 2 && det > (LEAST * scale * scale).powi(2);
    fixed.then(|| [(a * bb - b * ab) / det, (b * aa - a * ab) / det, DVec3::ZERO])
}
