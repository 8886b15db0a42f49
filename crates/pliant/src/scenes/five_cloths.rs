//! Cloths that fall on each other, on a ball.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, calm, lowest, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::shapes::{Bending, Cloth};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "five_cloths",
    shows: "five cloths fall on a ball, one on the other, and none goes through another",
    size: 51,
    test_size: 21,
    build,
    stage: |_| [Vec3::new(-0.55, 0.0, -0.55), Vec3::new(0.55, 0.8, 0.55)],
    seconds: 5.0,
    check,
};

/// Side of a cloth (m).
const SIDE: f32 = 0.8;
const CLOTHS: u32 = 5;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    world.colliders.push(Collider { friction: 0.6, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    world.colliders.push(Collider { friction: 0.6, ..Collider::sphere(Vec3::Y * 0.3, 0.2)? });
    let spacing = SIDE / (size.max(2) - 1) as f32;
    let cloth = Cloth {
        columns: size,
        rows: size,
        spacing: [spacing; 2],
        radius: 0.12 * spacing,
        bending: Bending::Links(Hold { damping: 0.02, ..Hold::spring(2.0) }),
        ..Cloth::default()
    };
    let cloth = cloth.blueprint()?.touching(Touch { friction: 0.4, ..Touch::ALL });
    for number in 0..CLOTHS {
        let turn = Quat::from_rotation_y(0.35 * number as f32);
        let place = Vec3::Y * (0.52 + 0.04 * number as f32);
        world.add(&cloth.clone().placed(turn, place))?;
    }
    Ok(world)
}

/// The height of the middle of each cloth tells whether they still lie in their order.
fn check(world: &World) -> Result<(), String> {
    calm(world, 1e-3)?;
    let deepest = f64::from(world.contact_report().deepest_share);
    within("the deepest penetration over the thickness", deepest, 0.0, 0.02)?;
    within("the lowest point (m)", lowest(world), 0.0, 0.3)?;
    let mut below = 0.5;
    for (_, body) in world.bodies() {
        let middle = f64::from(world.particles.xw[body.range()][body.range().len() / 2].y);
        within("the height of a cloth's middle (m)", middle, below, below + 0.05)?;
        below = middle;
    }
    Ok(())
}
