//! Bodies whose numbers stopped being finite.

use pliant::World;

use super::{Check, MOST_PLACES, Problem};

pub(super) const CHECK: Check = Check { name: "explosions", find, quick: true };

fn find(world: &World) -> Vec<Problem> {
    let found = world.quarantine.iter().filter_map(|entry| {
        let body = world.body(entry.body).ok()?;
        let rows = world.particles.xw[body.range()].iter();
        Some(Problem {
            what: format!(
                "{} stopped being finite at {:.2} s and was put aside (particle {})",
                body.name, entry.time, entry.particle
            ),
            remedy: "more substeps, a softer material or less damping; then let it go".into(),
            places: rows.map(|row| row.truncate()).take(MOST_PLACES).collect(),
            body: Some(body.name.clone()),
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::glam::Vec3;
    use pliant::shapes::Cloth;
    use pliant::step;

    #[test]
    fn a_body_that_exploded_is_named_and_can_be_let_go() {
        let mut world = World::default();
        let id = world.add(&Cloth::default().blueprint().unwrap()).unwrap();
        assert_eq!(find(&world), []);
        step(&mut world, 1.0 / 60.0).unwrap();
        world.particles.set_velocity(3, Vec3::splat(f32::NAN));
        step(&mut world, 1.0 / 60.0).unwrap();
        let problems = find(&world);
        let name = world.body(id).unwrap().name.clone();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].body.as_ref(), Some(&name));
        assert!(problems[0].places.iter().all(|x| x.is_finite()));
        world.release(id).unwrap();
        assert_eq!(find(&world), []);
    }
}
