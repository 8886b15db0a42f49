//! Volume inside closed surfaces.

use super::Measure;
use crate::world::World;

/// The volume that all surfaces enclose together; open ones give nonsense.
pub const ENCLOSED: &Measure = &Measure {
    name: "enclosed volume",
    unit: "m³",
    of: |world| enclosed(world, world.triangles()),
};

/// The volume inside `triangles` (m³), by the divergence theorem: ⅙ Σ a × b · c.
pub fn enclosed(world: &World, triangles: &[[u32; 3]]) -> f64 {
    triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|i| world.particles.position(i as usize).as_dvec3());
            a.cross(b).dot(c) / 6.0
        })
        .sum()
}
