//! What a pendulum loses.

use glam::DVec3;

use super::pendulum::{SUBSTEPS, SUBSTEPS_SINGLE, let_go};
use super::rig::{Double, FRAME, config, down, larger, position, run, string};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::world::{Config, Precision};

/// A pendulum on a rigid rod loses energy at a known rate, in proportion to the substep, and never
/// gains any.
///
/// ```text
/// dE/dt = −h T v²/l,    T = v²/l + g cos θ      E per mass, T the pull of the rod per mass
/// ```
///
/// The rod pulls along its direction at the end of a substep, which turns by 2φ over the two
/// substeps that the velocities before and after span: the work is −½ T l (1 − cos 2φ) with
/// φ = vh/l. So E is taken mid-substep, where the velocity is: ½v² + g (y − ½h v_y).
pub const LAW: &Law = &Law {
    name: "pendulum_energy",
    covers: &["P11"],
    setup: "the same pendulum for ten seconds, at two substeps",
    claim: "a pendulum loses energy in proportion to the substep, at a known rate, and gains none",
    source: "work of the rod, derived for a projection at the end of each substep; Müller et al. \
             2020 keep pendulums swinging with substeps",
    tolerance: "the derived loss leaves out terms of the next order in h",
    accident: "the loss is predicted, not bounded, and for two substeps; a solver that damps by a \
               fixed rate fails the halving, one that adds energy fails the rise",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("length", "m", 1.0, [0.1, 1.0], "length of the rod"),
        Param::number("angle", "°", 90.0, [20.0, 90.0], "angle at which it is let go"),
        Param::count("frames", 600, [60, 1200], "frames of 1/60 s that it swings"),
        Param::count("substeps", 100, [20, 200], SUBSTEPS),
        Param::count("substeps_single", 20, [10, 25], SUBSTEPS_SINGLE),
    ],
    measure,
    figure: None,
};

/// Share by which the loss may differ from the prediction, which leaves out terms of order h².
const TOLERANCE: f64 = 0.02;
/// How well halving the substep halves the loss.
const HALVING: f64 = 0.1;
/// Share of the energy by which rounding may raise it from one frame to the next.
const ROUNDING: [f64; 2] = [1e-9, 1e-4];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    let most = params.count("substeps");
    let halves = [most / 2, most].map(|substeps| in_double(params, substeps));
    measured.extend(judge(params, "f64", [most / 2, most], &halves));
    let most = params.count("substeps_single");
    for (name, precision, most) in [
        ("engine", Precision::Plain, most),
        ("engine, carried", Precision::Carried, params.count("substeps")),
    ] {
        let run = |substeps| in_engine(params, precision, substeps);
        let halves = [run(most / 2)?, run(most)?];
        measured.extend(judge(params, name, [most / 2, most], &halves));
    }
    Ok(measured)
}

/// Compares how much energy is left, frame by frame, for some substeps and for twice as many.
fn judge(
    params: &Params,
    precision: &str,
    substeps: [u32; 2],
    left: &[Vec<f64>; 2],
) -> Vec<Measured> {
    let rounding = ROUNDING[usize::from(precision != "f64")];
    let lost = [0, 1].map(|i| 1.0 - left[i][left[i].len() - 1]);
    let predicted = substeps.map(|substeps| predicted_loss(params, substeps));
    let mut measured = Vec::new();
    for (i, substeps) in substeps.into_iter().enumerate() {
        let what = format!("share lost, {precision}, {substeps} substeps");
        let numbers = [lost[i], predicted[i]];
        measured.push(Measured::new(what, "", numbers, Tolerance::Relative(TOLERANCE)));
        let rise = left[i].windows(2).map(|pair| pair[1] - pair[0]).fold(f64::MIN, larger);
        let what = format!("largest rise in a frame, {precision}, {substeps} substeps, of all");
        measured.push(Measured::new(what, "", [rise, rounding], Tolerance::AtMost));
    }
    let what = format!("loss over that of half the substep, {precision}");
    // 2 for small losses; a pendulum that has lost much loses less.
    let numbers = [lost[0] / lost[1], predicted[0] / predicted[1]];
    measured.push(Measured::new(what, "", numbers, Tolerance::Relative(HALVING)));
    measured
}

/// The share of the energy left after each frame, by the engine's rule in double precision.
fn in_double(params: &Params, substeps: u32) -> Vec<f64> {
    let h = FRAME / f64::from(substeps);
    let beads = let_go(params.get("length"), params.get("angle"));
    let mut double = Double::new(&beads, down(params.get("gravity")).as_dvec3());
    let mut frame = || {
        (0..substeps).for_each(|_| double.step(h, 1));
        energy(params, h, [double.position(1), double.velocity(1)])
    };
    let start = params.get("gravity") * beads[1].x.y;
    std::iter::once(1.0).chain((0..params.count("frames")).map(|_| frame() / start)).collect()
}

/// The same by the engine itself.
fn in_engine(params: &Params, precision: Precision, substeps: u32) -> Result<Vec<f64>, LawError> {
    let beads = let_go(params.get("length"), params.get("angle"));
    let gravity = down(params.get("gravity"));
    let mut world = string(Config { gravity, precision, ..config(substeps, 1) }, &beads)?;
    let start = params.get("gravity") * beads[1].x.y;
    let mut left = vec![1.0];
    for _ in 0..params.count("frames") {
        run(&mut world, 1)?;
        let (h, v) = (f64::from(world.substep()), world.particles.velocity(1).as_dvec3());
        left.push(energy(params, h, [position(&world, 1), v]) / start);
    }
    Ok(left)
}

/// Energy per mass (J/kg) of the bob, whose lowest point is the origin.
fn energy(params: &Params, h: f64, [x, v]: [DVec3; 2]) -> f64 {
    0.5 * v.length_squared() + params.get("gravity") * (x.y - 0.5 * h * v.y)
}

/// The share that the law says is lost: the equation of motion with the loss in it, integrated by
/// the classical Runge-Kutta method.
///
/// ```text
/// θ'' = −(g/l) sin θ − h ω (ω² + (g/l) cos θ)
/// ```
fn predicted_loss(params: &Params, substeps: u32) -> f64 {
    let h = FRAME / f64::from(substeps);
    let stiffness = params.get("gravity") / params.get("length");
    let slope = |[angle, omega]: [f64; 2]| {
        let loss = h * omega * (omega * omega + stiffness * libm::cos(angle));
        [omega, -stiffness * libm::sin(angle) - loss]
    };
    let height =
        |[angle, omega]: [f64; 2]| 0.5 * omega * omega + stiffness * (1.0 - libm::cos(angle));
    let start = [params.get("angle").to_radians(), 0.0];
    let mut state = start;
    // Ten parts of a frame: the error of the method is below 1e-8.
    let dt = FRAME / 10.0;
    for _ in 0..10 * params.count("frames") {
        let ahead = |by: f64, k: [f64; 2]| [state[0] + by * k[0], state[1] + by * k[1]];
        let k1 = slope(state);
        let k2 = slope(ahead(dt / 2.0, k1));
        let k3 = slope(ahead(dt / 2.0, k2));
        let k4 = slope(ahead(dt, k3));
        state = [0, 1].map(|i| state[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    1.0 - height(state) / height(start)
}
