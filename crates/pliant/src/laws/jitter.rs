//! Steps of unequal length.

use super::rig::larger;
use super::rig::stepper::step;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::measure::energy;
use crate::scenes::{hanging_cloth, soft_cube};
use crate::testing::Random;

/// Worlds bear steps of unequal length, and one that is far too long, and come to rest afterwards.
pub const LAW: &Law = &Law {
    name: "jitter",
    covers: &["D12"],
    setup: "a soft cube falls on a floor, and a cloth hangs by two corners, in steps from 1/240 to 1/15 s at random, \
            one of which takes 2 s",
    claim: "steps of unequal length leave worlds finite, and let them come to rest",
    source: "motion has no more energy than a free fall for the longest step would give it",
    tolerance: "½ m (g T)² for the longest step T; at rest below 1 mm/s on average, after 10 s with damping",
    accident: "a velocity that is divided by the length of another step, or contact that turns depth into \
               speed, throws bodies off at the first long step",
    quick: true,
    cpu_only: None,
    params: &[
        Param::count("steps", 120, [60, 2000], "of random length"),
        Param::count("seed", 1, [0, 1_000_000], "of the lengths"),
    ],
    measure,
    figure: None,
};

/// Why motion may have more energy for a while.
const STRETCHED: &str = "an iteration leaves n links stretched by ½ n² g h², which is metres at h = 0.1 s; the \
                         next, shorter step takes that back in its own time, and so at great speed";
/// The longest step (s).
const LONGEST: f32 = 2.0;
/// Steps of 1/60 s in which it comes to rest, damped.
const CALM: u32 = 600;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for scene in [soft_cube::SCENE, hanging_cloth::SCENE] {
        let mut world =
            (scene.build)(scene.test_size).map_err(|error| LawError::Stepper(error.to_string()))?;
        world.config.threads = 1;
        let mut random = Random::new(params.get("seed") as u64);
        let (mut most, steps) = (0.0, params.count("steps"));
        for i in 0..steps {
            let dt = if i == steps / 2 { LONGEST } else { random.between(1.0 / 240.0, 1.0 / 15.0) };
            step(&mut world, dt)?;
            most = larger(most, energy::kinetic(&world));
        }
        world.config.damping = 6.0;
        for _ in 0..CALM {
            step(&mut world, 1.0 / 60.0)?;
        }
        let name = scene.name;
        let what = format!("bodies put aside, {name}");
        let none = Tolerance::Absolute(0.0);
        measured.push(Measured::new(what, "", [world.quarantine.len() as f64, 0.0], none));
        let mass: f64 = world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum();
        // What a fall for the longest step would give.
        let speed = f64::from(world.config.gravity.length() * LONGEST);
        let what = format!("largest energy of motion, {name}");
        let numbers = [most, 0.5 * mass * speed * speed];
        let row = Measured::new(what, "J", numbers, Tolerance::AtMost);
        measured.push(row.limited(STRETCHED));
        let speed = (2.0 * energy::kinetic(&world) / mass).sqrt();
        let what = format!("speed at the end, {name}");
        measured.push(Measured::new(what, "m/s", [speed, 1e-3], Tolerance::AtMost));
    }
    Ok(measured)
}
