//! What slides comes to rest.

use glam::Vec3;

use super::rig::contact::{Ground, bead_on};
use super::rig::{FRAME, config, down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::world::Config;

/// A particle that slides on a level floor stops after v²/2μg, whatever its mass and the substeps.
///
/// ```text
/// d = v² / (2 μ g),       within 1 % and the way of half a substep
/// ```
pub const LAW: &Law = &Law {
    name: "sliding",
    claim: "what slides at v on a floor of friction μ stops after v²/2μg, whatever it weighs",
    source: "Coulomb; the mass cancels, which Müller et al. 2020, eq. 30, leaves to the reader",
    accident: "masses from 0.1 to 10 kg and 5 to 80 substeps: friction that forgets the inverse mass \
               is off by a factor of 10, friction on positions by the substeps",
    params: &[
        Param::gravity(9.81),
        Param::number("speed", "m/s", 2.0, [0.5, 3.0], "speed at the start"),
        Param::number("friction", "", 0.4, [0.1, 1.0], "coefficient μ; half and nearly twice too"),
        Ground::PARAM,
    ],
    measure,
};

/// Masses that slide (kg).
const MASSES: [f64; 3] = [0.1, 1.0, 10.0];
/// Numbers of substeps.
const SUBSTEPS: [u32; 3] = [5, 20, 80];
/// Shares of the friction that was asked for.
const SHARES: [f64; 3] = [0.5, 1.0, 1.75];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, v) = (params.get("gravity"), params.get("speed"));
    let ground = Ground::of(params);
    let mut measured = Vec::new();
    for mu in SHARES.map(|share| share * params.get("friction")) {
        let law = v * v / (2.0 * mu * g);
        let frames = (1.2 * v / (mu * g) / FRAME).ceil() as u32 + 6;
        for (mass, substeps) in MASSES.iter().flat_map(|&m| SUBSTEPS.map(|n| (m, n))) {
            let mut floor = ground.level(law as f32 + 0.5)?;
            floor.friction = mu as f32;
            let config = Config { gravity: down(g), ..config(substeps, 1) };
            let mut world = bead_on(floor, config, mass)?;
            world.particles.set_velocity(0, Vec3::X * v as f32);
            run(&mut world, frames)?;
            let half_way = v * FRAME / f64::from(substeps) / 2.0;
            let what = format!("way to rest, μ = {mu:.3}, {mass} kg, {substeps} substeps");
            let tolerance = Tolerance::Absolute(0.01 * law + half_way);
            measured.push(Measured::new(what, "m", [position(&world, 0).x, law], tolerance));
        }
    }
    Ok(measured)
}
