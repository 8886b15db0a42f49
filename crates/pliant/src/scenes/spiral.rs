//! A cloth that is cut in a spiral and hangs by its rim.

use std::error::Error;
use std::f32::consts::TAU;

use glam::Vec3;

use super::{Scene, lowest, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::cut::Blade;
use crate::shapes::{Bending, Cloth};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "spiral",
    shows: "a cloth, cut in a spiral and held at its rim, unrolls down to the floor",
    size: 61,
    test_size: 31,
    build,
    stage: |_| [Vec3::new(-0.55, 0.0, -0.55), Vec3::new(0.55, 1.25, 0.55)],
    seconds: 2.0,
    check,
};

/// Height of the rim (m).
const RIM: f32 = 1.2;
/// Side of the cloth (m).
const SIDE: f32 = 1.0;
/// Width of the strip between two turns (m).
const STRIP: f32 = 0.11;
/// Turns of the blade.
const TURNS: f32 = 3.5;
/// Corners of the blade in a turn.
const CORNERS: u32 = 48;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let size = size.max(11);
    let cloth = Cloth {
        columns: size,
        rows: size,
        spacing: [SIDE / (size - 1) as f32; 2],
        stretch: Hold::spring(2e3),
        shear: Some(Hold::spring(200.0)),
        bending: Bending::Links(Hold::spring(1.0)),
        ..Cloth::default()
    };
    let rim: Vec<u32> = (0..size * size)
        .filter(|i| [i / size, i % size].iter().any(|&place| place == 0 || place == size - 1))
        .collect();
    let mut world = World::new(Config { damping: 0.6, ..Config::default() });
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    let place = Vec3::Y * RIM;
    world.add(&cloth.blueprint()?.pinned(&rim).placed(glam::Quat::IDENTITY, place))?;
    world.cut(&blade()?)?;
    Ok(world)
}

/// Archimedes' spiral, from near the middle outwards, as the way of an upright edge.
fn blade() -> Result<Blade, Box<dyn Error>> {
    let count = (TURNS * CORNERS as f32) as u32;
    let edge = |k: u32| {
        let turns = k as f32 / CORNERS as f32;
        let (sin, cos) = libm::sincosf(turns * TAU);
        let x = Vec3::new(cos, 0.0, sin) * STRIP * (turns + 0.5);
        [1.0, -1.0].map(|side| x + Vec3::Y * (RIM + 0.1 * side))
    };
    let edges: Vec<[Vec3; 2]> = (0..=count).map(edge).collect();
    Ok(Blade::sweep(&edges)?)
}

fn check(world: &World) -> Result<(), String> {
    world.check().map_err(|broken| broken.to_string())?;
    within("the number of bodies", world.bodies().count() as f64, 1.0, 1.0)?;
    within("the height of the lowest point (m)", lowest(world), -1e-3, 0.3)
}
