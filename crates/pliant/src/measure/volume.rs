//! Volume inside closed surfaces.

use super::{Measure, values};
use crate::constraint::volume;
use crate::mesh::is_closed;
use crate::world::World;

/// The volume that all closed surfaces enclose together.
pub const ENCLOSED: &Measure = &Measure {
    name: "enclosed volume",
    unit: "m³",
    of: |world| {
        let surfaces = world.bodies().map(|(_, body)| {
            let range = body.triangles.start as usize..body.triangles.end as usize;
            (&world.triangles()[range], body)
        });
        let closed = surfaces.filter(|(triangles, body)| is_closed(triangles, &body.particles));
        closed.map(|(triangles, _)| enclosed(world, triangles)).sum()
    },
};

/// How far the volume of all tetrahedra together is from what they are to keep.
pub const ERROR: &Measure = &Measure { name: "volume error", unit: "", of: error };

/// |Σ V − Σ V₀| / Σ V₀ of all volume constraints; 0 if there are none.
pub fn error(world: &World) -> f64 {
    let Some(set) = world.constraints_of(&volume::KIND) else { return 0.0 };
    let rest: f64 = (0..set.len()).flat_map(|number| set.rest(number)).map(f64::from).sum();
    let excess: f64 = values(world, set).map(|(_, c)| c).sum();
    if rest > 0.0 { excess.abs() / rest } else { 0.0 }
}

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
