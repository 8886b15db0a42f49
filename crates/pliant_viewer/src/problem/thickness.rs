//! Bodies that are thicker than their edges are long.

use pliant::World;

use super::{Check, Problem};

pub(super) const CHECK: Check = Check { name: "thickness above edge length", find, quick: true };

fn find(world: &World) -> Vec<Problem> {
    let thick = world.contact_report().thick;
    if thick == 0 {
        return Vec::new();
    }
    vec![Problem {
        what: format!("{thick} bodies are thicker than their shortest edge is long"),
        remedy: "a smaller radius or a coarser mesh; their parts may come nearer than the radius"
            .into(),
        places: Vec::new(),
        body: None,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::contact::Touch;
    use pliant::shapes::Cloth;
    use pliant::step;

    #[test]
    fn a_cloth_that_is_thicker_than_its_mesh_is_told_of() {
        let thick = |radius| {
            let mut world = World::default();
            let cloth = Cloth { radius, ..Cloth::default() };
            world.add(&cloth.blueprint().unwrap().touching(Touch::ALL)).unwrap();
            step(&mut world, 1.0 / 60.0).unwrap();
            find(&world).len()
        };
        assert_eq!([thick(1e-3), thick(0.2)], [0, 1]);
    }
}
