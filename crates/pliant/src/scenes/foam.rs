//! A lattice of links that rolls down a slope, over a ball and to rest.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::measure::energy;
use crate::shapes::Lattice;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "foam",
    shows: "a block of foam bounces off a ball, slides down a slope and comes to rest on the floor",
    size: 9,
    test_size: 5,
    build,
    stage: |_| [Vec3::new(-0.5, 0.0, -0.3), Vec3::new(1.9, 1.05, 0.3)],
    seconds: 6.0,
    check,
};

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.2, sleep_speed: 0.02, ..Config::default() });
    let spacing = 0.2 / (size.max(2) - 1) as f32;
    let foam = Lattice {
        counts: UVec3::splat(size),
        spacing,
        density: 100.0,
        radius: 0.4 * spacing,
        links: Hold::spring(2e4 * spacing).damped(0.5),
    };
    let turn = Quat::from_rotation_z(0.4);
    world.add(&foam.blueprint()?.placed(turn, Vec3::new(-0.1, 0.9, 0.0)))?;
    let ball = Collider::sphere(Vec3::new(-0.25, 0.45, 0.0), 0.15)?;
    let slope = Collider::plane(Vec3::ZERO, Vec3::new(0.5, 1.0, 0.0))?;
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    world.colliders.extend([
        Collider { restitution: 0.5, ..ball },
        Collider { friction: 0.2, ..slope },
        Collider { friction: 0.6, ..floor },
    ]);
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 1e-3)?;
    let deepest = world.colliders.iter().flat_map(|collider| {
        let particles = &world.particles;
        (0..particles.len())
            .map(move |i| particles.radius[i] - collider.signed_distance(particles.position(i)).0)
    });
    within("the deepest penetration (m)", f64::from(deepest.fold(0.0, f32::max)), 0.0, 1e-4)
}
