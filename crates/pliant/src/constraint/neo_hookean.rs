//! Shear of a neo-Hookean tetrahedron: rubber, jelly and flesh, together with [`super::volume`].

use super::{Constraint, Kind};
use crate::lanes::{Real, V3, each};
use crate::mesh::frame;

/// The kind, for building bodies. Its hydrostatic partner is [`super::volume::KIND`].
pub static KIND: Kind = Kind::of::<NeoHookean, 4, 9>();

/// Keeps a tetrahedron of neo-Hookean material in its shape: the term of the shear modulus μ.
///
/// ```text
/// Ψ = μ/2 (I − 3) − μ (J − 1) + (λ+μ)/2 (J − 1)²      energy per volume; I = tr FᵀF, J = det F
///   = μ/2 (I − 4J + J²) + λ/2 (J − 1)²                the same, sorted by Lamé's constants
///
/// C(x) = √(I − 4J + J²)                               (1; √2 ‖ε‖ for small strains ε)
/// ∂C/∂F = (F + (J − 2) cof F) / C,   ∇ₖC = Σ_d ∂C/∂F_d B_dk,   ∇₀C = −Σ ∇ₖC
/// ```
///
/// F = Σ (xₖ − x₀) Bₖ with B from [`frame`]; α = 1/(μV₀) for this kind and V₀/λ for `volume`. The
/// usual pair, √I and J − 1 − μ/λ, pulls at rest with √3 μV₀ against an equal push, so that an
/// unfinished solve shrinks or swells the body; here both vanish at rest, each by itself. λ is that
/// of the textbooks: no λ ← λ + μ is left to be forgotten. I − 4J + J² ≥ 0 for every F, since
/// I ≥ 3 J^⅔.
///
/// Near rest the three terms cancel to second order in the strain, which single precision does
/// not survive, so there C comes from Green's strain E, with tr E, m = the sum of its principal
/// minors of order 2, and d = det E:
///
/// ```text
/// J − 1 = (2 tr E + 4m + 8d) / (1 + J)
/// I − 4J + J² = (2 tr E (J − 1) − 8m − 16d) / (1 + J) + (J − 1)²
/// ```
///
/// A rest shape without volume has B = 0, and nothing moves. WGSL twin: `neo_hookean.wgsl`.
///
/// Macklin and Müller 2021, "A Constraint-based Formulation of Stable Neo-Hookean Materials".
#[derive(Debug)]
pub struct NeoHookean;

impl Constraint<4, 9> for NeoHookean {
    const NAME: &'static str = "neo_hookean";
    const SHOWS: &'static str = "keeps a tetrahedron of neo-Hookean material in its shape";
    const UNIT: &'static str = "1";
    const WGSL: Option<&'static str> = Some(include_str!("neo_hookean.wgsl"));

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 4], rest: [R; 9]) -> (R, [V3<R>; 4]) {
        let axes = frame::rows(rest);
        let f: [_; 3] = each(|d| frame::image([x[1] - x[0], x[2] - x[0], x[3] - x[0]], axes[d]));
        let cofactor = [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])];
        let j = f[0].dot(cofactor[0]);
        let c = energy(f, j).sqrt();
        let over_c = c.lit(1.0).div_or_zero(c);
        let pull = j - j.lit(2.0);
        let p: [V3<R>; 3] = each(|d| (f[d] + cofactor[d] * pull) * over_c);
        let [g1, g2, g3] = each(|k| p[0] * axes[0][k] + p[1] * axes[1][k] + p[2] * axes[2][k]);
        (c, [-(g1 + g2 + g3), g1, g2, g3])
    }

    fn rest(x: [V3<f64>; 4]) -> [f64; 9] {
        frame::flat(frame::of_tet(x))
    }
}

/// I − 4J + J², by the form that keeps its digits.
#[inline(always)]
fn energy<R: Real>(f: [V3<R>; 3], j: R) -> R {
    let lit = |value| j.lit(value);
    let squares: [_; 3] = each(|d| f[d].length_squared());
    let plain = squares[0] + squares[1] + squares[2] - lit(4.0) * j + j * j;

    let half = lit(0.5);
    let [xx, yy, zz] = each(|d| (squares[d] - lit(1.0)) * half);
    let (xy, yz, zx) = (f[0].dot(f[1]) * half, f[1].dot(f[2]) * half, f[2].dot(f[0]) * half);
    let trace = xx + yy + zz;
    let minors = xx * yy - xy * xy + yy * zz - yz * yz + zz * xx - zx * zx;
    let det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx);
    let over = lit(1.0) / (lit(1.0) + j);
    let growth = (lit(2.0) * trace + lit(4.0) * minors + lit(8.0) * det) * over;
    let near =
        (lit(2.0) * trace * growth - lit(8.0) * minors - lit(16.0) * det) * over + growth * growth;

    let near = near.at_least(lit(0.0));
    let moderate = trace.abs().where_less(lit(1.0), near, plain);
    lit(0.5).where_less(j, moderate, plain).at_least(lit(0.0))
}
