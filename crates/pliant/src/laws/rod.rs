//! A rod that sticks out of a wall.

use super::rig::beam::{Beam, Made, elastica};
use super::rig::down;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};

/// A rod that sticks out of a wall bends down as the heavy elastica does, however fine it is.
///
/// ```text
/// θ'' = −Γ (1 − s) cos θ,   θ(0) = 0,   θ'(1) = 0,   Γ = ρA g L³ / EI
/// ```
///
/// Compared is how far the tip is down over how far it is out. Romero et al. 2021, "Physical
/// Validation of Simulators in Computer Graphics".
pub const LAW: &Law = &Law {
    name: "rod",
    covers: &["P25"],
    setup: "a rod of links sticks out of a wall, four weights from nearly level to nearly hanging, two \
            meshes, two time steps",
    claim: "a rod out of a wall bends down as its stiffness says, however fine it is",
    source: "the heavy elastica, solved here; protocol of Romero et al. 2021",
    tolerance: "where nearly all of the bend is in two links, chords are shorter than their arc and one \
                step leaves some stretch: 3 % at 16 links, half of it at half the step",
    accident: "from nearly level to nearly hanging, on two meshes and at two time steps: stiffness \
               that follows the mesh, or that is not reached in the longer step, shows in one of them",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("length", "m", 0.3, [0.05, 2.0], "of the rod"),
        Param::number("line_density", "kg/m", 0.1, [0.01, 1.0], "mass per length"),
        Param::count("iterations", 10, [10, 100], "solver iterations of a step"),
    ],
    measure,
    figure: Some(figure),
};

/// Γ, from nearly level to nearly hanging.
const WEIGHTS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// Free links, and time step as a share of the usual one.
const WAYS: [(u32, f64); 3] = [(16, 1.0), (16, 0.5), (32, 0.5)];
/// Share by which tip-down over tip-out may differ.
const TOLERANCE: f64 = 0.05;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for weight in WEIGHTS {
        for (cells, step) in WAYS {
            let what = format!("droop at Γ = {weight}, {cells} links, step × {step}");
            let numbers = [droop(params, weight, (cells, step))?, expected(weight)];
            measured.push(Measured::new(what, "", numbers, Tolerance::Relative(TOLERANCE)));
        }
    }
    Ok(measured)
}

/// Tip-down over tip-out of the elastica.
pub(super) fn expected(weight: f64) -> f64 {
    let [out, down, _] =
        elastica(|s, theta| -weight * (1.0 - s) * libm::cos(theta), [0.0, weight.max(1.0)]);
    down / out
}

/// Tip-down over tip-out of the rod.
fn droop(params: &Params, weight: f64, (cells, step): (u32, f64)) -> Result<f64, LawError> {
    let [g, length, line_density] = ["gravity", "length", "line_density"].map(|p| params.get(p));
    let beam = Beam {
        made: Made::Rod,
        cells,
        cell: length / (f64::from(cells) + 0.5),
        rigidity: line_density * g * length.powi(3) / weight,
        line_density,
        load: line_density * g * length,
        iterations: params.count("iterations"),
        step,
    };
    // A slack rod swings as a pendulum.
    let slowest = beam.slowest().max((g / length).sqrt());
    let mut bench = beam.clamped(2.0 * slowest)?;
    bench.h = bench.h.min(step * 0.05 / slowest);
    bench.world.config.gravity = down(g);
    bench.run(12.0 / slowest, |_| ())?;
    let tip = bench.column(0);
    Ok(-tip.y / tip.x)
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let weights = |count: u32| {
        (0..=count).map(move |i| libm::exp10(f64::from(i) / f64::from(count) * 3.0 - 1.0))
    };
    let mut curves = vec![Curve::line("elastica", weights(60).map(|w| [w, expected(w)]).collect())];
    for cells in [16, 32] {
        let points = weights(9).map(|w| Ok([w, droop(params, w, (cells, 0.5))?]));
        let points = points.collect::<Result<_, LawError>>()?;
        curves.push(Curve::dots(format!("rod of {cells} links"), points));
    }
    Ok(Figure {
        title: "A rod out of a wall under its own weight".into(),
        axes: ["Γ = ρA g L³ / EI".into(), "tip down over tip out".into()],
        scales: [Scale::Log; 2],
        curves,
    })
}
