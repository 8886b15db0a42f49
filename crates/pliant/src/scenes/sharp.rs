//! Cloths that fall on the blade of an axe, on a ledge and on a spike.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, lies_still};
use crate::collider::Collider;
use crate::mesh::solids::{axe, ledge, spike};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "sharp",
    shows: "cloths fall on an axe, a ledge and a spike, none of which comes through",
    size: 25,
    test_size: 9,
    build,
    stage: |_| [Vec3::new(-1.0, 0.0, -0.3), Vec3::new(1.0, 0.6, 0.3)],
    seconds: 5.0,
    check: |world| lies_still(world, 3e-4),
};

/// How large the solids of a metre are (m).
const SIZE: f32 = 0.4;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    world.colliders.push(Collider { friction: 0.6, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    for (place, solid) in [axe::SOLID, ledge::SOLID, spike::SOLID].into_iter().enumerate() {
        let mut surface = (solid.make)(8)?;
        surface.positions.iter_mut().for_each(|x| *x *= SIZE);
        let x = 0.65 * (place as f32 - 1.0);
        let thing = Collider { friction: 0.5, ..Collider::mesh(surface)? };
        world.colliders.push(Collider { position: Vec3::new(x, 0.5 * SIZE, 0.0), ..thing });
        let above = Vec3::new(x + 0.013, SIZE + 0.1, 0.017);
        world.add(&super::tablecloth(size)?.placed(Quat::from_rotation_y(0.3), above))?;
    }
    Ok(world)
}
