//! Linear and angular momentum.

use glam::DVec3;

use super::Measure;
use crate::world::World;

/// |Σ m v|.
pub const SIZE: &Measure =
    &Measure { name: "momentum", unit: "kg m/s", of: |world| linear(world).length() };
/// |Σ m x × v|, about the world's origin.
pub const ANGULAR: &Measure =
    &Measure { name: "angular momentum", unit: "kg m²/s", of: |world| angular(world).length() };

/// Σ m v (kg m/s).
pub fn linear(world: &World) -> DVec3 {
    let particles = &world.particles;
    (0..particles.len())
        .map(|i| particles.velocity(i).as_dvec3() / f64::from(particles.inverse_mass[i]))
        .sum()
}

/// Σ m x × v about the world's origin (kg m²/s).
pub fn angular(world: &World) -> DVec3 {
    let particles = &world.particles;
    (0..particles.len())
        .map(|i| {
            let (x, v) = (particles.position(i).as_dvec3(), particles.velocity(i).as_dvec3());
            x.cross(v) / f64::from(particles.inverse_mass[i])
        })
        .sum()
}
