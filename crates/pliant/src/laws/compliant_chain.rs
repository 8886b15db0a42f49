//! A hanging chain of springs.

use glam::DVec3;

use super::rig::{Bead, average, config, down, position, run, string, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::solver::Solver;
use crate::world::Config;

/// A chain of springs stretches under its own weight as statics says, whatever the iterations.
///
/// ```text
/// stretch = m g n (n + 1) / 2k
/// ```
///
/// Spring i from the top carries n + 1 − i beads. Compliance is physical: more iterations are not
/// stiffer (Macklin et al. 2016).
pub const LAW: &Law = &Law {
    name: "compliant_chain",
    covers: &["P14"],
    setup: "a hanging chain of 20 springs, six numbers of iterations",
    claim: "a hanging chain of n springs stretches by m g n (n + 1) / 2k for any iterations",
    source: "statics; independence of iterations is the claim of Macklin et al. 2016",
    tolerance: "single precision of the links; the formula is exact",
    accident: "under PBD stiffness grows with the iterations, so 10 and 200 of them cannot agree; \
               the worst of six counts is shown",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::count("links", 20, [2, 40], "springs; as many beads hang"),
        Param::number("mass", "kg", 0.1, [0.05, 1.0], "mass of a bead"),
        Param::number("stiffness", "N/m", 1e4, [1e3, 2e4], "stiffness of a spring"),
        Param::count("substeps", 10, [10, 40], "substeps of a frame of 1/60 s"),
    ],
    measure,
    figure: None,
};

/// Solver iterations.
const ITERATIONS: [u32; 6] = [10, 20, 50, 100, 150, 200];
/// Share by which the stretch may differ.
const TOLERANCE: f64 = 5e-3;
/// Rest length of a spring (m).
const REST: f64 = 0.05;
/// Frames to settle, and to average over.
const FRAMES: [u32; 2] = [90, 10];

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
    for iterations in ITERATIONS {
        let config = config(params.count("substeps"), iterations);
        let solver = Solver::Colored; // the order does not matter once all is solved
        let mut world = string(Config { gravity: down(g), damping, solver, ..config }, &beads)?;
        run(&mut world, FRAMES[0])?;
        let stretch =
            average(&mut world, FRAMES[1], |w| -position(w, n as usize).y - links * REST)?;
        let what = format!("stretch, {iterations} iterations");
        let tolerance = Tolerance::Relative(TOLERANCE);
        rows.push(Measured::new(what, "m", [stretch, expected], tolerance));
    }
    let (first, last) = (rows[0].measured, rows[rows.len() - 1].measured);
    let what = format!("stretch, {} against {} iterations", ITERATIONS[5], ITERATIONS[0]);
    let same = Measured::new(what, "m", [last, first], Tolerance::Relative(TOLERANCE));
    Ok(worst(rows).into_iter().chain([same]).collect())
}
