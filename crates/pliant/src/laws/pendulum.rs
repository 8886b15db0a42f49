//! The period of a pendulum.

use glam::DVec3;
use std::f64::consts::TAU;

use super::rig::stepper::step;
use super::rig::{Bead, Double, FRAME, config, down, position, string};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::world::{Config, Precision};

/// A pendulum on a rigid rod has the period of the elliptic integral.
///
/// ```text
/// T = 4 √(l/g) K(sin ½θ₀) = T₀ / agm(1, cos ½θ₀),    T₀ = 2π √(l/g)
/// ```
///
/// agm is the arithmetic-geometric mean, by which Gauss computed K. The time from letting go to the
/// lowest point is a quarter of it; later quarters are shorter, since some energy is lost.
pub const LAW: &Law = &Law {
    name: "pendulum",
    covers: &["P10"],
    setup: "a mass on a rigid link, let go at 45° and at 90°, 100 substeps",
    claim: "a pendulum on a rigid rod has the period of the elliptic integral",
    source: "Gauss: T = 2π √(l/g) / agm(1, cos ½θ₀)",
    tolerance: "the loss of energy shortens a swing by less than 0.1 %, and as much for the \
                moment of its passage",
    accident: "the period grows with the swing, by 4 % at 45° and 18 % at 90°; a rod that gives, \
               a wrong gravity or a lost swing each move one of the two",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("length", "m", 1.0, [0.1, 1.0], "length of the rod"),
        Param::count("substeps", 100, [10, 200], SUBSTEPS),
        Param::count("substeps_single", 20, [10, 40], SUBSTEPS_SINGLE),
    ],
    measure,
    figure: None,
};

/// What the other runs have.
pub(super) const SUBSTEPS: &str =
    "substeps of 1/60 s in double precision, and in the engine with carried precision";

/// In plain precision a pull moves a bead by whole steps of the spacing of numbers, or not at all:
/// at 1 m a pull is known to 6e-8/h², 0.1 m/s² for 20 substeps, but 2 m/s² for 100.
pub(super) const SUBSTEPS_SINGLE: &str =
    "substeps of 1/60 s in plain precision, which cannot tell a pull below 6e-8 l/h²";

/// Angles at which it is let go (°).
const ANGLES: [f64; 2] = [45.0, 90.0];
/// Share by which the period may differ.
const TOLERANCE: f64 = 2e-3;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let h = ["substeps", "substeps_single"].map(|name| FRAME / params.get(name));
    let gravity = down(params.get("gravity"));
    let mut measured = Vec::new();
    for angle in ANGLES {
        let period = period(params, angle);
        let beads = let_go(params.get("length"), angle);
        let mut double = Double::new(&beads, gravity.as_dvec3());
        let in_double = passage([h[0], period], || {
            double.step(h[0], 1);
            Ok(double.position(1).x)
        })?;
        let in_engine = |precision, h: f64| {
            let mut world = string(Config { gravity, precision, ..config(1, 1) }, &beads)?;
            passage([h, period], || {
                step(&mut world, h as f32)?;
                Ok(position(&world, 1).x)
            })
        };
        for (precision, quarter) in [
            ("f64", in_double),
            ("engine", in_engine(Precision::Plain, h[1])?),
            ("engine, carried", in_engine(Precision::Carried, h[0])?),
        ] {
            let Some(quarter) = quarter else {
                return Err(params.unmeasurable(format!("no passage within {period} s")));
            };
            let what = format!("period from {angle}°, four times the first quarter, {precision}");
            let numbers = [4.0 * quarter, period];
            measured.push(Measured::new(what, "s", numbers, Tolerance::Relative(TOLERANCE)));
        }
    }
    Ok(measured)
}

/// The period from `angle` (°) (s).
fn period(params: &Params, angle: f64) -> f64 {
    let small = TAU * (params.get("length") / params.get("gravity")).sqrt();
    small / agm(1.0, libm::cos(angle.to_radians() / 2.0))
}

/// A pendulum held out at `angle` (°) from straight down. Its lowest point is the origin, where
/// single precision is finest.
pub(super) fn let_go(length: f64, angle: f64) -> [Bead; 2] {
    let (sin, cos) = (libm::sin(angle.to_radians()), libm::cos(angle.to_radians()));
    let x = DVec3::new(sin, 1.0 - cos, 0.0) * length;
    let bob = Bead { x, mass: 1.0, rest: length, hold: Hold::RIGID };
    [Bead::first(DVec3::Y * length), bob]
}

/// When the bob passes its lowest point (s), if it does within `patience`; `step` goes on by `h`
/// and says how far out the bob is.
fn passage(
    [h, patience]: [f64; 2],
    mut step: impl FnMut() -> Result<f64, LawError>,
) -> Result<Option<f64>, LawError> {
    let (mut t, mut before) = (0.0, f64::INFINITY);
    while t < patience {
        let x = step()?;
        t += h;
        if x <= 0.0 {
            return Ok(Some(t - h * x / (x - before)));
        }
        before = x;
    }
    Ok(None)
}

/// The arithmetic-geometric mean; the digits double in each round.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..8 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    a
}
