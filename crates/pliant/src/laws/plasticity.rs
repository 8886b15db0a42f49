//! A link that is stretched too far.

use glam::Vec3;

use super::rig::run;
use super::rig::stepper::step;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::tear::Strength;
use crate::world::{Config, Precision, World};

/// What is left of a pull is its strain less the yield strain, less what hardening takes, by the rate
/// of creep.
///
/// ```text
/// p = (ε − y) / (1 + H) · (1 − exp(−c t)),       let go, the link is (1 + p) L long
/// ```
pub const LAW: &Law = &Law {
    name: "plasticity",
    covers: &["P35"],
    setup: "a link is pulled or pressed by two strains and held, then let go; with hardening, with a most, \
            with creep at two time steps",
    claim: "what is left of a pull is its strain less the yield strain, over one plus the hardening",
    source: "Simo and Hughes 1998, box 1.4",
    tolerance: "rounding of a length of 1 m: 1e-6, and 1e-5 where the link has swung to rest",
    accident: "pulled and pressed, with and without hardening: a flow that overshoots, that counts strain \
               from the new length, or that depends on the time step shows in one of them",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("strain", "", 0.1, [0.03, 0.3], "pull ε, and press by half of it")
            .symbol("eps"),
        Param::number("yield_strain", "", 0.02, [0.005, 0.02], "yield strain y"),
        Param::number("hardening", "", 0.5, [0.0, 10.0], "H of the second link").symbol("H"),
        Param::number("creep", "1/s", 3.0, [0.5, 10.0], "rate c of the last link"),
    ],
    measure,
    figure: None,
};

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let [strain, y, hardening, creep] =
        ["strain", "yield_strain", "hardening", "creep"].map(|name| params.get(name));
    let yields = Strength { yield_strain: y as f32, ..Strength::default() };
    let hard = Strength { hardening: hardening as f32, ..yields };
    let most = Strength { most_plastic: (0.5 * (strain - y)) as f32, ..yields };
    let cases = [
        ("pulled", yields, strain, strain - y),
        ("pressed", yields, -0.5 * strain, (y - 0.5 * strain).min(0.0)),
        ("pulled below the yield strain", yields, 0.9 * y, 0.0),
        ("pulled, hardening", hard, strain, (strain - y) / (1.0 + hardening)),
        ("pulled, with a most", most, strain, 0.5 * (strain - y)),
        ("pulled, elastic", Strength::default(), strain, 0.0),
    ];
    let mut measured = Vec::new();
    for (what, strength, strain, law) in cases {
        let mut world = pulled(strength, strain)?;
        run(&mut world, 3)?;
        let kept = Measured::new(
            format!("strain kept, {what}"),
            "",
            [kept(&world), law],
            Tolerance::Absolute(1e-6),
        );
        world.particles.unpin(1);
        world.config.damping = 100.0;
        run(&mut world, 240)?;
        let length = f64::from(world.particles.position(1).distance(world.particles.position(0)));
        let named = format!("length when let go, {what}");
        let rest = Measured::new(named, "m", [length, 1.0 + law], Tolerance::Absolute(1e-5));
        measured.extend([kept, rest]);
    }
    for steps in [30, 120] {
        let mut world = pulled(Strength { creep: creep as f32, ..yields }, strain)?;
        for _ in 0..steps {
            step(&mut world, 0.5 / steps as f32)?;
        }
        let law = (strain - y) * (1.0 - libm::exp(-0.5 * creep));
        let what = format!("strain kept after 0.5 s of creep, {steps} steps");
        measured.push(Measured::new(what, "", [kept(&world), law], Tolerance::Absolute(1e-5)));
    }
    Ok(measured)
}

/// Two particles that are held, and a link of 1 m between them that is strained.
fn pulled(strength: Strength, strain: f64) -> Result<World, LawError> {
    let mut body = Blueprint::default();
    body.particle(Vec3::ZERO, 1.0);
    body.particle(Vec3::X, 1.0);
    body.join(&distance::KIND, &[0, 1], Hold::spring(1e3))?;
    let precision = Precision::Carried;
    let config = Config { gravity: Vec3::ZERO, precision, threads: 1, ..Config::default() };
    let mut world = World::new(config);
    world.add(&body.of_strength(strength)?.pinned(&[0, 1]))?;
    world.particles.set_position(1, Vec3::X * (1.0 + strain) as f32);
    Ok(world)
}

fn kept(world: &World) -> f64 {
    let links = world.constraints_of(&distance::KIND);
    links.map_or(f64::NAN, |links| f64::from(links.plastic_strain(0)))
}
