//! A balloon takes the volume that it is told to take.

use super::rig::{config, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::measure::{momentum, volume};
use crate::region::balloon;
use crate::shapes::balloon::{Balloon, Inside, sphere};
use crate::world::{Config, World};

/// A closed surface goes to k times its rest volume, against the tension of its edges.
///
/// ```text
/// V = k V₀           without compliance
/// V = k V₀ − α p     with it; p = λ/h² is the pressure inside
/// ```
///
/// Müller et al. 2007, section 4.4; the second line is C = −α̃λ of Macklin et al. 2016.
pub const LAW: &Law = &Law {
    name: "balloon",
    covers: &["P28"],
    setup: "a closed surface of rubber is blown up to 1, 1.5 and 2 times its volume",
    claim: "a closed surface takes k times its rest volume, less what its pressure compresses",
    source: "Müller et al. 2007, section 4.4, and Macklin et al. 2016",
    tolerance: "one iteration a substep leaves a thousandth of the volume",
    accident: "the rubber pulls back by up to half a bar; a wrong gradient finds another volume or \
               drifts away, and a wrong multiplier another pressure",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("pressure", "", 2.0, [1.2, 3.0], "volume at most, over that at rest"),
        Param::number("stiffness", "N/m", 200.0, [1.0, 1e3], "of the edges of the surface"),
    ],
    measure,
    figure: None,
};

/// Share by which a volume may be off.
const TOLERANCE: f64 = 1e-3;
/// Rate at which motion dies away (1/s), and frames to wait for that.
const SETTLE: (f32, u32) = (10.0, 120);
/// Compliance of the balloon that gives (m³/Pa).
const COMPLIANCE: f64 = 1e-7;
/// Momentum that may be left, as a share of what the motion had (kg·m/s per kg): single precision.
const DRIFT: f64 = 1e-4;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let most = params.get("pressure");
    let mut measured = Vec::new();
    for pressure in [1.0, (1.0 + most) / 2.0, most] {
        let (world, ratio) = settled(params, pressure, 0.0)?;
        let what = format!("volume over that at rest, k = {pressure}");
        measured.push(Measured::new(what, "", [ratio, pressure], Tolerance::Relative(TOLERANCE)));
        let drift = momentum::linear(&world).length() / mass(&world);
        let what = format!("speed of the centre of mass, k = {pressure}");
        measured.push(Measured::new(what, "m/s", [drift, 0.0], Tolerance::Absolute(DRIFT)));
    }
    let (world, ratio) = settled(params, most, COMPLIANCE)?;
    let h = f64::from(world.substep());
    let lambda = world.regions_of(&balloon::KIND).map_or(f32::NAN, |set| set.state(0).x);
    let inside = f64::from(lambda) / (h * h);
    let expected = most - COMPLIANCE * inside / sphere(RADIUS, LEVELS).volume();
    let what = format!("volume over that at rest, k = {most}, compliance {COMPLIANCE} m³/Pa");
    measured.push(Measured::new(what, "", [ratio, expected], Tolerance::Relative(TOLERANCE)));
    let what = "share of the volume that the pressure takes";
    let least = 2.0 * TOLERANCE;
    measured.push(Measured::new(what, "", [most - ratio, least], Tolerance::AtLeast));
    Ok(measured)
}

/// Radius of the balloon at rest (m), and how fine it is.
const RADIUS: f32 = 0.1;
const LEVELS: u32 = 2;

/// The balloon when it has come to rest, and its volume over that of its rest shape.
fn settled(params: &Params, pressure: f64, compliance: f64) -> Result<(World, f64), LawError> {
    let hold = Hold { compliance: compliance as f32, ..Hold::RIGID };
    let body = Balloon {
        surface: sphere(RADIUS, LEVELS),
        stretch: Hold::spring(params.get("stiffness") as f32),
        inside: Inside::Air { pressure: pressure as f32, rate: 0.0, hold },
        ..Balloon::default()
    };
    let mut world = World::new(Config { damping: SETTLE.0, ..config(20, 1) });
    world.add(&body.blueprint()?)?;
    run(&mut world, SETTLE.1)?;
    let ratio = volume::enclosed(&world, world.triangles()) / body.surface.volume();
    Ok((world, ratio))
}

/// Σ m (kg).
fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}
