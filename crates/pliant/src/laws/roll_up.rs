//! A moment at the end of a beam.

use std::f64::consts::TAU;

use glam::DVec3;

use super::rig::beam::{Beam, Bench, Made};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};

/// A beam under a moment at its end becomes an arc, and a full circle at M = 2πEI/L.
///
/// ```text
/// κ = M/EI,   along = sin(κL)/κ,   across = (1 − cos κL)/κ
/// ```
///
/// Sze et al. 2004, section 3.2. The moment is a pair of forces on the last cell that turns with it.
pub const LAW: &Law = &Law {
    name: "roll_up",
    covers: &["P24"],
    setup: "a rod and a strip of triangles, clamped at one end; a pair of forces turns the last cell; \
            two moments, two meshes",
    claim: "a moment rolls a beam up: into an arc of curvature M/EI, and into a circle at 2πEI/L",
    source: "Euler; Sze et al. 2004, section 3.2",
    tolerance: "3 %, as is asked of shells there: a bend of 15° pulls by its sine, 1.1 % less than by its \
                angle, and in a step the last cell turns by a part of that",
    accident: "the end goes around once and back to the clamp: a stiffness that is off by 5 % misses \
               it by a twentieth of the length",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("turns", "", 1.0, [0.25, 1.0], "the larger of two moments, in circles"),
        Param::number("length", "m", 12.0, [0.1, 12.0], "of the beam"),
        Param::number("rigidity", "N·m²", 100.0, [1.0, 1000.0], "moment per curvature EI"),
        Param::count("iterations", 10, [10, 100], "solver iterations of a step"),
    ],
    measure,
    figure: Some(figure),
};

/// Shares of the largest moment.
const MOMENTS: [f64; 2] = [1.0, 0.5];
/// What it is made of, free cells, and time step as a share of the usual one.
const WAYS: [(Made, u32, f64); 3] =
    [(Made::Rod, 24, 0.25), (Made::Rod, 32, 0.25), (Made::Strip, 16, 0.25)];
/// Share of the length by which the end may be off.
const TOLERANCE: f64 = 0.03;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for turns in MOMENTS.map(|share| share * params.get("turns")) {
        let law = arc(turns, 1.0);
        for way in WAYS {
            let (made, cells, _) = way;
            let shape = rolled(params, turns, way)?;
            let end = shape[shape.len() - 1];
            let named =
                |what| format!("end {what} the clamp, {turns} turns, {made:?} of {cells} cells");
            let tolerance = Tolerance::Absolute(TOLERANCE);
            measured.push(Measured::new(named("along"), "L", [end[0], law[0]], tolerance));
            measured.push(Measured::new(named("across"), "L", [end[1], law[1]], tolerance));
        }
    }
    Ok(measured)
}

/// Where the arc is after the share `s` of a beam of length 1.
fn arc(turns: f64, s: f64) -> [f64; 2] {
    let curvature = TAU * turns;
    let angle = curvature * s;
    [libm::sin(angle) / curvature, (1.0 - libm::cos(angle)) / curvature]
}

/// The middles of all links, over the length, from the clamp on.
fn rolled(
    params: &Params,
    turns: f64,
    (made, cells, step): (Made, u32, f64),
) -> Result<Vec<[f64; 2]>, LawError> {
    let (length, rigidity) = (params.get("length"), params.get("rigidity"));
    let cell = length / f64::from(cells);
    let moment = TAU * turns * rigidity / length;
    let beam = Beam {
        made,
        cells,
        cell,
        rigidity,
        line_density: 1.0,
        load: moment / cell,
        iterations: params.count("iterations"),
        step,
    };
    let slowest = beam.slowest();
    let mut bench = beam.clamped(2.0 * slowest)?;
    // Slowly at first: a beam that is thrown around may end on its other side.
    let (mut time, growth) = (0.0, 10.0 / slowest);
    bench.run(28.0 / slowest, |bench| {
        time += bench.h;
        turn(bench, moment * (time / growth).min(1.0));
    })?;
    let middle = |k: usize| (bench.column(k) + bench.column(k + 1)) / (2.0 * length);
    Ok((0..cells as usize).rev().map(|k| [middle(k).x, middle(k).y]).collect())
}

/// Turns the last cell with `moment` (N·m), towards y.
fn turn(bench: &mut Bench, moment: f64) {
    let along = bench.column(0) - bench.column(1);
    let across = DVec3::Z.cross(along).normalize_or_zero();
    bench.world.forces.clear();
    let force = across * (moment / along.length());
    bench.pull(0, force);
    bench.pull(1, -force);
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let mut curves = Vec::new();
    for turns in [1.0, 0.75, 0.5, 0.25].map(|share| share * params.get("turns")) {
        let points = (0..=60).map(|i| arc(turns, f64::from(i) / 60.0)).collect();
        curves.push(Curve::line(format!("arc of {:.0}°", 360.0 * turns), points));
        let points = rolled(params, turns, (Made::Rod, 24, 0.25))?;
        curves.push(Curve::dots("rod of 24 links", points));
    }
    Ok(Figure {
        title: "A beam that is rolled up by a moment at its end".into(),
        axes: ["along, over the length".into(), "across, over the length".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}
