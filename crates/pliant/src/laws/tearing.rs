//! A rope that breaks under its own weight.

use glam::{Quat, Vec3};

use super::rig::{down, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::shapes::Rope;
use crate::tear::Strength;
use crate::world::{Config, Precision, World};

/// A hanging rope breaks at its top link when what hangs there weighs more than a link bears.
///
/// ```text
/// F = ρ g (L − ½ s)        s is a segment: half of one is held by the pin
/// ```
pub const LAW: &Law = &Law {
    name: "tearing",
    covers: &["P35"],
    setup: "a rope hangs still; what its links bear is bisected until it breaks, for 10 and 20 links",
    claim: "a rope breaks when its weight is more than its links bear, at its top link, and loses no mass",
    source: "statics",
    tolerance: "0.5 %: the tension trembles when the rope hangs still; masses are exact to 1e-6",
    accident: "the force is searched from both sides; a tension that is read from a wrong substep, or per \
               iteration, is off by a factor",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("length", "m", 1.0, [0.2, 2.0], "of the rope"),
        Param::number("line_density", "kg/m", 0.07, [0.01, 1.0], "mass per length"),
    ],
    measure,
    figure: None,
};

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for links in [10, 20] {
        let [length, line] = ["length", "line_density"].map(|name| params.get(name));
        let law = line * params.get("gravity") * length * (1.0 - 0.5 / f64::from(links));
        let still = hanging(params, links)?.save();
        let whole = mass(&restored(&still)?);
        let (mut low, mut high) = (0.5 * law, 2.0 * law);
        let mut broken = restored(&still)?;
        while high / low > 1.001 {
            let middle = (low * high).sqrt();
            let mut world = restored(&still)?;
            bear(&mut world, middle)?;
            run(&mut world, 20)?;
            if world.bodies().count() > 1 {
                (low, broken) = (middle, world);
            } else {
                high = middle;
            }
        }
        let named = |what| format!("{what}, {links} links");
        let force = Measured::new(
            named("force that breaks it"),
            "N",
            [low, law],
            Tolerance::Relative(5e-3),
        );
        let left = broken.bodies().map(|(_, body)| body.range().len()).min().unwrap_or(0);
        let exact = Tolerance::Absolute(0.0);
        let top = Measured::new(named("particles left above"), "", [left as f64, 1.0], exact);
        let numbers = [mass(&broken), whole];
        let kept = Measured::new(named("mass"), "kg", numbers, Tolerance::Relative(1e-6));
        measured.extend([force, top, kept]);
    }
    Ok(measured)
}

/// A rope that has come to rest.
fn hanging(params: &Params, links: u32) -> Result<World, LawError> {
    let rope = Rope {
        segments: links,
        length: params.get("length") as f32,
        linear_density: params.get("line_density") as f32,
        stretch: Hold::spring(1e4),
        ..Rope::default()
    };
    let config = Config {
        damping: 20.0,
        precision: Precision::Carried,
        gravity: down(params.get("gravity")),
        threads: 1,
        ..Config::default()
    };
    let mut world = World::new(config);
    let turned = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    world.add(&rope.blueprint()?.placed(turned, Vec3::ZERO).pinned(&[0]))?;
    run(&mut world, 180)?;
    Ok(world)
}

fn restored(bytes: &[u8]) -> Result<World, LawError> {
    World::restore(bytes).map_err(|error| LawError::Stepper(error.to_string()))
}

/// Every link bears so much (N).
fn bear(world: &mut World, force: f64) -> Result<(), LawError> {
    let strength = Strength { break_force: force as f32, ..Strength::default() };
    let Some(links) = world.constraints_of_mut(&distance::KIND) else { return Ok(()) };
    Ok((0..links.len()).try_for_each(|number| links.set_strength(number, strength))?)
}

/// Σ m (kg).
fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}
