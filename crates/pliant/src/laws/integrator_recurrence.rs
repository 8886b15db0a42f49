//! What every integrator makes of a spring.

use super::oscillator::Oscillator;
use super::rig::{departure, larger};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::integrate::{ALL, Integrator};

/// One step of an integrator on a linear oscillator is a fixed matrix, applied again and again.
///
/// ```text
/// (y, v) ← R (y, v),    A = (0 1; −ω² −γ)
/// explicit Euler  R = 1 + hA                   RK2  R = 1 + hA + h²A²/2
/// implicit Euler  R = (1 − hA)⁻¹               RK4  R = 1 + hA + h²A²/2 + h³A³/6 + h⁴A⁴/24
/// symplectic Euler and Verlet: the matrices of their formulas
/// ```
///
/// Hairer and Wanner 1996, section IV.2, for the stability functions; the cases are those by which SOFA
/// checks its integrators.
pub const LAW: &Law = &Law {
    name: "integrator_recurrence",
    covers: &["P6"],
    setup: "a mass on a spring with and without a dashpot, moved by every integrator",
    claim: "every integrator moves a damped spring by the matrix of its method",
    source: "Hairer and Wanner 1996, stability functions of Runge-Kutta methods; formulas of the others",
    tolerance: "rounding: 1e-14 for a step, 1e-12 for the way, 1e-5 in the engine",
    accident: "six methods, three springs, four dashpots: the matrices differ in the first steps \
               already, and every step is compared",
    quick: true,
    cpu_only: Some("integrators run on the CPU"),
    params: &[
        Param::gravity(10.0),
        Param::number(
            "stiffness",
            "N/m",
            100.0,
            [50.0, 500.0],
            "of the springs; the second has ×10",
        ),
        Param::number("seconds", "s", 2.0, [0.1, 2.0], "how long it moves, in double precision"),
        Param::count("steps_single", 50, [1, 100], "steps compared in single precision"),
    ],
    measure,
    figure: None,
};

/// Stiffness over that of the first (1), mass (kg) and step (s) of each case.
const CASES: [[f64; 3]; 3] = [[1.0, 10.0, 0.01], [10.0, 10.0, 0.1], [1.0, 100.0, 0.001]];
/// γh of the dashpots.
const DASHPOTS: [f64; 2] = [0.0, 0.1];
/// Share of the longest spring by which one step in double precision may differ: positions are
/// what is rounded.
const STEP: f64 = 1e-14;
/// Share of the largest offset after up to 2000 steps: 1e-16 · steps^(3/2), as for one spring.
const DOUBLE: f64 = super::spring::DOUBLE;
/// Offset by which the engine may differ (m): the spacing of `f32` at 2 m, 2e-7, in every step.
const SINGLE: f64 = 1e-5;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for integrator in ALL {
        for [factor, mass, h] in CASES {
            for dashpot in DASHPOTS {
                let oscillator = Oscillator {
                    mass,
                    stiffness: params.get("stiffness") * factor,
                    damping: dashpot * mass / h,
                    rest: 1.0,
                    gravity: params.get("gravity"),
                    start: 1.0,
                };
                let at = format!("{}, {mass} kg, h = {h} s, γh = {dashpot}", integrator.name);
                measured.extend(compare(params, integrator, (oscillator, h), &at)?);
            }
        }
    }
    Ok(measured)
}

