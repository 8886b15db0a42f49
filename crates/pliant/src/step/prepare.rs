//! What must be true before the first substep.

use crate::constraint::set::Set;
use crate::contact;
use crate::solver;
use crate::step::{contacts, forces, quarantine, sleep};
use crate::world::World;

/// Brings colours, threads and scratch space up to date, puts bodies aside whose numbers are not
/// finite, and wakes those whose surroundings changed.
///
/// Does nothing, and allocates nothing, when nothing changed.
pub(crate) fn prepare(world: &mut World) {
    let particle_count = world.particles.len();
    world.scratch.pool.resize(world.config.threads);
    let edited = world.sets.iter().any(|set| !set.colored.is_sorted())
        || world.regions.iter().any(|set| set.is_edited());
    let forced = forces::any(world);
    let World { sets, slots, particles, config, .. } = world;
    let pulls = |set: &Set, slot| forces::pulls(set, slot, slots, &particles.body);
    for set in sets {
        set.prepare(particle_count, config, forced.then_some(pulls));
    }
    for set in &mut world.regions {
        set.prepare(&world.particles, &world.config);
    }
    if edited {
        sleep::find_islands(world);
    }
    solver::prepare(world);
    let touchable = if world.colliders.is_empty() { 0 } else { particle_count };
    world.scratch.contacts.resize(touchable, Default::default());
    quarantine::contain(world);
    sleep::wake_disturbed(world);
    forces::gather(world);
    contacts::prepare(world);
    contact::prepare(world);
}
