//! A cloth that folds onto itself.

use std::error::Error;

use glam::Vec3;

use super::{Scene, calm, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::shapes::{Bending, Cloth};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "folding",
    shows: "one half of a cloth falls on the other half, and lies there without going through",
    size: 100,
    test_size: 16,
    build,
    stage: |_| [Vec3::new(-0.6, 0.0, -0.6), Vec3::new(0.6, 0.3, 0.3)],
    seconds: 5.0,
    check,
};

/// Side of the cloth (m).
const SIDE: f32 = 1.0;
/// Radius of the bend (m).
const BEND: f32 = 0.08;
/// Half its thickness over the distance of its particles.
const THICKNESS: f32 = 0.12;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    world.colliders.push(Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let spacing = SIDE / (size.max(2) - 1) as f32;
    let cloth = Cloth {
        columns: size,
        rows: size,
        spacing: [spacing; 2],
        radius: THICKNESS * spacing,
        bending: Bending::Links(Hold { damping: 0.02, ..Hold::spring(1.0) }),
        ..Cloth::default()
    };
    let cloth = cloth.blueprint()?.touching(Touch { friction: 0.4, ..Touch::ALL });
    let id = world.add(&cloth)?;
    for i in world.body(id)?.range() {
        let x = world.particles.position(i);
        world.particles.set_position(i, bent(x) + Vec3::Y * 0.01);
    }
    Ok(world)
}

/// Where a point of the flat cloth begins: what lies beyond the middle is bent back over the rest.
fn bent(x: Vec3) -> Vec3 {
    let (angle, half_circle) = (x.z / BEND, std::f32::consts::PI * BEND);
    if x.z <= 0.0 {
        x
    } else if x.z < half_circle {
        Vec3::new(x.x, BEND * (1.0 - libm::cosf(angle)), BEND * libm::sinf(angle))
    } else {
        Vec3::new(x.x, 2.0 * BEND, half_circle - x.z)
    }
}

fn check(world: &World) -> Result<(), String> {
    calm(world, 1e-3)?;
    let report = world.contact_report();
    within("the deepest penetration over the thickness", report.deepest_share.into(), 0.0, 0.02)?;
    within("pairs that touch", report.contacts as f64, 20.0, 1e6)?;
    let highest = world.particles.xw.iter().map(|row| f64::from(row.y)).fold(0.0, f64::max);
    within("the highest point (m)", highest, 0.0, 0.3)
}
