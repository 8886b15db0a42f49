//! A ball that runs through a curtain, to and fro.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::collider::motion::{Blend, End, Key, Motion, Track};
use crate::measure::{penetration, strain};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "curtain",
    shows: "a ball on keyframes pushes through a hanging cloth, to and fro",
    size: 41,
    test_size: 17,
    build,
    stage: |_| [Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.6, 0.4)],
    seconds: 5.0,
    check,
};

/// Radius of the ball (m).
const RADIUS: f32 = 0.1;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    let upright = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    let cloth = super::tablecloth(size)?.placed(upright, Vec3::Y * 0.3);
    let top = cloth.positions.iter().map(|x| x.y).fold(f32::MIN, f32::max);
    let ids = 0..cloth.positions.len() as u32;
    let pins: Vec<u32> = ids.filter(|&i| cloth.positions[i as usize].y > top - 1e-4).collect();
    world.add(&cloth.pinned(&pins))?;
    let key = |time, x, z| Key { time, position: Vec3::new(x, 0.2, z), rotation: Quat::IDENTITY };
    let keys = [
        key(0.0, 0.0, 0.4),
        key(1.0, 0.1, 0.0),
        key(2.0, 0.0, -0.4),
        key(3.0, -0.1, 0.0),
        key(4.0, 0.0, 0.4),
    ];
    let ball = Collider::sphere(keys[0].position, RADIUS)?;
    let track = Track::new(&keys, Blend::Smooth, End::Repeat)?;
    world.colliders.push(Collider { friction: 0.2, ..ball.moved(Motion::Track(track)) });
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    // A millimetre of a particle's 5: the ball moves at 0.6 m/s, 0.5 mm in a substep.
    within("the deepest penetration (m)", penetration::deepest(world), 0.0, 1e-3)?;
    within("how far the ball comes through (m)", penetration::pierced(world), 0.0, 0.0)?;
    within("the largest strain", strain::largest(world), 0.0, 0.6)?;
    // It has been pushed to the side that the ball is on now.
    let front = world.particles.xw.iter().map(|row| row.z).fold(f32::MIN, f32::max);
    within("how far it is pushed out (m)", f64::from(front), 0.02, 0.5)
}