fn compare(
    params: &Params,
    integrator: &'static Integrator,
    (oscillator, h): (Oscillator, f64),
    at: &str,
) -> Result<Vec<Measured>, LawError> {
    let steps = (params.get("seconds") / h).round() as u32;
    let matrix = matrix(integrator.name, &oscillator, h);
    let start = [oscillator.start - oscillator.level(), 0.0];
    let expected = recurrence(&oscillator, matrix, start, steps);
    let steps = expected.len();
    let found = oscillator.run(integrator, h, steps as u32);
    let largest = expected.iter().fold(0.0f64, |most, y| most.max(y.abs()));

    // Each step by itself, from where the integrator was: nothing adds up.
    let before = std::iter::once(&start).chain(&found);
    let off = before.zip(&found).map(|(&before, after)| {
        let [y, v] = apply(matrix, before);
        (y - after[0]).abs().max((v - after[1]).abs() / oscillator.omega())
    });
    let what = format!("largest departure of a step over the longest spring, {at}");
    let longest = oscillator.level() + largest;
    let numbers = [off.fold(0.0, larger) / longest, 0.0];
    let mut measured = vec![Measured::new(what, "", numbers, Tolerance::Absolute(STEP))];

    // All steps up to the middle: the rounding of each moves all that follow.
    let middle = steps / 2;
    let what = format!("offset after {} steps, {at}", middle + 1);
    let numbers = [found[middle][0], expected[middle]];
    measured.push(Measured::new(what, "m", numbers, Tolerance::Absolute(DOUBLE * largest)));

    let single = steps.min(params.count("steps_single") as usize);
    let engine = oscillator.in_engine(integrator, h, single as u32)?;
    let off = departure(&engine, &expected[..single]);
    let what = format!("largest departure, engine, {at}");
    measured.push(Measured::new(what, "m", [off, 0.0], Tolerance::Absolute(SINGLE)));
    Ok(measured)
}

fn apply(matrix: [[f64; 2]; 2], [y, v]: [f64; 2]) -> [f64; 2] {
    matrix.map(|[a, b]| a * y + b * v)
}

/// The offsets by the matrix of a method, as long as the spring keeps its direction.
fn recurrence(
    oscillator: &Oscillator,
    matrix: [[f64; 2]; 2],
    mut state: [f64; 2],
    steps: u32,
) -> Vec<f64> {
    let next = |_| {
        state = apply(matrix, state);
        state[0]
    };
    let straight = |y: &f64| oscillator.level() + y > 0.1 * oscillator.rest;
    (0..steps).map(next).take_while(straight).collect()
}

/// Rows of R, for a step of h (s).
fn matrix(method: &str, oscillator: &Oscillator, h: f64) -> [[f64; 2]; 2] {
    let (omega2, gamma) = (oscillator.omega().powi(2), oscillator.damping / oscillator.mass);
    let a = [[0.0, h], [-omega2 * h, -gamma * h]];
    let times = |m: [[f64; 2]; 2]| {
        a.map(|row| [0, 1].map(|column| row[0] * m[0][column] + row[1] * m[1][column]))
    };
    let sum = |terms: &[(f64, [[f64; 2]; 2])]| {
        [0, 1].map(|i| [0, 1].map(|j| terms.iter().map(|(k, m)| k * m[i][j]).sum::<f64>()))
    };
    let one = [[1.0, 0.0], [0.0, 1.0]];
    let (a2, a3) = (times(a), times(times(a)));
    let [w2, g] = [omega2 * h * h, gamma * h];
    match method {
        "explicit_euler" => sum(&[(1.0, one), (1.0, a)]),
        "rk2" => sum(&[(1.0, one), (1.0, a), (0.5, a2)]),
        "rk4" => sum(&[(1.0, one), (1.0, a), (0.5, a2), (1.0 / 6.0, a3), (1.0 / 24.0, times(a3))]),
        "implicit_euler" => {
            let determinant = 1.0 + g + w2;
            [[1.0 + g, h], [-omega2 * h, 1.0]].map(|row| row.map(|entry| entry / determinant))
        }
        "symplectic_euler" => [[1.0 - w2, h * (1.0 - g)], [-omega2 * h, 1.0 - g]],
        "verlet" => {
            // a₁ = −ω² x₁ − γ (v₀ + h a₀), with the rows of a₀ and x₁
            let (a0, x1) = ([-omega2, -gamma], [1.0 - w2 / 2.0, h * (1.0 - g / 2.0)]);
            let a1 = [0, 1]
                .map(|j| -omega2 * x1[j] - gamma * (h * a0[j] + if j == 1 { 1.0 } else { 0.0 }));
            [x1, [0, 1].map(|j| h / 2.0 * (a0[j] + a1[j]) + if j == 1 { 1.0 } else { 0.0 })]
        }
        _ => [[f64::NAN; 2]; 2],
    }
}
