//! Boxes that are held together by shape matching alone, thrown on a floor.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::measure::{energy, volume};
use crate::region::matched::{Match, Mode};
use crate::shapes::Lattice;
use crate::shapes::matched::{Matched, Regions};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "tumbling",
    shows: "boxes tumble over a floor: rigid, linear, quadratic, and by overlapping regions",
    size: 6,
    test_size: 4,
    build,
    stage: |_| [Vec3::new(-1.2, 0.0, -0.6), Vec3::new(1.8, 0.75, 0.6)],
    seconds: 6.0,
    check,
};

/// Side of a box (m).
const SIDE: f32 = 0.24;

/// How the boxes are matched, from left to right: two rigid, then softer and softer.
fn shapes() -> [(Regions, Match); 5] {
    let soft = Match { hold: Hold { compliance: 1e-4, ..Hold::RIGID }, ..Match::default() };
    let by_regions = Match { mode: Mode::Linear, beta: 0.3, hold: Hold::RIGID, ..Match::default() };
    [
        (Regions::Whole, Match::RIGID),
        (Regions::Whole, Match::RIGID),
        (Regions::Whole, soft),
        (Regions::Whole, Match { mode: Mode::Quadratic, ..soft }),
        (Regions::Around(0.11), by_regions),
    ]
}

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.8, ..Config::default() });
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    world.colliders.push(Collider { friction: 0.5, restitution: 0.2, ..floor });
    let spacing = SIDE / (size.max(2) - 1) as f32;
    for (k, (regions, shape)) in shapes().into_iter().enumerate() {
        let lattice = Lattice { counts: UVec3::splat(size), spacing, ..Lattice::default() };
        let particles = crate::Blueprint { radius: 0.0, ..lattice.blueprint()? };
        let body = Matched { particles, regions, shape }.blueprint()?;
        let turn = Quat::from_rotation_z(0.3 + 0.2 * k as f32) * Quat::from_rotation_x(0.4);
        // In two rows: nothing keeps bodies apart.
        let place = Vec3::new(0.5 * k as f32 - 1.1, 0.45, 0.7 * (k % 2) as f32 - 0.35);
        let id = world.add(&body.placed(turn, place))?;
        for i in world.body(id)?.range() {
            let spin = Vec3::new(0.0, 0.5, -6.0).cross(world.particles.position(i) - place);
            world.particles.set_velocity(i, spin + Vec3::X * 0.6);
        }
    }
    Ok(world)
}

fn check(world: &World) -> Result<(), String> {
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 0.05)?;
    within("the lowest point (m)", super::lowest(world), -1e-4, 1e-3)?;
    let rest = f64::from(SIDE * SIDE * SIDE);
    for (number, (_, body)) in world.bodies().enumerate() {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let ratio = volume::enclosed(world, &world.triangles()[range]) / rest;
        let give = if number < 2 { 2e-3 } else { 0.05 };
        within("the volume of a box over that at rest", ratio, 1.0 - give, 1.0 + give)?;
    }
    Ok(())
}
