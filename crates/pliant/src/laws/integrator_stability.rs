//! The largest step that an integrator bears.

use super::oscillator::Oscillator;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::integrate::{ALL, Integrator};

/// Without damping, an oscillator of frequency ω stays bounded up to a known ωh and grows beyond:
/// 2 for symplectic Euler and Verlet, 2√2 for RK4, any for implicit Euler, none for explicit Euler
/// and RK2.
///
/// Hairer and Wanner 1996, section IV.2: the limit is where the largest eigenvalue of one step, which
/// [`super::integrator_recurrence`] has as a matrix, leaves the unit circle.
pub const LAW: &Law = &Law {
    name: "integrator_stability",
    covers: &["P7"],
    setup: "an undamped oscillator, moved by every integrator; the step is bisected until it grows",
    claim: "every integrator stays bounded up to its limit of ωh and grows beyond, within 1 %",
    source: "Hairer and Wanner 1996, section IV.2, eigenvalues of the step of an undamped oscillator",
    tolerance: "growth is judged after finitely many steps, which blurs the limit by less than 1 %",
    accident: "the limit is searched from both sides; a method that damps too much is stable \
               beyond, one that lags by a step is not stable below",
    quick: true,
    cpu_only: Some("integrators run on the CPU"),
    params: &[
        Param::number("stiffness", "N/m", 100.0, [10.0, 1000.0], "of the spring; the mass is 1 kg"),
        Param::count("steps", 4000, [2000, 20_000], "in which a growth must show"),
    ],
    measure,
    figure: None,
};

/// Offset over that at the start from which on the motion counts as growing. Symplectic Euler, just
/// below its limit, swings out 7 times as far as it started.
const GROWN: f64 = 30.0;
/// Steps ωh at which methods without a limit are tried.
const NEVER: [f64; 2] = [0.3, 1.0];
const ALWAYS: [f64; 3] = [1.0, 30.0, 1000.0];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for integrator in ALL {
        let growth = |omega_h| growth(params, integrator, omega_h);
        let mut push = |what: String, numbers, tolerance| {
            measured.push(Measured::new(what, "", numbers, tolerance));
        };
        let name = integrator.name;
        match integrator.stable_below {
            limit if limit.is_infinite() => ALWAYS.iter().for_each(|&omega_h| {
                let what = format!("farthest offset over the first, {name}, ωh = {omega_h}");
                push(what, [growth(omega_h), 1.0], Tolerance::AtMost);
            }),
            limit if limit > 0.0 => {
                for (side, share) in [("below", 0.99), ("above", 1.01)] {
                    let what =
                        format!("farthest offset over the first, {name}, 1 % {side} {limit}");
                    let tolerance =
                        if share < 1.0 { Tolerance::AtMost } else { Tolerance::AtLeast };
                    push(what, [growth(share * limit), GROWN], tolerance);
                }
                let found = search(&growth);
                push(format!("limit of ωh, {name}"), [found, limit], Tolerance::Relative(0.01));
            }
            _ => NEVER.iter().for_each(|&omega_h| {
                let what = format!("farthest offset over the first, {name}, ωh = {omega_h}");
                push(what, [growth(omega_h), GROWN], Tolerance::AtLeast);
            }),
        }
    }
    Ok(measured)
}

/// Where the motion begins to grow, between ωh = 1 and 4.
fn search(growth: &impl Fn(f64) -> f64) -> f64 {
    let (mut stable, mut grows) = (1.0, 4.0);
    for _ in 0..12 {
        let middle = (stable + grows) / 2.0;
        if growth(middle) < GROWN { stable = middle } else { grows = middle }
    }
    (stable + grows) / 2.0
}

/// The farthest offset over the first. The spring is never compressed, so that it stays linear.
fn growth(params: &Params, integrator: &Integrator, omega_h: f64) -> f64 {
    let (stiffness, offset) = (params.get("stiffness"), 1e-3);
    let oscillator = Oscillator {
        mass: 1.0,
        stiffness,
        damping: 0.0,
        rest: 1.0,
        gravity: 0.0,
        start: 1.0 + offset,
    };
    let steps = params.count("steps");
    let states = oscillator.run(integrator, omega_h / oscillator.omega(), steps);
    let farthest = states.iter().map(|state| state[0].abs()).take_while(|y| *y < 0.9);
    let escaped = states.iter().any(|state| state[0].abs() >= 0.9 || state[0].is_nan());
    if escaped { f64::INFINITY } else { farthest.fold(0.0, f64::max) / offset }
}
