//! Cloths that are dropped over a cube, a ball and the corner of a box.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, lies_still};
use crate::collider::Collider;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "draped",
    shows: "cloths fall over a cube, a ball and the corner of a box, and hang down from them",
    size: 41,
    test_size: 17,
    build,
    stage: |_| [Vec3::new(-1.0, 0.0, -0.3), Vec3::new(1.0, 0.55, 0.3)],
    seconds: 5.0,
    check: |world| lies_still(world, 1e-4),
};

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    let tilt = Quat::from_rotation_arc(Vec3::ONE.normalize_or_zero(), Vec3::Y);
    let things = [
        Collider::cuboid(Vec3::new(-0.65, 0.15, 0.0), Vec3::splat(0.3))?,
        Collider::sphere(Vec3::new(0.0, 0.2, 0.0), 0.2)?,
        Collider::cuboid(Vec3::new(0.65, 0.2, 0.0), Vec3::splat(0.3))?.turned(tilt),
    ];
    world.colliders.push(Collider { friction: 0.6, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    for thing in things {
        let above = Vec3::new(thing.position.x, 0.5, 0.0);
        world.add(&super::tablecloth(size)?.placed(Quat::from_rotation_y(0.3), above))?;
        world.colliders.push(Collider { friction: 0.4, ..thing });
    }
    Ok(world)
}
