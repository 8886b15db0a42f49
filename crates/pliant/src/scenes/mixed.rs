//! The standard workload of everything together: cloths fall on heaps of jelly and foam.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, lowest, tablecloth, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::measure::penetration;
use crate::shapes::{Lattice, TetBox};
use crate::world::World;

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "mixed",
    shows: "cloths fall on heaps of tetrahedra and lattices, and on themselves",
    size: 52,
    test_size: 1,
    build,
    stage: |size| {
        let half = 0.5 * PITCH * across(size) as f32;
        [Vec3::new(-half, 0.0, -half), Vec3::new(half, 0.4, half)]
    },
    seconds: 2.0,
    check,
};

/// From heap to heap (m).
const PITCH: f32 = 0.7;
/// Particles along a side of a cloth; a third of all are in cloths: 625 of 1 915 in a heap.
const CLOTH: u32 = 25;
/// Half the thickness of all skins (m).
const RADIUS: f32 = 2.5e-3;

/// Heaps along a side of the square that they make.
fn across(size: u32) -> u32 {
    (1..).find(|n| n * n >= size).unwrap_or(1)
}

/// `size` heaps of three cubes of tetrahedra, three of lattices on them, and a cloth above: 52 of
/// them have 99 580 particles.
fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    world.colliders.push(Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let touch = Touch { friction: 0.5, ..Touch::OTHERS };
    let hold = Hold { damping: 1.0, ..Hold::spring(2e3) };
    let jelly = TetBox { radius: RADIUS, density: 200.0, edges: hold, ..TetBox::default() };
    let jelly = jelly.blueprint()?.touching(touch);
    let counts = UVec3::new(6, 6, 6);
    let foam = Lattice { counts, spacing: 0.02, radius: RADIUS, links: hold, ..Lattice::default() };
    let foam = foam.blueprint()?.touching(touch);
    let cloth = tablecloth(CLOTH)?.touching(Touch { friction: 0.5, ..Touch::ALL });
    for heap in 0..size {
        let [x, z] = [heap % across(size), heap / across(size)]
            .map(|i| PITCH * (i as f32 - (across(size) - 1) as f32 / 2.0));
        for k in 0..3 {
            let turn = Quat::from_rotation_y(0.3 * (heap + k) as f32);
            let aside = 0.16 * (k as f32 - 1.0);
            world.add(&jelly.clone().placed(turn, Vec3::new(x + aside, 0.06, z)))?;
            world.add(&foam.clone().placed(turn, Vec3::new(x, 0.18, z + aside)))?;
        }
        world.add(&cloth.clone().placed(Quat::IDENTITY, Vec3::new(x, 0.32, z)))?;
    }
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    within("the deepest in the floor (m)", penetration::deepest(world), 0.0, 0.02 * 2.5e-3)?;
    let deepest = f64::from(world.contact_report().deepest_share);
    within("the deepest penetration over the thickness", deepest, 0.0, 0.1)?;
    within("the lowest point (m)", lowest(world), f64::from(RADIUS) - 1e-4, 0.05)
}
