//! A flag of triangles, stiff against folding, in the wind.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, within};
use crate::constraint::set::Hold;
use crate::force::wind::Wind;
use crate::measure::strain;
use crate::shapes::{Bending, Cloth};
use crate::world::World;

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "flag",
    shows: "a flag of 0.9 m by 0.6 m flies in a wind of 6 m/s",
    size: 46,
    test_size: 19,
    build,
    stage: |_| [Vec3::new(0.0, 0.8, -0.3), Vec3::new(0.9, 1.55, 0.3)],
    seconds: 3.0,
    check,
};

/// The flag of `size` columns, its hoist along z at x = 0, flying towards +x.
pub(super) fn cloth(size: u32) -> Cloth {
    let spacing = 0.9 / (size.max(2) - 1) as f32;
    Cloth {
        columns: size,
        rows: (size.max(2) - 1) * 2 / 3 + 1,
        spacing: [spacing; 2],
        areal_density: 0.12,
        stretch: Hold::spring(2e4),
        shear: Some(Hold::spring(2e3)),
        bending: Bending::Hinges(Hold::spring(2e-5)),
        ..Cloth::default()
    }
}

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    let cloth = cloth(size);
    let hoist: Vec<u32> = (0..cloth.rows).map(|row| row * cloth.columns).collect();
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let place = Vec3::new(0.45, 1.2, 0.0);
    world.add(&cloth.blueprint()?.pinned(&hoist).placed(upright, place))?;
    world.forces.push(Wind { velocity: Vec3::new(6.0, 0.0, 1.0), ..Wind::default() }.into());
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    within("the largest strain", strain::largest(world), 0.0, 0.05)?;
    let xw = &world.particles.xw;
    let mean = xw.iter().map(|row| f64::from(row.x)).sum::<f64>() / xw.len() as f64;
    within("the mean distance from the hoist (m)", mean, 0.25, 0.5)
}
