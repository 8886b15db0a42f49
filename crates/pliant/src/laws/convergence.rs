//! How fast each solver comes to the solution of a chain.

use glam::DVec3;
use std::f64::consts::{LN_10, PI};

use super::rig::stepper::step;
use super::rig::{Bead, config, string};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::solver::Solver;
use crate::world::{Config, Precision};

/// The error of a stretched chain of n rigid links falls by the same share in every iteration.
///
/// ```text
/// Gauss-Seidel and SOR, equal beads      μ = cos(π/(n + 1)),   (λ + ω − 1)² = λ ω² μ²
///     ω = 1                              λ = μ²
///     ω = 2/(1 + √(1 − μ²))              λ = ω − 1, and no ω is faster
/// averaged Jacobi, ends half as heavy    ρ = 1 − ω sin²(π/2n)
/// Chebyshev, on the latter with ω = 1    ρ / (1 + √(1 − ρ²))
/// ```
///
/// The multipliers of a chain solve a tridiagonal system. Equal beads of mass 1 give 2 on the
/// diagonal and −1 beside it, with the eigenvalues 2 − 2 cos(kπ/(n + 1)); its order, and that of
/// two colours, is consistent, so that Young 1954 holds. Beads at the ends that weigh half make
/// every entry of Jacobi's split diagonal 4, and the eigenvalues 2 − 2 cos(kπ/n).
pub const LAW: &Law = &Law {
    name: "convergence",
    covers: &["P38"],
    setup: "a chain out of balance, solved by every solver until a known share is left",
    claim: "each solver gains digits of a chain as fast as the theory of its iteration says",
    source: "Young 1954 for Gauss-Seidel and over-relaxation, Wang 2015 for Chebyshev; eigenvalues \
             of tridiagonal matrices",
    tolerance: "a count of iterations is whole, and the slowest mode is not quite alone",
    accident: "the numbers differ by up to a factor of 60 between solvers, and grow with the \
               square of the links for some and with the links for others",
    quick: true,
    cpu_only: Some("compares solvers of the CPU"),
    params: &[
        Param::count("links", 20, [8, 36], "links of the chain"),
        Param::number("omega", "", 1.3, [0.5, 1.45], "over-relaxation where it is not the best"),
    ],
    measure,
    figure: None,
};

/// Share by which the iterations for a digit may differ.
const TOLERANCE: f64 = 0.02;
/// Rest length of a link (m). Short, since positions are the rounder the longer the chain is.
const REST: f64 = 0.01;
/// Largest strain at the start.
const STRAIN: f64 = 0.3;
/// Digits lost before the first look, which rids the error of what falls faster, and between that
/// and the second. Few enough for single precision.
const LOOKS: [f64; 2] = [2.0, 2.0];
/// How far from 1 to the best ω over-relaxation is measured. At the best one two eigenvalues meet,
/// and the error falls like (a + bk) λᵏ: no share that could be measured in few iterations.
const NEARLY: f64 = 0.9;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (n, omega) = (params.count("links"), params.get("omega"));
    let links = f64::from(n);
    let mu = libm::cos(PI / (links + 1.0));
    let best = 2.0 / (1.0 + (1.0 - mu * mu).sqrt());
    let near = 1.0 + NEARLY * (best - 1.0);
    let split = |omega: f64| 1.0 - omega * libm::sin(PI / (2.0 * links)).powi(2);
    let rho = split(1.0);
    let cases = [
        Case::new("in order", Solver::InOrder, 1.0, mu * mu),
        Case::new("by colour", Solver::Colored, 1.0, mu * mu),
        Case::new("in order, relaxed", Solver::InOrder, omega, relaxed(omega, mu)),
        Case::new("by colour, relaxed", Solver::Colored, omega, relaxed(omega, mu)),
        Case::new("in order, nearly the best omega", Solver::InOrder, near, relaxed(near, mu)),
        Case { halves: true, ..Case::new("jacobi", Solver::Jacobi, 1.0, rho) },
        Case { halves: true, ..Case::new("jacobi, relaxed", Solver::Jacobi, omega, split(omega)) },
        Case {
            halves: true,
            radius: rho,
            ..Case::new("chebyshev", Solver::Chebyshev, 1.0, rho / (1.0 + (1.0 - rho * rho).sqrt()))
        },
    ];
    cases.iter().map(|case| case.measure(n)).collect()
}

/// The larger root λ of (λ + ω − 1)² = λω²μ², where it is real; else its size ω − 1.
fn relaxed(omega: f64, mu: f64) -> f64 {
    let under = omega * omega * mu * mu - 4.0 * (omega - 1.0);
    if under > 0.0 { ((omega * mu + under.sqrt()) / 2.0).powi(2) } else { omega - 1.0 }
}

struct Case {
    name: &'static str,
    solver: Solver,
    omega: f64,
    /// Share of the error that an iteration leaves.
    share: f64,
    /// Whether the beads at the ends weigh half.
    halves: bool,
    /// The spectral radius that Chebyshev assumes.
    radius: f64,
}

impl Case {
    fn new(name: &'static str, solver: Solver, omega: f64, share: f64) -> Self {
        Self { name, solver, omega, share, halves: false, radius: 0.0 }
    }

    fn measure(&self, n: u32) -> Result<Measured, LawError> {
        let per_digit = LN_10 / -libm::log(self.share);
        let [first, apart] = LOOKS.map(|digits| (digits * per_digit).ceil() as u32);
        let fall = self.residual(n, first)? / self.residual(n, first + apart)?;
        let measured = f64::from(apart) * LN_10 / libm::log(fall);
        let what = format!("iterations for a digit, {}", self.name);
        Ok(Measured::new(what, "", [measured, per_digit], Tolerance::Relative(TOLERANCE)))
    }

    /// The root mean square strain that is left after some iterations (m).
    fn residual(&self, n: u32, iterations: u32) -> Result<f64, LawError> {
        let (solver, precision) = (self.solver, Precision::Carried);
        let (omega, spectral_radius) = (self.omega as f32, self.radius as f32);
        let config = Config { solver, omega, spectral_radius, precision, ..config(1, iterations) };
        let mut world = string(config, &self.beads(n))?;
        world.particles.unpin(0);
        step(&mut world, super::rig::FRAME as f32)?;
        let links = world.constraints_of(&distance::KIND);
        Ok(links.map_or(f64::NAN, |links| world.residual(links)))
    }

    /// A chain along x with its middle at the origin, strained most in the middle.
    fn beads(&self, n: u32) -> Vec<Bead> {
        let strain = |i: u32| STRAIN * libm::sin(PI * (f64::from(i) - 0.5) / f64::from(n));
        let lengths: Vec<f64> = (1..=n).map(|i| REST * (1.0 + strain(i))).collect();
        let mut x = -lengths.iter().sum::<f64>() / 2.0;
        let mass = |i: u32| if self.halves && (i == 0 || i == n) { 0.5 } else { 1.0 };
        let bead = |(i, length): (u32, f64)| {
            x += length;
            Bead { x: DVec3::X * x, mass: mass(i), rest: REST, hold: Hold::RIGID }
        };
        (0..=n).zip([0.0].into_iter().chain(lengths)).map(bead).collect()
    }
}
