//! A cube of tetrahedra that falls on a floor.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, lowest, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::measure::volume;
use crate::shapes::TetBox;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "soft_cube",
    shows: "a jelly of 20 cm lands on its edge, wobbles and keeps its volume",
    size: 20,
    test_size: 8,
    build,
    stage: |_| [Vec3::new(-0.3, 0.0, -0.2), Vec3::new(0.75, 0.45, 0.2)],
    seconds: 4.0,
    check,
};

/// Side of the cube (m).
const SIDE: f32 = 0.2;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    let spacing = SIDE / (size.max(2) - 1) as f32;
    let jelly = TetBox {
        counts: UVec3::splat(size),
        spacing,
        // A link carries a share of the cross-section that shrinks with the square of the spacing
        // and a length that shrinks with it: the same jelly at any size.
        edges: Hold::spring(3e4 * spacing),
        ..TetBox::default()
    };
    let tilt = Quat::from_rotation_z(0.5);
    world.add(&jelly.blueprint()?.placed(tilt, Vec3::Y * 0.3))?;
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    let rest = f64::from(SIDE * SIDE * SIDE);
    let ratio = volume::enclosed(world, world.triangles()) / rest;
    within("the volume over that at rest", ratio, 0.97, 1.03)?;
    within("the lowest point", lowest(world), -1e-4, 1e-3)
}
