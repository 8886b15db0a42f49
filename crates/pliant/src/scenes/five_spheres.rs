//! A cloth that falls onto five balls.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, lies_still};
use crate::collider::Collider;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "five_spheres",
    shows: "a cloth falls onto five balls and sinks between them",
    size: 61,
    test_size: 21,
    build,
    stage: |_| [Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.35, 0.4)],
    seconds: 5.0,
    check: |world| lies_still(world, 1e-4),
};

/// Radius of the balls, which lie on the floor (m).
const RADIUS: f32 = 0.1;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    world.add(&super::tablecloth(size)?.placed(Quat::IDENTITY, Vec3::Y * 0.3))?;
    world.colliders.push(Collider { friction: 0.6, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    for (x, z) in [(0.0, 0.0), (-0.17, -0.17), (-0.17, 0.17), (0.17, -0.17), (0.17, 0.17)] {
        let ball = Collider::sphere(Vec3::new(x, RADIUS, z), RADIUS)?;
        world.colliders.push(Collider { friction: 0.4, ..ball });
    }
    Ok(world)
}
