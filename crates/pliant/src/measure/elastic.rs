//! Energy that constraints hold.

use super::{Measure, values};
use crate::constraint::Sense;
use crate::world::World;

/// Energy of all springs.
pub const ENERGY: &Measure = &Measure { name: "elastic energy", unit: "J", of: energy };

/// Σ ½ C²/α (J) of all constraints that give; what is rigid holds none, and neither does what only
/// pushes or pulls while it does nothing.
///
/// Macklin et al. 2016, "XPBD", eq. 3 and 4.
pub fn energy(world: &World) -> f64 {
    let of_set = |set| {
        values(world, set).map(|(number, c)| {
            let compliance = f64::from(set.hold(number).compliance);
            let strained = match set.kind().sense {
                Sense::Equal => c,
                Sense::AtLeast => c.min(0.0),
                Sense::AtMost => c.max(0.0),
            };
            if compliance > 0.0 { 0.5 * strained * strained / compliance } else { 0.0 }
        })
    };
    world.constraints().iter().flat_map(of_set).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::distance;
    use crate::{Blueprint, Hold};
    use glam::Vec3;

    #[test]
    fn a_spring_holds_half_k_times_the_square_of_its_stretch() {
        let mut body = Blueprint::default();
        let [a, b] = [0.0, 2.0].map(|x| body.particle(Vec3::X * x, 1.0));
        for (kind, rest) in [(&distance::KIND, 1.5), (&distance::MIN_KIND, 1.0)] {
            body.join_with_rest(kind, &[a, b], &[rest], Hold::spring(8.0)).unwrap();
        }
        body.join_with_rest(&distance::KIND, &[a, b], &[0.0], Hold::RIGID).unwrap();
        let mut world = World::default();
        world.add(&body).unwrap();
        // ½ 8 N/m (0.5 m)²; the distance of at least 1 m is kept, and the rigid one holds none.
        assert!((energy(&world) - 1.0).abs() < 1e-6, "{} J", energy(&world));
        world.particles.set_position(1, Vec3::X * 0.5);
        assert!((energy(&world) - 5.0).abs() < 1e-6, "{} J", energy(&world));
    }
}
