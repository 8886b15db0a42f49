//! One spring without damping.

use super::rig::{Spring, departure, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};

/// A mass on a spring moves by the recurrence of backward Euler, whatever the iterations.
///
/// ```text
/// yₙ₊₁ = (2yₙ − yₙ₋₁) / (1 + ω²h²),    ω² = 1/(αm)
/// ```
///
/// A single constraint along a line is linear, so the first iteration solves it and later ones
/// change nothing. Macklin et al. 2016, section 4, with the recurrence derived from eq. 17 and 18.
pub const LAW: &Law = &Law {
    name: "spring",
    covers: &["P1"],
    setup: "one mass on one spring, let go; four time steps, three numbers of iterations, in \
            double precision and in the engine",
    claim: "one spring follows the backward Euler recurrence, the same for any number of iterations",
    source: "Macklin et al. 2016, eq. 17 and 18, solved for one linear constraint",
    tolerance: "rounding alone: 1e-12 of the offset in double precision, 1e-5 in single",
    accident: "every offset of the motion is compared, at four time steps whose amplitudes differ \
               by factors; wrong powers of h, m or α, or λ not kept, change all of them",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("mass", "kg", 1.0, [0.01, 100.0], "what hangs on the spring"),
        Param::number("compliance", "m/N", 1e-3, [1e-6, 1.0], "inverse stiffness"),
        Param::number("offset", "m", 0.5, [0.05, 0.9], "stretch at the start; rest length is 1 m"),
        Param::count("steps", 50, [1, 100], "steps compared in double precision"),
        Param::count("steps_single", 20, [1, 40], STEPS_SINGLE),
    ],
    measure,
    figure: None,
};

const STEPS_SINGLE: &str = "steps compared in single precision; rounding grows as their power 3/2";

/// Time steps (1/s); ωh goes from 0.5 to 0.005.
pub(super) const RATES: [f64; 4] = [60.0, 240.0, 1000.0, 6000.0];
/// Solver iterations.
pub(super) const ITERATIONS: [u32; 3] = [1, 5, 50];

/// Part of the offset by which double precision may differ: rounding, 1e-16 · steps^(3/2).
pub(super) const DOUBLE: f64 = 1e-12;
/// The same in single precision: 6e-8 · steps^(3/2).
pub(super) const SINGLE: f64 = 1e-5;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let base = Spring {
        mass: params.get("mass"),
        compliance: params.get("compliance"),
        damping: 0.0,
        offset: params.get("offset"),
        h: 0.0,
        iterations: 1,
        steps: params.count("steps"),
    };
    let mut measured = Vec::new();
    for rate in RATES {
        let spring = Spring { h: 1.0 / rate, ..base };
        measured.extend(compare(
            &spring,
            params.count("steps_single"),
            &format!("h = 1/{rate} s"),
        )?);
    }
    Ok(measured)
}

/// The offset after three steps, and the largest departure of all, over all iteration counts.
pub(super) fn compare(
    spring: &Spring,
    steps_single: u32,
    at: &str,
) -> Result<Vec<Measured>, LawError> {
    let expected = spring.recurrence();
    let third = 2.min(expected.len() - 1);
    let (mut thirds, mut double, mut single, mut spread) = (Vec::new(), vec![], vec![], vec![]);
    let mut first: Option<Vec<f64>> = None;
    for iterations in ITERATIONS {
        let spring = Spring { iterations, ..*spring };
        let off = |what: &str, by: f64, part: f64| {
            let tolerance = Tolerance::Absolute(part * spring.offset);
            let what = format!("{what}, {at}, {iterations} iterations");
            Measured::new(what, "m", [by, 0.0], tolerance)
        };
        let in_double = spring.in_double();
        let in_engine = Spring { steps: steps_single, ..spring }.in_engine()?;
        double.push(off("largest departure, f64", departure(&in_double, &expected), DOUBLE));
        single.push(off("largest departure, engine", departure(&in_engine, &expected), SINGLE));
        let numbers = [in_double[third], expected[third]];
        let tolerance = Tolerance::Absolute(DOUBLE * spring.offset);
        let what = format!("offset after {} steps, {at}", third + 1);
        thirds.push(Measured::new(what, "m", numbers, tolerance));
        let first = first.get_or_insert_with(|| in_engine.clone());
        spread.push(off("differs from 1 iteration", departure(first, &in_engine), SINGLE));
    }
    Ok([thirds, double, single, spread].into_iter().filter_map(worst).collect())
}
