//! What stiffness means under the PBD law.

use glam::DVec3;

use super::rig::stepper::step;
use super::rig::{Bead, config, length, string, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::lanes::V3;
use crate::step::project::{pbd, weighted_gradient};
use crate::world;

/// Under the PBD law a step leaves the share 1 − k of a constraint's error, whatever the
/// iterations; of coupled constraints it does not, which is why XPBD is the default.
///
/// ```text
/// k' = 1 − (1 − k)^(1/n)    ⇒    (1 − k')ⁿ = 1 − k
/// ```
///
/// Müller et al. 2007, section 3.3.
pub const LAW: &Law = &Law {
    name: "pbd_stiffness",
    covers: &["P3"],
    setup: "one stretched link under PBD, solved 1 to 100 times",
    claim: "n iterations of stiffness k leave the share 1 − k of one constraint's error, for any n",
    source: "Müller et al. 2007, section 3.3",
    tolerance: "rounding of single precision at a length of 1 m",
    accident: "without the n-th root, 2 iterations leave (1 − k)² and 100 nothing; the worst of \
               all n from 1 to the largest is shown",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("stiffness", "", 0.3, [0.05, 0.95], "share of the error that a step removes"),
        Param::number("offset", "m", 0.5, [0.1, 0.9], "error at the start; rest length is 1 m"),
        Param::count("iterations", 100, [1, 200], "largest number of iterations"),
    ],
    measure,
    figure: None,
};

/// Share by which what is left may differ. Rounding of positions in single precision is 6e-8 of
/// the error, once per iteration, and later iterations shrink it.
const ROUNDING: f64 = 1e-6;

/// Rest length of every link (m).
const REST: f64 = 1.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (k, offset) = (params.get("stiffness"), params.get("offset"));
    let largest = params.count("iterations");
    let (mut double, mut engine) = (Vec::new(), Vec::new());
    for n in 1..=largest {
        let row = |what: &str, left: f64| {
            let what = format!("share of the error left, {what}, {n} iterations");
            Measured::new(what, "", [left, 1.0 - k], Tolerance::Absolute(ROUNDING))
        };
        double.push(row("f64", left_in_double(k, offset, n)));
        engine.push(row("engine", left_in_engine(k, offset, [n, 1])?));
    }
    let mut measured: Vec<_> = [double, engine].into_iter().filter_map(worst).collect();
    if largest > 1 {
        let coupled = [1, largest].map(|n| left_in_engine(k, offset, [n, 2]));
        let [one, many] = coupled;
        let what = format!("difference of 1 and {largest} iterations, two coupled links");
        // Rounding times a hundred: coupled constraints must differ for a reason.
        let numbers = [(one? - many?).abs(), 100.0 * ROUNDING];
        measured.push(Measured::new(what, "", numbers, Tolerance::AtLeast));
    }
    Ok(measured)
}

/// The share left by the engine's rule in double precision.
fn left_in_double(k: f64, offset: f64, n: u32) -> f64 {
    let share = 1.0 - libm::pow(1.0 - k, 1.0 / f64::from(n));
    let (fixed, w) = (V3::from(DVec3::Y * -REST), [0.0, 1.0]);
    let mut x = V3::from(DVec3::Y * offset);
    for _ in 0..n {
        let mut grad = [V3::from(DVec3::ZERO); 2];
        let c = distance::KIND.eval(&[fixed, x], &[REST], &mut grad);
        x = x + grad[1] * (w[1] * pbd(c, weighted_gradient(grad, w), share));
    }
    x.y / offset
}

/// The share left in the first of `links` links, by the engine itself.
fn left_in_engine(k: f64, offset: f64, [n, links]: [u32; 2]) -> Result<f64, LawError> {
    let hold = Hold { stiffness: k as f32, ..Hold::RIGID };
    let mut beads = vec![Bead::first(DVec3::Y * -REST)];
    for i in 0..links {
        let x = DVec3::Y * (offset + f64::from(i) * (REST + offset));
        beads.push(Bead { x, mass: 1.0, rest: REST, hold });
    }
    let mut world = string(world::Config { method: world::Method::Pbd, ..config(1, n) }, &beads)?;
    step(&mut world, super::rig::FRAME as f32)?;
    Ok((length(&world, 0) - REST) / offset)
}
