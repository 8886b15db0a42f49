//! Wind beside that of the scene, and gusts.

use pliant::World;
use pliant::force::wind::{self, Wind};
use pliant::glam::Vec3;

/// How long a gust lasts (s).
const GUST: f64 = 1.0;

/// Fastest wind (m/s): a hurricane has 60.
pub const FASTEST: f32 = 100.0;

/// The air that a user moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Air {
    /// How many forces are the scene's own.
    own: usize,
    /// How the air moves (m/s).
    pub(crate) wind: Vec3,
    gust: Vec3,
    /// Until when the gust lasts (s).
    until: f64,
}

impl Air {
    /// Air that stands, in a world as it begins.
    pub(crate) fn of(world: &World) -> Self {
        Self { own: world.forces.len(), ..Self::default() }
    }

    /// The wind from now on (m/s).
    pub(crate) fn blow(&mut self, wind: Vec3) {
        if wind.is_finite() {
            self.wind = wind.clamp_length_max(FASTEST);
        }
    }

    /// A gust on top of it (m/s), for a second.
    pub(crate) fn gust(&mut self, gust: Vec3, now: f64) {
        if gust.is_finite() {
            (self.gust, self.until) = (gust.clamp_length_max(FASTEST), now + GUST);
        }
    }

    /// Puts the forces of this moment into the world.
    pub(crate) fn apply(&self, world: &mut World) {
        world.forces.truncate(self.own);
        let gust = if world.time < self.until { self.gust } else { Vec3::ZERO };
        let velocity = self.wind + gust;
        if velocity != Vec3::ZERO {
            world.forces.push(Wind { velocity, ..Wind::default() }.into());
        }
    }
}

/// How the air moves by all winds of a world that blow at everything (m/s).
pub(crate) fn of(world: &World) -> Vec3 {
    let winds = world.forces.iter().filter(|force| force.kind.name == wind::KIND.name);
    let winds = winds.filter(|force| force.particles.is_empty());
    winds.filter_map(|force| force.params.get(..3).map(Vec3::from_slice)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::step;

    #[test]
    fn a_gust_ends_after_a_second_and_leaves_the_scenes_own_forces() {
        let mut world = World::default();
        world.forces.push(Wind::default().into());
        let mut air = Air::of(&world);
        air.gust(Vec3::X * 8.0, world.time);
        let mut blowing = 0;
        for _ in 0..120 {
            air.apply(&mut world);
            blowing += world.forces.len() - 1;
            step(&mut world, 1.0 / 60.0).unwrap();
        }
        assert!((60..=61).contains(&blowing), "{blowing} steps");
        air.blow(Vec3::NAN);
        air.apply(&mut world);
        assert_eq!(world.forces.len(), 1);
    }
}
