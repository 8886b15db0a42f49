//! What slides comes to rest.

use glam::Vec3;

use super::rig::contact::{Ground, bead_on};
use super::rig::{FRAME, config, down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};
use crate::world::Config;

/// A particle that slides on a level floor stops after v²/2μg, whatever its mass and the substeps.
///
/// ```text
/// d = v² / (2 μ g),       within 1 % and the way of half a substep
/// ```
pub const LAW: &Law = &Law {
    name: "sliding",
    covers: &["P31"],
    setup: "particles of 0.1 to 10 kg slide on a floor, 5 to 80 substeps",
    claim: "what slides at v on a floor of friction μ stops after v²/2μg, whatever it weighs",
    source: "Coulomb; the mass cancels, which Müller et al. 2020, eq. 30, leaves to the reader",
    tolerance: "1 %, and the way of half a substep in which it stops",
    accident: "masses from 0.1 to 10 kg and 5 to 80 substeps: friction that forgets the inverse mass \
               is off by a factor of 10, friction on positions by the substeps",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("speed", "m/s", 2.0, [0.5, 3.0], "speed at the start").symbol("v0"),
        Param::number("friction", "", 0.4, [0.1, 1.0], "coefficient μ; half and nearly twice too")
            .symbol("mu"),
        Ground::PARAM,
    ],
    measure,
    figure: Some(figure),
};

/// Masses that slide (kg).
const MASSES: [f64; 3] = [0.1, 1.0, 10.0];
/// Numbers of substeps.
const SUBSTEPS: [u32; 3] = [5, 20, 80];
/// Shares of the friction that was asked for.
const SHARES: [f64; 3] = [1.0, 0.5, 1.75];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let v = params.get("speed");
    let mut measured = Vec::new();
    for mu in SHARES.map(|share| share * params.get("friction")) {
        let law = way(params, mu);
        for (mass, substeps) in MASSES.iter().flat_map(|&m| SUBSTEPS.map(|n| (m, n))) {
            let half_way = v * FRAME / f64::from(substeps) / 2.0;
            let what = format!("way to rest, μ = {mu:.3}, {mass} kg, {substeps} substeps");
            let tolerance = Tolerance::Absolute(0.01 * law + half_way);
            let numbers = [slid(params, mu, (mass, substeps))?, law];
            measured.push(Measured::new(what, "m", numbers, tolerance));
        }
    }
    Ok(measured)
}

/// The way to rest (m) by the law.
fn way(params: &Params, mu: f64) -> f64 {
    params.get("speed").powi(2) / (2.0 * mu * params.get("gravity"))
}

/// The way to rest (m) of a particle.
fn slid(params: &Params, mu: f64, (mass, substeps): (f64, u32)) -> Result<f64, LawError> {
    let (g, v) = (params.get("gravity"), params.get("speed"));
    let mut floor = Ground::of(params).level(way(params, mu) as f32 + 0.5)?;
    floor.friction = mu as f32;
    let config = Config { gravity: down(g), ..config(substeps, 1) };
    let mut world = bead_on(floor, config, mass)?;
    world.particles.set_velocity(0, Vec3::X * v as f32);
    run(&mut world, (1.2 * v / (mu * g) / FRAME).ceil() as u32 + 6)?;
    Ok(position(&world, 0).x)
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let line = (0..=90).map(|i| 0.1 + 0.01 * f64::from(i)).map(|mu| [mu, way(params, mu)]);
    let mut curves = vec![Curve::line("v²/2μg", line.collect())];
    for mass in MASSES {
        let mut points = Vec::new();
        for mu in (1..=10).map(|i| 0.1 * f64::from(i)) {
            points.push([mu, slid(params, mu, (mass, 20))?]);
        }
        curves.push(Curve::dots(format!("{mass} kg, 20 substeps"), points));
    }
    Ok(Figure {
        title: format!("What slides at {} m/s comes to rest", params.get("speed")),
        axes: ["friction μ".into(), "way to rest (m)".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}
