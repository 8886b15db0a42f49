//! Every solver comes to what statics says.

use glam::DVec3;

use super::rig::{Bead, average, config, down, position, run, string};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::solver;
use crate::world::{Config, Precision};

/// A hanging chain of springs stretches as statics says, whatever solver it is solved by and
/// however that is relaxed.
///
/// ```text
/// stretch = m g n (n + 1) / 2k
/// ```
///
/// All solvers keep x = x* + W ∇Cᵀ λ and end where C + α̃λ = 0 (Macklin et al. 2016, eq. 8 and 9), so
/// they end in the same place.
pub const LAW: &Law = &Law {
    name: "same_solution",
    covers: &["P14"],
    setup: "a hanging chain of springs, solved by every solver, relaxed or not",
    claim: "every solver, relaxed or not, comes to the stretch m g n (n + 1) / 2k of n springs",
    source: "statics; the fixed point is that of Macklin et al. 2016",
    tolerance: "single precision of the links; the formula is exact",
    accident: "a solver that scales positions and multipliers differently rests elsewhere, most of \
               all at the ends of the chain, where beads have one link instead of two",
    quick: true,
    cpu_only: Some("compares solvers of the CPU"),
    params: &[
        Param::gravity(9.81),
        Param::count("links", 8, [2, 12], "springs; as many beads hang"),
        Param::number("mass", "kg", 0.1, [0.05, 1.0], "mass of a bead"),
        Param::number("stiffness", "N/m", 1e4, [1e3, 2e4], "stiffness of a spring"),
        Param::number("omega", "", 0.8, [0.5, 1.5], "relaxation, beside none"),
    ],
    measure,
    figure: None,
};

/// Solver iterations: several digits for the slowest.
const ITERATIONS: u32 = 200;
/// Share by which the stretch may differ.
const TOLERANCE: f64 = 5e-3;
/// Rest length of a spring (m).
const REST: f64 = 0.05;
/// Substeps of a frame.
const SUBSTEPS: u32 = 10;
/// Frames to settle, and to average over.
const FRAMES: [u32; 2] = [60, 10];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, n) = (params.get("gravity"), params.count("links"));
    let (mass, k, links) = (params.get("mass"), params.get("stiffness"), f64::from(n));
    let expected = mass * g * links * (links + 1.0) / (2.0 * k);
    let mut beads = vec![Bead::first(DVec3::ZERO)];
    for i in 1..=n {
        let x = DVec3::Y * (-REST * f64::from(i));
        beads.push(Bead { x, mass, rest: REST, hold: Hold::spring(k as f32) });
    }
    // Twice the lowest frequency, π/(2n) √(k/m), lets it creep to rest without swinging.
    let damping = (std::f64::consts::PI / links * (k / mass).sqrt()) as f32;
    let mut rows = Vec::new();
    for way in solver::ALL {
        for omega in [1.0, params.get("omega")] {
            let (gravity, solver) = (down(g), way.solver);
            // What rounding does to plain positions grows with the iterations, and is not the
            // solver's.
            let precision = Precision::Carried;
            let config = Config { gravity, damping, precision, ..config(SUBSTEPS, ITERATIONS) };
            let config = Config { solver, omega: omega as f32, ..config };
            let mut world = string(config, &beads)?;
            run(&mut world, FRAMES[0])?;
            let stretch =
                average(&mut world, FRAMES[1], |w| -position(w, n as usize).y - links * REST)?;
            let what = format!("stretch, {}, omega {omega}", way.name);
            let tolerance = Tolerance::Relative(TOLERANCE);
            rows.push(Measured::new(what, "m", [stretch, expected], tolerance));
        }
    }
    Ok(rows)
}
