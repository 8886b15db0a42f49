//! Soft cubes that stand on each other.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, calm, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::shapes::Lattice;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "stack",
    shows: "soft cubes of 10 cm stand on each other and do not slide",
    size: 10,
    test_size: 3,
    build,
    stage: |size| [Vec3::new(-0.3, 0.0, -0.3), Vec3::new(0.3, (0.105 * size as f32).max(0.4), 0.3)],
    seconds: 10.0,
    check,
};

/// Side of a cube (m).
pub(crate) const SIDE: f32 = 0.1;
/// Half the thickness of its skin (m).
const RADIUS: f32 = 0.0025;

/// Of foam: a higher tower of the same cubes would buckle under its own weight, as any column does
/// that is taller than the cube root of 7.84 E I / (ρ g A), here 1.5 m.
fn build(size: u32) -> Result<World, Box<dyn Error>> {
    // Farthest that one of ten cubes goes aside in 10 s, in sides, by substeps × iterations: 60 × 2 0.0084,
    // 60 × 3 0.0034, 60 × 4 0.0040, 30 × 8 0.0032; in 4 s, 60 × 1 0.078 and 240 × 1 0.025. With 60 × 1 its
    // sway is that of a tower of 0.44 of the stiffness, near the height at which it would buckle. Why 240 × 1,
    // which is stiff, drifts too is not understood. With 20 × 1 it buckles.
    let mut world = World::new(Config { substeps: 60, iterations: 3, ..Config::default() });
    world.colliders.push(Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let links = Hold { damping: 5.0, ..Hold::spring(1e4) };
    let cube = Lattice { radius: RADIUS, links, ..Lattice::default() }.blueprint()?;
    let cube = cube.touching(Touch { friction: 0.5, ..Touch::OTHERS });
    for number in 0..size {
        let pitch = SIDE + 2.0 * RADIUS;
        let height = RADIUS + SIDE / 2.0 + pitch * number as f32;
        world.add(&cube.clone().placed(Quat::IDENTITY, Vec3::Y * height))?;
    }
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    calm(world, 1e-4)?;
    for (_, body) in world.bodies() {
        let middle = |rows: &[glam::Vec4]| {
            let sum: Vec3 = rows[body.range()].iter().map(|row| row.truncate()).sum();
            sum / body.range().len() as f32
        };
        let moved = middle(&world.particles.xw) - middle(&world.particles.rest);
        let aside = f64::from(moved.with_y(0.0).length() / SIDE);
        within("how far a cube slid aside, over its side", aside, 0.0, 0.01)?;
        within("how far a cube sank (m)", f64::from(-moved.y), -0.001, 0.05)?;
    }
    Ok(())
}
