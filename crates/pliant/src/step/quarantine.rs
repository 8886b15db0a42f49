//! Numbers that are not finite are contained and reported. WGSL twin: `quarantine.wgsl`

use glam::Vec4;

use crate::body::BodyId;
use crate::particles::Held;
use crate::world::{Quarantine, World};

pub(crate) const WGSL: &str = include_str!("quarantine.wgsl");

/// Positions beyond this are as bad as infinite ones (m): their squares overflow.
const FARTHEST: f32 = 1e18;

/// Puts every body with a non-finite particle back to its last finite pose, holds it there, and
/// lists it in [`World::quarantine`]. Remembers the pose of the others.
pub(crate) fn contain(world: &mut World) {
    let known = world.scratch.good.len();
    world.scratch.good.resize(world.particles.len(), (Vec4::ZERO, 0.0));
    for slot in 0..world.slots.len() {
        let Some(body) = world.slots[slot].body.as_ref() else { continue };
        let range = body.range();
        let particles = &mut world.particles;
        match range.clone().find(|&i| !is_finite(particles, i)) {
            None => {
                for i in range {
                    world.scratch.good[i] = (particles.xw[i], particles.inverse_mass[i]);
                }
            }
            Some(bad) => {
                for i in range {
                    // A body that was never seen whole has no pose to go back to: to the origin.
                    let (xw, w) = world.scratch.good[i];
                    let xw = if i < known { xw } else { finite(particles.xw[i]) };
                    particles.xw[i] = xw;
                    particles.predicted[i] = xw.with_w(0.0);
                    particles.inverse_mass[i] = if i < known { w } else { 1.0 };
                }
                hold(world, slot, bad);
            }
        }
    }
}

fn hold(world: &mut World, slot: usize, particle: usize) {
    world.set_held(slot, Held::Yes);
    let body = BodyId { index: slot as u32, generation: world.slots[slot].generation };
    if let Some(held) = world.slots[slot].body.as_mut() {
        held.held = true;
    }
    world.quarantine.retain(|entry| entry.body != body);
    let time = world.time;
    world.quarantine.push(Quarantine { body, particle: particle as u32, time });
}

fn is_finite(particles: &crate::Particles, i: usize) -> bool {
    let near = |row: Vec4| row.abs().cmple(Vec4::splat(FARTHEST)).all(); // not so for NaN
    let w = particles.inverse_mass[i];
    near(particles.xw[i])
        && near(particles.v[i])
        && particles.xw[i].w >= 0.0
        && near(Vec4::splat(w))
        && w >= 0.0
}

/// The row with 0 in place of what is not finite.
fn finite(row: Vec4) -> Vec4 {
    Vec4::from_array(row.to_array().map(|c| if c.abs() <= FARTHEST { c } else { 0.0 }))
}
