//! Curvature of a sheet at a particle: what makes cloth and paper resist bending, on any mesh.

use super::{Constraint, Kind};
use crate::lanes::{Real, V3};

/// The kind for up to four neighbours: grids, whatever their diagonals.
pub static KIND_4: Kind = Kind::of::<Curvature4, 5, 5>();
/// The kind for five and six neighbours: most particles of a good mesh.
pub static KIND_6: Kind = Kind::of::<Curvature6, 7, 7>();
/// The kind for seven and eight neighbours.
pub static KIND_8: Kind = Kind::of::<Curvature8, 9, 9>();
/// The kind for up to twelve neighbours.
pub static KIND_12: Kind = Kind::of::<Curvature12, 13, 13>();

/// Every one, by the number of neighbours that it has room for: keeps a sheet as curved at a particle
/// as it was.
///
/// ```text
///     x₂ ── x₁          κ = Σᵢ kᵢ (xᵢ − x₀)       the Laplacian of x: 2H n, with H the mean curvature
///    /  \  /  \         C(x) = |κ| − c₀           (1/m)
///   x₃ ─ x₀ ── x₆       ∇ᵢC = kᵢ κ/|κ|,   ∇₀C = −Σ ∇ᵢC
///    \  /  \  /         kᵢ = (cot aᵢ + cot bᵢ) / 2A
///     x₄ ── x₅          aᵢ, bᵢ the rest angles that see the edge x₀xᵢ, A the area of x₀
/// ```
///
/// A sheet that does not stretch is curved in one direction at most, so that |κ| is that curvature.
/// The weights are those of finite elements, exact for parabolas on a grid with diagonals of any
/// slant; the angle of single hinges ([`super::bend`]) lets such a strip twist, and is a fifth too
/// soft. There are kinds for 4, 6, 8 and 12 neighbours; fewer are filled up with particles of
/// weight 0. At κ = 0 there is no direction, and nothing moves. WGSL twin: `curvature.wgsl`.
///
/// Wardetzky et al. 2007, "Discrete Quadratic Curvature Energies".
pub const KINDS: [(usize, &Kind); 4] = [(4, &KIND_4), (6, &KIND_6), (8, &KIND_8), (12, &KIND_12)];

macro_rules! curvature {
    ($($name:ident $called:literal: $n:literal $header:literal)+) => { $(
        #[doc = concat!("Curvature with room for ", $called, " neighbours; see [`KINDS`].")]
        #[derive(Debug)]
        pub struct $name;

        impl Constraint<$n, $n> for $name {
            const NAME: &'static str = concat!("curvature_", $called);
            const SHOWS: &'static str = "keeps the curvature of a sheet at a particle";
            const UNIT: &'static str = "1/m";
            const WGSL: Option<&'static str> =
                Some(concat!($header, include_str!("curvature.wgsl")));

            #[inline(always)]
            fn eval<R: Real>(x: [V3<R>; $n], rest: [R; $n]) -> (R, [V3<R>; $n]) {
                curvature(x, rest)
            }

            fn rest(x: [V3<f64>; $n]) -> [f64; $n] {
                let mut rest = umbrella(x);
                rest[$n - 1] = curvature(x, rest).0;
                rest
            }
        }
    )+ };
}

curvature! {
    Curvature4 "4": 5 "const N = 5;\nconst P = 5;\n"
    Curvature6 "6": 7 "const N = 7;\nconst P = 7;\n"
    Curvature8 "8": 9 "const N = 9;\nconst P = 9;\n"
    Curvature12 "12": 13 "const N = 13;\nconst P = 13;\n"
}

/// C and its gradient; the last of `rest` is c₀, the others are the weights of x₁ to the last.
#[inline(always)]
fn curvature<R: Real, const N: usize>(x: [V3<R>; N], rest: [R; N]) -> (R, [V3<R>; N]) {
    let mut kappa = (x[1] - x[0]) * rest[0];
    for i in 1..N - 1 {
        kappa = kappa + (x[i + 1] - x[0]) * rest[i];
    }
    let size = kappa.length();
    let n = kappa * size.lit(1.0).div_or_zero(size);
    let mut gradient = [n; N];
    let mut sum = rest[0];
    gradient[1] = n * rest[0];
    for i in 1..N - 1 {
        sum = sum + rest[i];
        gradient[i + 1] = n * rest[i];
    }
    gradient[0] = -(n * sum);
    (size - rest[N - 1], gradient)
}

/// Equal weights, right for a regular ring: the pose alone does not say how it is meshed.
///
/// ```text
/// kᵢ = 4 / (n r²)       n neighbours at the distance r, in the mean of squares
/// ```
fn umbrella<const N: usize>(x: [V3<f64>; N]) -> [f64; N] {
    let squares: f64 = x[1..].iter().map(|&xi| (xi - x[0]).length_squared()).sum();
    let mut rest = [if squares > LEAST { 4.0 / squares } else { 0.0 }; N];
    rest[N - 1] = 0.0;
    rest
}

/// A ring with a smaller sum of squares than this (m²) counts as having no size.
const LEAST: f64 = 1e-18;
