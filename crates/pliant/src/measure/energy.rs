//! Energy of motion and of height.

use super::Measure;
use crate::world::World;

/// Energy of motion.
pub const KINETIC: &Measure = &Measure { name: "kinetic energy", unit: "J", of: kinetic };
/// Energy of height above the world's origin.
pub const GRAVITATIONAL: &Measure =
    &Measure { name: "gravitational energy", unit: "J", of: gravitational };

/// Σ ½ m v² (J). Pinned particles count with the mass they would have.
pub fn kinetic(world: &World) -> f64 {
    let particles = &world.particles;
    (0..particles.len())
        .map(|i| {
            let v = particles.velocity(i).as_dvec3();
            0.5 * v.length_squared() / f64::from(particles.inverse_mass[i])
        })
        .sum()
}

/// −Σ m g·x (J).
pub fn gravitational(world: &World) -> f64 {
    let particles = &world.particles;
    let g = world.config.gravity.as_dvec3();
    (0..particles.len())
        .map(|i| -g.dot(particles.position(i).as_dvec3()) / f64::from(particles.inverse_mass[i]))
        .sum()
}
