//! Bodies that tumble down stairs, side by side.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::measure::{energy, penetration};
use crate::mesh::solids::stairs::stairs;
use crate::shapes::{Lattice, Rigid, TetBox};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "stairs",
    shows: "a rigid box, a rigid ball, a jelly and a sponge come down stairs",
    size: 6,
    test_size: 4,
    build,
    stage: |_| [Vec3::new(-1.5, 0.0, -0.5), Vec3::new(0.5, 1.2, 0.5)],
    seconds: 6.0,
    check,
};

/// Side of the boxes, and diameter of the ball (m).
const SIDE: f32 = 0.16;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.3, ..Config::default() });
    let floor =
        Collider { friction: 0.5, restitution: 0.2, ..Collider::plane(Vec3::ZERO, Vec3::Y)? };
    world.colliders.push(floor);
    // What rolls does not stop by itself.
    world.colliders.push(Collider::plane(Vec3::X * -1.5, Vec3::X)?);
    let flight = Collider::mesh(stairs(5, 1))?;
    let flight = Collider { friction: 0.5, restitution: 0.2, ..flight };
    world.colliders.push(Collider { position: Vec3::Y * 0.5, ..flight });
    let (size, spacing) = (size.max(2), SIDE / (size.max(2) - 1) as f32);
    let counts = UVec3::splat(size);
    let bodies = [
        Rigid::cuboid(Vec3::splat(SIDE), 300.0)?.blueprint()?,
        Rigid::ball(0.5 * SIDE, 300.0)?.blueprint()?,
        TetBox { counts, spacing, ..TetBox::default() }.blueprint()?,
        Lattice { counts, spacing, ..Lattice::default() }.blueprint()?,
    ];
    for (lane, body) in bodies.into_iter().enumerate() {
        let place = Vec3::new(0.4, 1.15, 0.22 * lane as f32 - 0.33);
        let id = world.add(&body.placed(Quat::from_rotation_z(0.3), place))?;
        for i in world.body(id)?.range() {
            world.particles.set_velocity(i, Vec3::X * -0.8);
        }
    }
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    within("the deepest penetration (m)", penetration::deepest(world), 0.0, 5e-4)?;
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 0.05)?;
    within("the lowest point (m)", super::lowest(world), -1e-3, 0.1)
}
