//! Numbers that say how a world is doing, and the list of ours.
//!
//! One more measurement is one file here and one line in [`ALL`].

use crate::constraint::set::Set;
use crate::lanes::V3;
use crate::world::World;

pub mod elastic;
pub mod energy;
pub mod momentum;
pub mod penetration;
pub mod strain;
pub mod volume;

/// Every measurement, in the order in which it is shown.
pub const ALL: &[&Measure] = &[
    energy::KINETIC,
    energy::GRAVITATIONAL,
    elastic::ENERGY,
    momentum::SIZE,
    momentum::ANGULAR,
    strain::LARGEST,
    volume::ENCLOSED,
    volume::ERROR,
    penetration::DEEPEST,
];

/// One number of a world.
#[derive(Debug)]
pub struct Measure {
    /// The name, as in tables and files.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// Measures.
    pub of: fn(&World) -> f64,
}

/// A number as it is now, with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What was measured.
    pub name: String,
    /// The unit.
    pub unit: &'static str,
    /// The number.
    pub value: f64,
}

/// Everything that can be plotted: all of [`ALL`], then the residual of every kind of constraint
/// that the world has, in the kind's unit ([`World::residual`]).
pub fn readings(world: &World) -> Vec<Reading> {
    let measured = ALL.iter().map(|measure| Reading {
        name: measure.name.into(),
        unit: measure.unit,
        value: (measure.of)(world),
    });
    let sets = world.constraints().iter().filter(|set| !set.is_empty());
    let residuals = sets.map(|set| Reading {
        name: format!("residual of {}", set.kind().name),
        unit: set.kind().unit,
        value: world.residual(set),
    });
    measured.chain(residuals).collect()
}

/// The number and the value C of every constraint of a set, in double precision.
fn values<'a>(world: &'a World, set: &'a Set) -> impl Iterator<Item = (usize, f64)> + 'a {
    let mut x: Vec<V3<f64>> = Vec::new();
    let mut rest: Vec<f64> = Vec::new();
    let mut grad = Vec::new();
    (0..set.len()).map(move |number| {
        let at = |&i: &u32| V3::from(world.particles.position(i as usize).as_dvec3());
        x.clear();
        x.extend(set.particles(number).iter().map(at));
        rest.clear();
        rest.extend(set.rest(number).map(f64::from));
        grad.clone_from(&x);
        (number, set.kind().eval(&x, &rest, &mut grad))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::TetBox;
    use crate::step;

    #[test]
    fn readings_have_every_measure_and_the_residual_of_every_kind_present() {
        let mut world = World::default();
        world.add(&TetBox::default().blueprint().unwrap()).unwrap();
        step(&mut world, 1.0 / 60.0).unwrap();
        let readings = readings(&world);
        let names: Vec<&str> = readings.iter().map(|reading| reading.name.as_str()).collect();
        assert_eq!(names[..ALL.len()], ALL.iter().map(|measure| measure.name).collect::<Vec<_>>());
        assert_eq!(names[ALL.len()..], ["residual of volume", "residual of distance"]);
        assert!(readings.iter().all(|reading| reading.value.is_finite()), "{readings:?}");
    }

    #[test]
    fn a_box_blown_up_by_a_tenth_has_that_volume_error() {
        let mut world = World::default();
        world.add(&TetBox::default().blueprint().unwrap()).unwrap();
        assert!(volume::error(&world) < 1e-5);
        for i in 0..world.particles.len() {
            let x = world.particles.position(i);
            world.particles.set_position(i, x * 1.1);
        }
        let error = volume::error(&world);
        assert!((error - (1.1f64.powi(3) - 1.0)).abs() < 1e-5, "{error}");
        let strain = strain::largest(&world);
        assert!((strain - 0.1).abs() < 1e-5, "{strain}");
    }
}
