//! Bars that are bent by balls: one springs back, one stays bent.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::collider::motion::{Blend, End, Key, Motion, Track};
use crate::constraint::set::Hold;
use crate::shapes::TetBox;
use crate::tear::Strength;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "bent_bars",
    shows: "balls press the ends of two bars down: one springs back, the other is bent for good",
    size: 4,
    test_size: 2,
    build,
    stage: |_| [Vec3::new(-0.05, 0.0, -0.2), Vec3::new(0.65, 0.4, 0.2)],
    seconds: 4.0,
    check,
};

/// Length and thickness of the bars (m).
const LENGTH: f32 = 0.5;
const THICKNESS: f32 = 0.05;
/// Height of their middle (m).
const HEIGHT: f32 = 0.3;
/// How far their ends are pressed down (m).
const PRESSED: f32 = 0.15;
/// Radius of the balls (m).
const RADIUS: f32 = 0.05;
/// How far from the middle of the picture they are (m).
const ASIDE: f32 = 0.1;

/// Bars of `size` cells across.
fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let size = size.max(1);
    let spacing = THICKNESS / size as f32;
    let along = (LENGTH / spacing).round() as u32 + 1;
    let bar = TetBox {
        counts: UVec3::new(along, size + 1, size + 1),
        spacing,
        density: 300.0,
        edges: Hold::spring(2e7 * spacing).damped(1e4 * spacing),
        ..TetBox::default()
    };
    let yields = Strength { yield_strain: 0.01, ..Strength::default() };
    let mut world = World::new(Config { damping: 2.0, ..Config::default() });
    for (strength, z) in [(Strength::default(), ASIDE), (yields, -ASIDE)] {
        let blueprint = bar.blueprint()?.of_strength(strength)?;
        let held = |i: &u32| blueprint.positions[*i as usize].x < spacing / 2.0 - LENGTH / 2.0;
        let pins: Vec<u32> = (0..blueprint.positions.len() as u32).filter(held).collect();
        let place = Vec3::new(LENGTH / 2.0, HEIGHT, z);
        world.add(&blueprint.pinned(&pins).placed(Quat::IDENTITY, place))?;
        world.colliders.push(ball(z)?);
    }
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    Ok(world)
}

/// A ball that comes down on the end of a bar, and goes up again.
fn ball(z: f32) -> Result<Collider, Box<dyn Error>> {
    let touching = HEIGHT + THICKNESS / 2.0 + RADIUS;
    let key = |time, y| Key {
        time,
        position: Vec3::new(LENGTH - RADIUS, y, z),
        rotation: Quat::IDENTITY,
    };
    let keys = [
        key(0.0, touching + 0.05),
        key(1.2, touching - PRESSED),
        key(1.5, touching - PRESSED),
        key(2.2, touching + 0.05),
    ];
    let track = Track::new(&keys, Blend::Linear, End::Stop)?;
    let ball = Collider { friction: 0.1, ..Collider::sphere(keys[0].position, RADIUS)? };
    Ok(ball.moved(Motion::Track(track)))
}

fn check(world: &World) -> Result<(), String> {
    let ends: Vec<f64> = world
        .bodies()
        .map(|(_, body)| f64::from(world.particles.position(body.range().end - 1).y))
        .collect();
    let straight = f64::from(HEIGHT + THICKNESS / 2.0);
    within("how far the elastic bar is bent (m)", straight - ends[0], -0.005, 0.02)?;
    within("how far the plastic bar is bent (m)", straight - ends[1], 0.04, 0.15)
}
