//! The standard workload of the field: a cloth that hangs by two corners.

use std::error::Error;

use glam::Vec3;

use super::{Scene, lowest, within};
use crate::constraint::set::Hold;
use crate::shapes::{Bending, Cloth};
use crate::world::World;

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "hanging_cloth",
    shows: "a stiff cloth, 0.1 m between particles, swings down from two corners",
    size: 100,
    test_size: 20,
    build,
    stage: |size| {
        [Vec3::new(-0.5, -1.1, -1.0), Vec3::new(0.5, 0.1, 0.5)].map(|x| x * SPACING * size as f32)
    },
    seconds: 2.0,
    check,
};

/// Distance of neighbours (m).
const SPACING: f32 = 0.1;

/// Links to all eight neighbours, rigid, as other engines are measured with.
pub fn cloth(size: u32) -> Cloth {
    Cloth {
        columns: size,
        rows: size,
        spacing: [SPACING; 2],
        stretch: Hold::RIGID,
        shear: Some(Hold::RIGID),
        bending: Bending::Free,
        ..Cloth::default()
    }
}

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    let cloth = cloth(size);
    world.add(&cloth.blueprint()?.pinned(&cloth.corners()[..2]))?;
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    // At 100 × 100 particles, 20 substeps of a plain solver leave 0.0054; the corners carry all.
    let links = world.constraints().iter().filter(|set| !set.is_empty());
    let residual = links.map(|set| world.residual(set)).fold(0.0, f64::max);
    within("the root mean square strain", residual / f64::from(SPACING), 0.0, 0.01)?;
    let [width, height] = [world.particles.len() as f64, lowest(world)];
    // It hangs from the pinned corners by about its own height.
    within(
        "the lowest point over the side",
        -height / (f64::from(SPACING) * width.sqrt()),
        0.7,
        1.5,
    )
}
