//! Forces beside gravity, and the list of ours.
//!
//! One more force is one file here, its WGSL twin beside it, and one line in [`ALL`]. The WGSL twin of
//! this file is `force.wgsl`.

use glam::Vec4;

use crate::particles::Particles;

/// The part of the GPU's shader that is the same for every force.
pub(crate) const WGSL: &str = include_str!("force.wgsl");

pub mod point;
pub mod wind;

/// Every force of ours.
pub const ALL: &[&ForceKind] = &[wind::KIND, point::KIND];

/// A force as data: what any part of the engine needs to know of it.
#[derive(Debug)]
pub struct ForceKind {
    /// The name, as in scene files and snapshots.
    pub name: &'static str,
    /// What the numbers of [`Force::params`] mean, such as `wind x (m/s)`.
    pub params: &'static [&'static str],
    /// Adds the acceleration (m/s²) of each particle.
    pub apply: fn(&Force, Surroundings<'_>, acceleration: &mut [Vec4]),
    /// The same for the GPU: a function of the kind's name. `None` keeps it on the CPU.
    pub wgsl: Option<&'static str>,
}

/// What a force may look at.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The particles.
    pub particles: &'a Particles,
    /// The surfaces of all bodies.
    pub triangles: &'a [[u32; 3]],
    /// How long the force acts before it is asked again (s).
    pub h: f32,
}

/// A force that acts until it is removed from the world.
#[derive(Clone, Debug)]
pub struct Force {
    /// What it is.
    pub kind: &'static ForceKind,
    /// The numbers of its kind.
    pub params: Vec<f32>,
    /// The particles it acts on, in increasing order; none means all.
    pub particles: Vec<u32>,
}

impl Force {
    pub(crate) fn apply(
        &self,
        particles: &Particles,
        triangles: &[[u32; 3]],
        h: f32,
        acceleration: &mut [Vec4],
    ) {
        (self.kind.apply)(self, Surroundings { particles, triangles, h }, acceleration);
    }

    /// Whether it acts on a particle.
    pub fn acts_on(&self, particle: u32) -> bool {
        match self.particles.as_slice() {
            [] => true,
            // All of a body: in one piece, so the ends say enough.
            [first, .., last]
                if last.checked_sub(*first) == Some(self.particles.len() as u32 - 1) =>
            {
                (*first..=*last).contains(&particle)
            }
            some => some.binary_search(&particle).is_ok(),
        }
    }

    /// Renames the particles it acts on; whatever was split from one (`source`) is acted on too. A
    /// force that lost all of them acts on none.
    pub(crate) fn follow(&mut self, new_id: &[Option<u32>], source: impl Fn(u32) -> u32) {
        if self.particles.is_empty() {
            return;
        }
        let mut acted_on = vec![false; new_id.len()];
        for &id in &self.particles {
            if let Some(acted_on) = acted_on.get_mut(id as usize) {
                *acted_on = true;
            }
        }
        let names = (0..new_id.len() as u32).filter(|&id| acted_on[source(id) as usize]);
        self.particles = names.filter_map(|id| new_id[id as usize]).collect();
        self.particles.sort_unstable();
        if self.particles.is_empty() {
            self.params.fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_acts_on_the_particles_it_lists_and_on_all_if_it_lists_none() {
        let on = |particles: &[u32]| Force::point(particles, glam::Vec3::X);
        let acted_on = |force: Force| (0..8).filter(|&i| force.acts_on(i)).collect::<Vec<_>>();
        assert_eq!(acted_on(on(&[])), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(acted_on(on(&[5])), [5]);
        assert_eq!(acted_on(on(&[2, 3, 4])), [2, 3, 4]);
        assert_eq!(acted_on(on(&[1, 4, 6])), [1, 4, 6]);
        on(&[6, 1]).acts_on(3); // not in order: any answer, no panic
    }
}
