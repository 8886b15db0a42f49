//! What is dropped bounces.

use glam::Vec3;

use super::rig::contact::{Ground, SURFACE, bead_on};
use super::rig::{config, down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::world::Config;

/// A bounce of restitution e reaches e² of the height, and one of 0 stays.
///
/// ```text
/// h₁ = e² h₀
/// ```
///
/// Of a substep the particle may be up to v h above the floor when it turns: with 20 substeps of
/// 1/60 s, 1 mm after a fall of 0.1 m and 4 mm after 1 m.
pub const LAW: &Law = &Law {
    name: "bounce",
    covers: &["P32"],
    setup: "particles dropped on floors of two restitutions, 20 to 80 substeps",
    claim: "what is dropped from h on a floor of restitution e comes up to e² h",
    source: "Newton's restitution; speeds by free fall",
    tolerance: "up to v h above the floor when it turns: 4 mm after 1 m at 20 substeps",
    accident: "two restitutions, two heights and three numbers of substeps: energy that comes out \
               of the depth of the impact depends on all of them",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("height", "m", 1.0, [0.5, 3.0], "largest height").symbol("h"),
        Param::number("restitution", "", 0.8, [0.1, 0.9], "speed after an impact over that before")
            .symbol("e"),
        Ground::PARAM,
    ],
    measure,
    figure: None,
};

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, e) = (params.get("gravity"), params.get("restitution"));
    let ground = Ground::of(params);
    let mut measured = Vec::new();
    for height in [1.0, 0.5].map(|share| share * params.get("height")) {
        for (e, substeps) in [e, 0.625 * e].iter().flat_map(|&e| [20, 40, 80].map(|n| (e, n))) {
            let mut floor = ground.level(2.0)?;
            floor.restitution = e as f32;
            let mut world =
                bead_on(floor, Config { gravity: down(g), ..config(substeps, 1) }, 1.0)?;
            world.particles.set_position(0, Vec3::Y * (height + SURFACE) as f32);
            let (mut highest, mut bounced) = (0.0f64, false);
            let fall = (2.0 * height / g).sqrt();
            for _ in 0..(fall * (1.0 + 1.5 * e) * 60.0).ceil() as u32 {
                run(&mut world, 1)?;
                bounced |= world.particles.velocity(0).y > 0.0;
                let y = position(&world, 0).y - SURFACE;
                highest = highest.max(if bounced { y } else { 0.0 });
            }
            let what = format!("height of a bounce, e = {e}, from {height} m, {substeps} substeps");
            let law = e * e * height;
            measured.push(Measured::new(what, "m", [highest, law], Tolerance::Relative(0.03)));
        }
    }
    Ok(measured)
}
