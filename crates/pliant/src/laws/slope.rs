//! What lies on a slope holds, or slides.

use glam::{DVec3, Vec3};

use super::rig::contact::{Ground, bead_on};
use super::rig::{FRAME, config, down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::world::Config;

/// A slope holds what is rougher than its tangent, and lets slide what is not.
///
/// ```text
/// μ ≥ tan θ:  at rest                μ < tan θ:  s = ½ g (sin θ − μ cos θ) t²
/// ```
pub const LAW: &Law = &Law {
    name: "slope",
    covers: &["P30"],
    setup: "a particle on a slope, rougher and smoother than its tangent",
    claim: "a slope holds what has μ ≥ tan θ, and what has less slides by g (sin θ − μ cos θ)",
    source: "Coulomb; the pair of 0.50 and 0.49 at 26.565° is that of Li et al. 2020",
    tolerance: "the ½ a t h of semi-implicit Euler, 1 %, and 1 mm",
    accident: "at a tangent of 0.5, μ = 0.5 holds for a second and μ = 0.49 does not: a threshold \
               that is off by 2 %, or a creep of 1 mm in a second, fails",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("tangent", "", 0.5, [0.1, 1.0], "slope, as rise over run").symbol("tan"),
        Param::count("substeps", 60, [20, 100], "substeps in a frame of 1/60 s"),
        Ground::PARAM,
    ],
    measure,
    figure: None,
};

/// Time on the slope (s).
const SECONDS: f64 = 1.0;
/// Friction of what slides, as shares of the tangent.
const SLIDING: [f64; 3] = [0.98, 0.7, 0.0];
/// Friction of what holds.
const HOLDING: [f64; 3] = [1.0, 1.02, 1.5];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, tangent, substeps) =
        (params.get("gravity"), params.get("tangent"), params.count("substeps"));
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let normal = Vec3::new(-tangent as f32, 1.0, 0.0);
    let down_hill = DVec3::new(-cosine, -tangent * cosine, 0.0);
    let slid = |mu: f64| -> Result<f64, LawError> {
        let ground = Ground::of(params).facing(normal, 8.0)?;
        let slope = crate::Collider { friction: mu as f32, ..ground };
        let config = Config { gravity: down(g), ..config(substeps, 1) };
        let mut world = bead_on(slope, config, 1.0)?;
        let start = position(&world, 0);
        run(&mut world, (SECONDS / FRAME).round() as u32)?;
        Ok((position(&world, 0) - start).dot(down_hill))
    };
    let mut measured = Vec::new();
    for mu in HOLDING.map(|share| share * tangent) {
        let what = format!("creep in {SECONDS} s, μ = {mu:.3} on {tangent}");
        measured.push(Measured::new(what, "m", [slid(mu)?, 0.0], Tolerance::Absolute(1e-3)));
    }
    for mu in SLIDING.map(|share| share * tangent) {
        let h = FRAME / f64::from(substeps);
        let a = g * cosine * (tangent - mu);
        let what = format!("slide in {SECONDS} s, μ = {mu:.3} on {tangent}");
        // ½ a t (t + h) of semi-implicit Euler, and a millimetre of rounding.
        let tolerance = Tolerance::Absolute(0.01 * 0.5 * a + 0.5 * a * h + 1e-3);
        measured.push(Measured::new(
            what,
            "m",
            [slid(mu)?, 0.5 * a * SECONDS * SECONDS],
            tolerance,
        ));
    }
    Ok(measured)
}
