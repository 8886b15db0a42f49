//! One spring with a dashpot beside it.

use super::rig::Spring;
use super::spring::{RATES, compare};
use super::{Law, LawError, Measured, Param, Params};

/// The dashpot of a spring has the coefficient β that was asked for.
///
/// ```text
/// (1 + ω²h² + hβ/m) yₙ₊₁ = (2 + hβ/m) yₙ − yₙ₋₁
/// ```
///
/// Macklin et al. 2016, eq. 26: with γ = αβ/h the constraint's force is −C/α − β dC/dt.
pub const LAW: &Law = &Law {
    name: "damped_spring",
    covers: &["P2"],
    setup: "the same spring with a dashpot, from weak to overdamped",
    claim: "a spring with a dashpot follows the backward Euler recurrence with that dashpot",
    source: "Macklin et al. 2016, eq. 26, solved for one linear constraint",
    tolerance: "rounding alone: 1e-12 of the offset in double precision, 1e-5 in single",
    accident: "three dashpots, from weak to overdamped, at four time steps: a wrong power of h or \
               a velocity of the wrong substep shows in all of them",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("mass", "kg", 1.0, [0.01, 100.0], "what hangs on the spring"),
        Param::number("compliance", "m/N", 1e-3, [1e-6, 1.0], "inverse stiffness"),
        Param::number("damping", "N·s/m", 1.0, [1e-3, 100.0], "weakest dashpot; ×10, ×100 follow"),
        Param::number("offset", "m", 0.5, [0.05, 0.9], "stretch at the start; rest length is 1 m"),
        Param::count("steps", 50, [1, 80], "steps compared in double precision"),
        Param::count("steps_single", 20, [1, 40], "steps compared in single precision"),
    ],
    measure,
    figure: None,
};

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for rate in RATES {
        for factor in [1.0, 10.0, 100.0] {
            let spring = Spring {
                mass: params.get("mass"),
                compliance: params.get("compliance"),
                damping: params.get("damping") * factor,
                offset: params.get("offset"),
                h: 1.0 / rate,
                iterations: 1,
                steps: params.count("steps"),
            };
            let at = format!("β = {} N·s/m, h = 1/{rate} s", spring.damping);
            measured.extend(compare(&spring, params.count("steps_single"), &at)?);
        }
    }
    Ok(measured)
}
