//! The standard workload of contact: soft cubes fall into a heap.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, calm, lowest, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::shapes::TetBox;
use crate::world::World;

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "pile",
    shows: "soft cubes of tetrahedra fall on each other, in a box without a lid",
    size: 4,
    test_size: 2,
    build,
    stage: |size| {
        let half = 0.1 * size as f32;
        [Vec3::new(-half, 0.0, -half), Vec3::new(half, 0.22 * size as f32, half)]
    },
    seconds: 5.0,
    check,
};

/// Distance of the particles of a cube (m); it has five along each side.
const SPACING: f32 = 0.025;
/// Half the thickness of its skin (m).
const RADIUS: f32 = 0.0025;

/// `size`³ cubes, each turned and shifted a little, above a box that is one cube wider than they.
fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    let half = 0.09 * size as f32;
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|inward| (inward * -half, inward));
    for (point, inward) in [(Vec3::ZERO, Vec3::Y)].into_iter().chain(walls) {
        world.colliders.push(Collider::plane(point, inward)?);
    }
    let edges = Hold { damping: 1.0, ..Hold::spring(2e3) };
    let counts = UVec3::splat(5);
    let cube = TetBox {
        counts,
        spacing: SPACING,
        radius: RADIUS,
        edges,
        density: 200.0,
        ..TetBox::default()
    };
    let cube = cube.blueprint()?.touching(Touch::OTHERS);
    for layer in 0..size {
        for row in 0..size {
            for column in 0..size {
                let number = (layer * size + row) * size + column;
                let turn = Quat::from_rotation_y(0.7 * number as f32)
                    * Quat::from_rotation_x(0.3 * layer as f32);
                let [x, z] = [column, row].map(|i| i as f32 - (size - 1) as f32 / 2.0);
                let place = Vec3::new(0.16 * x, 0.12 + 0.19 * layer as f32, 0.16 * z);
                world.add(&cube.clone().placed(turn, place))?;
            }
        }
    }
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    calm(world, 2e-3)?;
    let deepest = f64::from(world.contact_report().deepest_share);
    within("the deepest penetration over the thickness", deepest, 0.0, 0.02)?;
    within("the lowest point (m)", lowest(world), f64::from(RADIUS) - 1e-4, 0.05)
}
