//! How fast the error of an integrator shrinks with the step.

use super::oscillator::Oscillator;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::integrate::ALL;

/// Halving the step divides the error of an integrator by 2 to the power of its order: 1, 1, 2, 2,
/// 4 and 1 in the order of [`ALL`].
///
/// ```text
/// slope = log₂ (error(h) / error(h/2)),    error = √(Δy² + (Δy'/ω)²)
/// ```
///
/// Offset and speed count together, since each alone has moments at which it is exact by accident.
pub const LAW: &Law = &Law {
    name: "integrator_order",
    covers: &["P7"],
    setup: "a damped oscillator, moved by every integrator at five step lengths",
    claim: "halving the step divides the error of every integrator by 2 to the power of its order",
    source: "Hairer et al. 1993, section II.1; the exact motion of a damped oscillator",
    tolerance: "at the longest step the next order of the error bends the slope by 0.05",
    accident: "four halvings must each give the power: an error of lower order shows in the last, a \
               wrong coefficient leaves an error that does not shrink at all",
    quick: true,
    cpu_only: Some("integrators run on the CPU"),
    params: &[
        Param::number("stiffness", "N/m", 100.0, [20.0, 200.0], "of the spring; the mass is 1 kg"),
        Param::number("damping", "N·s/m", 1.0, [0.0, 4.0], "of the dashpot"),
        Param::count("steps", 100, [80, 200], "in half a second, before the first halving"),
    ],
    measure,
    figure: None,
};

/// How long it moves (s).
const SECONDS: f64 = 0.5;
const HALVINGS: u32 = 4;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let oscillator = Oscillator {
        mass: 1.0,
        stiffness: params.get("stiffness"),
        damping: params.get("damping"),
        rest: 1.0,
        gravity: 0.0,
        start: 1.2,
    };
    let exact = oscillator.exact(SECONDS);
    let mut measured = Vec::new();
    for integrator in ALL {
        let error = |halvings: u32| {
            let steps = params.count("steps") << halvings;
            let states = oscillator.run(integrator, SECONDS / f64::from(steps), steps);
            let [y, v] = states[states.len() - 1];
            libm::hypot(y - exact[0], (v - exact[1]) / oscillator.omega())
        };
        for halving in 0..HALVINGS {
            let slope = libm::log2(error(halving) / error(halving + 1));
            let what = format!("slope of {}, halving {}", integrator.name, halving + 1);
            let expected = f64::from(integrator.order);
            measured.push(Measured::new(what, "", [slope, expected], Tolerance::Absolute(0.1)));
        }
    }
    Ok(measured)
}
