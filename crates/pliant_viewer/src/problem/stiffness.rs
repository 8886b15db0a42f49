//! Constraints that are softer than was asked for, because too few steps are taken.

use pliant::{Stiffness, World};

use super::{Check, Problem};

pub(super) const CHECK: Check = Check { name: "stiffness not reached", find, quick: false };

/// Share of the stiffness below which something looks wrong.
const LEAST: f64 = 0.5;

fn find(world: &World) -> Vec<Problem> {
    let sets = world.constraints().iter().filter(|set| !set.is_empty());
    let soft = sets.filter_map(|set| {
        let Stiffness { share, .. } = world.stiffness_reached(set);
        let share = share.filter(|share| *share < LEAST)?;
        Some(Problem {
            what: format!(
                "{} constraints reach {:.0} % of their stiffness",
                set.kind().name,
                100.0 * share
            ),
            remedy: "more substeps, or a softer material that the steps can solve".into(),
            places: Vec::new(),
            body: None,
        })
    });
    soft.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::shapes::Rope;
    use pliant::step;
    use pliant::{Config, Hold};

    #[test]
    fn a_stiff_rope_in_one_substep_is_told_of_and_in_many_is_not() {
        let soft = |substeps| {
            let mut world = World::new(Config { substeps, ..Config::default() });
            let stretch = Hold::spring(1e5);
            let rope = Rope { segments: 60, stretch, ..Rope::default() };
            world.add(&rope.blueprint().unwrap().pinned(&[0])).unwrap();
            for _ in 0..120 {
                step(&mut world, 1.0 / 60.0).unwrap();
            }
            find(&world).len()
        };
        assert_eq!([soft(1), soft(200)], [1, 0]);
    }
}
