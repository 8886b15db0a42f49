//! Bodies that lie still are not computed until something disturbs them. WGSL twin: `sleep.wgsl`

use glam::Vec4;

use crate::collider::Collider;
use crate::particles::Held;
use crate::snapshot::Fnv;
use crate::world::World;

pub(crate) const WGSL: &str = include_str!("sleep.wgsl");

/// Whether nothing moves.
pub(crate) fn all_asleep(world: &World) -> bool {
    let mut bodies = world.bodies().peekable();
    let still = world.colliders.iter().all(Collider::is_still);
    still && bodies.peek().is_some() && bodies.all(|(_, body)| body.asleep || body.held)
}

/// Puts islands to sleep of which every body was slow for long enough.
pub(crate) fn update(world: &mut World, dt: f32) {
    let (limit, patience) = (world.config.sleep_speed, world.config.sleep_after);
    if limit <= 0.0 {
        return;
    }
    let World { slots, particles, .. } = world;
    for body in slots.iter_mut().filter_map(|slot| slot.body.as_mut()) {
        let slow =
            particles.v[body.range()].iter().all(|v| v.truncate().length_squared() < limit * limit);
        body.quiet = if slow { body.quiet + dt } else { 0.0 };
    }
    for slot in 0..world.slots.len() {
        let awake = world.slots[slot].body.as_ref().filter(|body| !body.asleep && !body.held);
        let Some(island) = awake.map(|body| body.island) else { continue };
        let all_quiet = world
            .bodies()
            .filter(|(_, body)| body.island == island)
            .all(|(_, body)| body.held || body.quiet >= patience);
        if all_quiet {
            world.set_held(slot, Held::Yes);
            if let Some(body) = world.slots[slot].body.as_mut() {
                body.asleep = true;
            }
        }
    }
}

/// Wakes everything when settings, colliders or forces changed, and an island when one of its
/// bodies was woken, given a velocity, or unpinned.
pub(crate) fn wake_disturbed(world: &mut World) {
    if world.config.sleep_speed <= 0.0 && world.bodies().all(|(_, body)| !body.asleep) {
        return;
    }
    let surroundings = surroundings(world);
    let everything = surroundings != world.surroundings;
    world.surroundings = surroundings;
    for slot in 0..world.slots.len() {
        let asleep = world.slots[slot].body.as_ref().filter(|body| body.asleep);
        let Some(island) = asleep.map(|body| body.island) else { continue };
        let disturbed =
            world.bodies().filter(|(_, body)| body.island == island).any(|(_, body)| {
                let pushed = world.particles.v[body.range()].iter().any(|v| *v != Vec4::ZERO);
                let freed = world.particles.xw[body.range()].iter().any(|row| row.w > 0.0);
                !body.held && (!body.asleep || pushed || freed)
            });
        if everything || disturbed {
            world.set_held(slot, Held::No);
        }
    }
}

/// A number that changes when anything does that a sleeping body would notice.
fn surroundings(world: &World) -> u64 {
    let mut fnv = Fnv::default();
    fnv.floats(world.config.gravity.as_ref());
    for collider in &world.colliders {
        fnv.floats(collider.position.as_ref());
        fnv.floats(collider.rotation.as_ref());
        fnv.floats(&collider.params);
        fnv.floats(collider.velocity.as_ref());
        fnv.floats(collider.angular_velocity.as_ref());
    }
    for force in &world.forces {
        fnv.floats(&force.params);
        force.particles.iter().for_each(|&particle| fnv.word(particle));
    }
    world.sets.iter().for_each(|set| fnv.word(set.len() as u32));
    for set in &world.regions {
        fnv.word(set.len() as u32);
        set.params.iter().for_each(|column| fnv.floats(column));
    }
    fnv.finish()
}

/// Finds out which bodies constraints tie together.
pub(crate) fn find_islands(world: &mut World) {
    let mut island: Vec<u32> = (0..world.slots.len() as u32).collect();
    let mut tie = |particles: &[u32]| {
        let bodies = particles.iter().map(|&p| world.particles.body[p as usize]);
        let first = world.particles.body[particles[0] as usize];
        for body in bodies.filter(|&body| body != first) {
            let (a, b) = (root(&island, body), root(&island, first));
            island[a.max(b) as usize] = a.min(b);
        }
    };
    for set in &world.sets {
        set.colored.ids().chunks_exact(set.kind().particles).for_each(&mut tie);
    }
    for set in &world.regions {
        (0..set.len()).for_each(|region| tie(set.members(region)));
    }
    for (index, slot) in world.slots.iter_mut().enumerate() {
        if let Some(body) = slot.body.as_mut() {
            body.island = root(&island, index as u32);
        }
    }
}

/// The island's lowest body; roots point at themselves.
fn root(island: &[u32], mut body: u32) -> u32 {
    while island[body as usize] != body {
        body = island[body as usize];
    }
    body
}
