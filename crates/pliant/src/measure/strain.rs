//! How far links are stretched.

use super::{Measure, values};
use crate::constraint::{Kind, distance, neo_hookean, stretch};
use crate::world::World;

/// The largest stretch of a link over its rest length; compressed links do not count.
pub const LARGEST: &Measure = &Measure { name: "largest strain", unit: "", of: largest };

/// The largest (l − l₀)/l₀ of all distance constraints; 0 if none is stretched.
pub fn largest(world: &World) -> f64 {
    let Some(links) = world.constraints_of(&distance::KIND) else { return 0.0 };
    (0..links.len())
        .filter_map(|number| {
            let ends = links.particles(number);
            let [a, b] =
                [ends[0], ends[1]].map(|i| world.particles.position(i as usize).as_dvec3());
            let rest = f64::from(links.rest(number).next()?);
            (rest > 0.0).then(|| (a - b).length() / rest - 1.0)
        })
        .fold(0.0, f64::max)
}

/// How strained each particle's surroundings are: the largest of its links and elements, whether
/// stretched or squeezed; 0 where nothing is.
pub fn of_particles(world: &World) -> Vec<f32> {
    let mut strains = vec![0.0f32; world.particles.len()];
    let sets = STRAINS.iter().filter_map(|(kind, of)| Some((world.constraints_of(kind)?, of)));
    for (set, of) in sets {
        for (number, value) in values(world, set) {
            let strain = of(value, set.rest(number).next().map_or(0.0, f64::from)).abs() as f32;
            for &i in set.particles(number) {
                strains[i as usize] = strains[i as usize].max(strain);
            }
        }
    }
    strains
}

/// The strain that a value C of a constraint means, given the first of its rest values.
type StrainOf = fn(c: f64, rest: f64) -> f64;

/// The kinds that measure strain.
const STRAINS: &[(&Kind, StrainOf)] = &[
    (&distance::KIND, |c, rest| if rest > 0.0 { c / rest } else { 0.0 }),
    (&stretch::TRIANGLE_KIND, |c, _| c),
    (&stretch::TET_KIND, |c, _| c),
    // C is √2 ‖ε‖.
    (&neo_hookean::KIND, |c, _| c * std::f64::consts::FRAC_1_SQRT_2),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blueprint;
    use crate::mesh::TetMesh;
    use crate::shapes::{ElasticBody, Model, TetBox};
    use glam::{UVec3, Vec3};

    /// Bodies that are 2 % longer along x.
    #[test]
    fn every_kind_of_body_says_how_far_it_is_stretched() {
        let mesh = TetMesh::block(UVec3::splat(2), Vec3::ONE);
        let elastic = |model| ElasticBody { mesh: mesh.clone(), model, ..ElasticBody::default() };
        let bodies: [Blueprint; 3] = [
            TetBox::default().blueprint().unwrap(),
            elastic(Model::NeoHookean).blueprint().unwrap(),
            elastic(Model::SaintVenantKirchhoff).blueprint().unwrap(),
        ];
        for body in bodies {
            let mut world = World::default();
            world.add(&body).unwrap();
            for i in 0..world.particles.len() {
                let x = world.particles.position(i) * Vec3::new(1.02, 1.0, 1.0);
                world.particles.set_position(i, x);
            }
            // The measures of strain differ in second order.
            for strain in of_particles(&world) {
                assert!((strain - 0.02).abs() < 0.02 * 0.03, "{}: {strain}", body.name);
            }
        }
    }
}
