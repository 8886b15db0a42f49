//! Tetrahedra that are turned inside out.

use pliant::World;
use pliant::constraint::{Kind, neo_hookean, stretch, volume};
use pliant::glam::Vec3;

use super::{Check, MOST_PLACES, Problem};

pub(super) const CHECK: Check = Check { name: "inverted tetrahedra", find, quick: false };

/// Kinds whose particles are the corners of a tetrahedron; of a body that has several, one is enough.
const TETS: &[&Kind] = &[&neo_hookean::KIND, &volume::KIND, &stretch::TET_KIND];

fn find(world: &World) -> Vec<Problem> {
    let sets = TETS.iter().filter_map(|kind| world.constraints_of(kind));
    let all = sets.flat_map(|set| (0..set.len()).map(|number| set.particles(number)));
    let mut inverted: Vec<[u32; 4]> =
        all.filter_map(|tet| tet.try_into().ok()).filter(|tet| is_inverted(world, *tet)).collect();
    inverted.sort_unstable();
    inverted.dedup();
    if inverted.is_empty() {
        return Vec::new();
    }
    let middle = |tet: &[u32; 4]| tet.map(|i| world.particles.position(i as usize)).iter().sum();
    let places = inverted.iter().map(middle).map(|sum: Vec3| sum / 4.0);
    vec![Problem {
        what: format!("{} tetrahedra are inside out", inverted.len()),
        remedy: "more substeps, or pull less: neo-Hookean bodies recover, others may not".into(),
        places: places.take(MOST_PLACES).collect(),
        body: None,
    }]
}

/// The order of corners is in docs/conventions.md: a positive volume is right.
fn is_inverted(world: &World, tet: [u32; 4]) -> bool {
    let [a, b, c, d] = tet.map(|i| world.particles.position(i as usize).as_dvec3());
    (b - a).cross(c - a).dot(d - a) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::shapes::TetBox;

    #[test]
    fn a_corner_pushed_through_its_cube_is_found_where_it_is() {
        let mut world = World::default();
        world.add(&TetBox::default().blueprint().unwrap()).unwrap();
        assert_eq!(find(&world), []);
        let corner = world.particles.position(0);
        world.particles.set_position(0, -3.0 * corner);
        let problems = find(&world);
        assert_eq!(problems.len(), 1);
        assert!(!problems[0].places.is_empty(), "{problems:?}");
    }
}
