//! How deep bodies are in colliders.

use glam::Vec3;

use super::Measure;
use crate::world::World;

/// The most that a particle is nearer to a collider than it may be.
pub const DEEPEST: &Measure = &Measure { name: "deepest penetration", unit: "m", of: deepest };

/// The most that a particle is nearer to a collider than its radius allows (m).
pub fn deepest(world: &World) -> f64 {
    let particles = &world.particles;
    let depth = |i: usize| {
        let met = world.colliders.iter().filter(move |of| of.phases & particles.phase[i] != 0);
        met.map(move |of| particles.radius[i] - of.signed_distance(particles.position(i)).0)
    };
    f64::from((0..particles.len()).flat_map(depth).fold(0.0, f32::max))
}

/// The most that a triangle is inside a collider (m): how far an edge or a corner of a collider comes
/// through between particles. Looks at 15 points of each triangle.
pub fn pierced(world: &World) -> f64 {
    let particles = &world.particles;
    let mut most = 0.0f32;
    for corners in world.triangles() {
        let [a, b, c] = corners.map(|i| particles.position(i as usize));
        for (i, j) in (0..5).flat_map(|i| (0..5 - i).map(move |j| (i, j))) {
            let (s, t) = (i as f32 / 4.0, j as f32 / 4.0);
            let x: Vec3 = a + (b - a) * s + (c - a) * t;
            let phase = particles.phase[corners[0] as usize];
            for of in world.colliders.iter().filter(|of| of.phases & phase != 0) {
                most = most.max(-of.signed_distance(x).0);
            }
        }
    }
    f64::from(most)
}
