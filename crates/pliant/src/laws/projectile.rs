//! A thrown particle.

use glam::{DVec3, Vec3};

use super::rig::{FRAME, config, down, position, run, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::World;
use crate::body::Blueprint;
use crate::world::Config;

/// A thrown particle follows a parabola.
///
/// ```text
/// x = v₀t + ½gt²
/// ```
///
/// Semi-implicit Euler is on v₀t + ½gt(t + h) exactly, 0.8 mm lower after 1 s of 100 substeps.
pub const LAW: &Law = &Law {
    name: "projectile",
    covers: &["P9"],
    setup: "particles thrown at two speeds",
    claim: "a thrown particle follows the parabola v₀t + ½gt²",
    source: "Galilei; the first-order error ½ght is that of semi-implicit Euler",
    tolerance: "the ½ght of semi-implicit Euler, and 1 mm of rounding",
    accident: "all three coordinates are compared after every frame, for two speeds; drag, a lost \
               component or a wrong first step leave the parabola by centimetres",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("speed", "m/s", 5.0, [0.1, 7.0], "slower throw; the other is twice as fast"),
        Param::number("angle", "°", 45.0, [0.0, 90.0], "how steeply upwards"),
        Param::count("frames", 60, [6, 60], "frames of 1/60 s that it flies"),
        Param::count("substeps", 100, [1, 100], "substeps in each"),
    ],
    measure,
    figure: None,
};

/// What rounding may add (m). A particle at constant speed is rounded the same way in every
/// substep: 6000 times half the spacing of numbers, 0.24 µm at 4 m, are 1.4 mm at worst.
const ROUNDING: f64 = 1e-3;
/// Direction of the throw on the ground, along no axis, of length 1.
const AHEAD: DVec3 = DVec3::new(0.6, 0.0, 0.8);

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, angle) = (params.get("gravity"), params.get("angle").to_radians());
    let (frames, substeps) = (params.count("frames"), params.count("substeps"));
    let h = FRAME / f64::from(substeps);
    let mut measured = Vec::new();
    for speed in [1.0, 2.0].map(|factor| factor * params.get("speed")) {
        let v = (AHEAD * libm::cos(angle) + DVec3::Y * libm::sin(angle)) * speed;
        let mut body = Blueprint::default();
        body.particle(Vec3::ZERO, 1.0);
        let mut world = World::new(Config { gravity: down(g), ..config(substeps, 1) });
        world.add(&body)?;
        world.particles.set_velocity(0, v.as_vec3());
        let (mut near, mut sharp) = (Vec::new(), Vec::new());
        for frame in 1..=frames {
            run(&mut world, 1)?;
            let t = f64::from(frame) * FRAME;
            let row = |curve: &str, fallen: f64, tolerance: f64| {
                let off = position(&world, 0).distance(v * t - DVec3::Y * fallen);
                let what = format!("distance from {curve}, {speed} m/s, after {t:.2} s");
                Measured::new(what, "m", [off, 0.0], Tolerance::Absolute(tolerance))
            };
            near.push(row("v₀t + ½gt²", 0.5 * g * t * t, 0.5 * g * h * t + ROUNDING));
            sharp.push(row("v₀t + ½gt(t + h)", 0.5 * g * t * (t + h), ROUNDING));
        }
        measured.extend([near, sharp].into_iter().filter_map(worst));
        let t = f64::from(frames) * FRAME;
        let height = [position(&world, 0).y, v.y * t - 0.5 * g * t * (t + h)];
        let what = format!("height at the end, {speed} m/s");
        measured.push(Measured::new(what, "m", height, Tolerance::Absolute(ROUNDING)));
    }
    Ok(measured)
}
