//! Weights on springs.

use glam::DVec3;

use super::rig::{Bead, FRAME, average, config, down, length, run, string, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::world::Config;

/// A spring stretches by α m g, whatever substeps and iterations, also when a light weight carries
/// a heavy one.
///
/// ```text
/// lower spring: α M g      upper spring: α (m + M) g + M g h²/m      one iteration, upper first
/// ```
///
/// The last term is what one iteration leaves: the upper spring is solved, then the lower one
/// pulls the light weight down. Müller et al. 2020, figures 4 and 6; they see "a small error" there.
pub const LAW: &Law = &Law {
    name: "elongation",
    covers: &["P17"],
    setup: "weights on springs, one below the other, of 1 g and 1 kg",
    claim: "a spring stretches by its compliance times what it carries, also at a mass ratio of \
            1000",
    source: "Müller et al. 2020, figures 4 and 6, with the error of one iteration derived",
    tolerance: "what is left of the swing of the light weight when it is read",
    accident: "stretches over two decades, at several substeps and iterations; under PBD they would \
               depend on both, and the small weight would vanish beside the large one",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(10.0),
        Param::number("compliance", "m/N", 0.01, [3e-3, 0.02], "of the soft springs"),
        Param::number("mass", "kg", 1.0, [0.3, 2.0], "heavy weight; the others are 1/8 and 1/1000"),
        Param::count("substeps", 20, [10, 100], "substeps of a frame of 1/60 s"),
        Param::number("damping", "1/s", 10.0, [4.0, 20.0], "rate at which motion dies away"),
    ],
    measure,
    figure: None,
};

/// Share by which a stretch may differ.
const TOLERANCE: f64 = 5e-3;
/// The same in metres, for stretches of nothing: rounding, at 1 m from the nail.
const ROUNDING: f64 = 1e-6;
/// Rest length of a spring (m).
const REST: f64 = 0.05;
/// Frames to settle, and to average over.
const FRAMES: [u32; 2] = [240, 30];
/// Iterations after which two soft springs are solved, at a mass ratio of 1000.
const CONVERGED: u32 = 20;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = single_weights(params)?;
    let alpha = params.get("compliance");
    for compliance in [alpha, alpha / 10.0, 0.0] {
        measured.extend(two_weights(params, compliance)?);
    }
    Ok(measured)
}

/// One weight on one spring: the worst of several substeps and iterations.
fn single_weights(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, compliance) = (params.get("gravity"), params.get("compliance"));
    let mut measured = Vec::new();
    for mass in [1.0, 0.125].map(|share| share * params.get("mass")) {
        let mut rows = Vec::new();
        for rounds in [[1, 1], [1, 10], [5, 1], [20, 1], [20, 10], [40, 1]] {
            let [stretch] = stretches(params, compliance, rounds, [mass])?;
            let [substeps, iterations] = rounds;
            let what = format!("stretch by {mass} kg, {substeps} substeps × {iterations}");
            let numbers = [stretch, compliance * mass * g];
            rows.push(Measured::new(what, "m", numbers, Tolerance::Relative(TOLERANCE)));
        }
        measured.extend(worst(rows));
    }
    Ok(measured)
}

/// The heavy weight on a spring below the light one.
fn two_weights(params: &Params, compliance: f64) -> Result<Vec<Measured>, LawError> {
    let (g, substeps) = (params.get("gravity"), params.count("substeps"));
    let heavy = params.get("mass");
    let light = heavy / 1000.0;
    let h = FRAME / f64::from(substeps);
    let carried = [compliance * (light + heavy) * g, compliance * heavy * g];
    let left = heavy * g * h * h / light;
    let rows = |iterations: u32, expected: [f64; 2]| -> Result<Vec<Measured>, LawError> {
        let found = stretches(params, compliance, [substeps, iterations], [light, heavy])?;
        let row = |i: usize| {
            let what = format!(
                "{} spring, {compliance} m/N, {substeps} substeps × {iterations}",
                ["upper", "lower"][i]
            );
            let tolerance = match expected[i] {
                0.0 => Tolerance::Absolute(ROUNDING),
                _ => Tolerance::Relative(TOLERANCE),
            };
            Measured::new(what, "m", [found[i], expected[i]], tolerance)
        };
        Ok(vec![row(0), row(1)])
    };
    let mut measured = rows(1, [carried[0] + left, carried[1]])?;
    // Rigid springs at this mass ratio would take thousands of iterations.
    if compliance > 0.0 {
        measured.extend(rows(CONVERGED, carried)?);
    }
    Ok(measured)
}

/// How far each spring of a string of weights is stretched once it hangs still (m).
fn stretches<const N: usize>(
    params: &Params,
    compliance: f64,
    [substeps, iterations]: [u32; 2],
    masses: [f64; N],
) -> Result<[f64; N], LawError> {
    let hold = Hold { compliance: compliance as f32, ..Hold::RIGID };
    // The lowest weight comes to rest near the origin, where single precision is finest.
    let carried: f64 = (0..N).map(|i| masses[i..].iter().sum::<f64>()).sum();
    let top = DVec3::Y * (REST * N as f64 + compliance * carried * params.get("gravity"));
    let mut beads = vec![Bead::first(top)];
    for (i, mass) in masses.into_iter().enumerate() {
        let x = top - DVec3::Y * (REST * (i + 1) as f64);
        beads.push(Bead { x, mass, rest: REST, hold });
    }
    let gravity = down(params.get("gravity"));
    let damping = params.get("damping") as f32;
    let mut world = string(Config { gravity, damping, ..config(substeps, iterations) }, &beads)?;
    run(&mut world, FRAMES[0])?;
    let mut found = [0.0; N];
    for (i, found) in found.iter_mut().enumerate() {
        *found = average(&mut world, FRAMES[1], |world| length(world, i) - REST)?;
    }
    Ok(found)
}
