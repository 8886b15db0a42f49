//! A heavy weight on a light chain: substeps against iterations.

use glam::DVec3;

use super::chain::hanging;
use super::rig::{FRAME, average, config, down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::world::Config;

/// For the same work, substeps stretch a chain with a heavy end about as many times less than
/// iterations as there are of them.
///
/// ```text
/// stretch = (n − 1) M g h²/m + ½ (n − 1)(n − 2) g h²      one iteration, from top to bottom
/// ```
///
/// Macklin et al. 2019, section 5: 322.1 m for 100 iterations against 3.2 m for 100 substeps, a
/// ratio of 100.7, with a parallel solver. The sizes depend on the order of the links, the ratio
/// hardly.
pub const LAW: &Law = &Law {
    name: "mass_ratio",
    covers: &["P13"],
    setup: "the same chain with 100 000 times the mass at its end: substeps against iterations",
    claim: "substeps stretch a chain with a heavy end a hundred times less than as many iterations",
    source: "Macklin et al. 2019, section 5, with the stretch derived for top to bottom",
    tolerance: "what is left of its swing when it is read, after two periods with damping",
    accident: "both runs do the same number of link solves; a solver that loses the multiplier, or \
               substeps that are iterations in disguise, have a ratio near 1",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(10.0),
        Param::count("links", 19, [2, 40], "links; as many beads hang"),
        Param::number("mass", "kg", 1.0, [0.01, 100.0], "mass of every bead but the lowest"),
        Param::number("ratio", "", 1e5, [1e3, 1e6], "mass of the lowest bead over that of another"),
        Param::number("link", "m", 0.01, [0.001, 0.012], "length of a link"),
        Param::count("rounds", 100, [20, 200], "substeps in one run, iterations in the other"),
    ],
    measure,
    figure: None,
};

/// The share of `rounds` that the ratio must reach.
const SHARE: f64 = 0.9;
/// Share by which the stretch with substeps may differ from the formula.
const TOLERANCE: f64 = 5e-3;
/// How many times the weight's own period the run waits.
const PERIODS: f64 = 2.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, rounds) = (params.get("gravity"), params.count("rounds"));
    let n = f64::from(params.count("links"));
    let h = FRAME / f64::from(rounds);
    let hanging_below = (n - 1.0) * params.get("ratio") + 0.5 * (n - 1.0) * (n - 2.0);
    let expected = hanging_below * g * h * h;
    // Iterations shrink the stretch of one iteration about as many times.
    let by_iterations = expected * f64::from(rounds);
    let substeps = stretch(params, [rounds, 1], expected)?;
    let iterations = stretch(params, [1, rounds], by_iterations)?;
    let what = format!("stretch, {rounds} substeps");
    let row = Measured::new(what, "m", [substeps, expected], Tolerance::Relative(TOLERANCE));
    let what = format!("stretch with {rounds} iterations over stretch with {rounds} substeps");
    let numbers = [iterations / substeps, SHARE * f64::from(rounds)];
    Ok(vec![row, Measured::new(what, "", numbers, Tolerance::AtLeast)])
}

/// How far the chain is stretched once it hangs still (m). About `expected`: the weight swings on
/// it as on a spring, ω² = g/stretch, and is braked accordingly.
fn stretch(params: &Params, rounds: [u32; 2], expected: f64) -> Result<f64, LawError> {
    let [substeps, iterations] = rounds;
    let g = params.get("gravity");
    let omega = (g / expected).sqrt();
    let damping = (2.0 * omega) as f32; // critical
    let config = Config { gravity: down(g), damping, ..config(substeps, iterations) };
    let (links, weight) = (params.count("links"), params.get("mass") * params.get("ratio"));
    // The weight comes to rest near the origin, where single precision is finest.
    let rest = f64::from(links) * params.get("link");
    let top = rest + expected;
    let mut world = hanging(params, config, weight, DVec3::Y * top)?;
    let seconds = PERIODS * std::f64::consts::TAU / omega;
    run(&mut world, (seconds / FRAME).ceil() as u32)?;
    // An average over a few frames takes out the trembling of the last bit.
    average(&mut world, 10, |world| expected - position(world, links as usize).y)
}
