//! A foam plank on two ropes: bodies attached to each other.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::body::BodyId;
use crate::constraint::set::Hold;
use crate::constraint::{anchor, attach};
use crate::shapes::{Lattice, Rope};
use crate::world::World;

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "swing",
    shows: "a plank swings on two ropes that are attached to its surface and anchored above",
    size: 40,
    test_size: 16,
    build,
    stage: |_| [Vec3::new(-0.35, 0.3, -0.6), Vec3::new(0.35, 1.25, 0.6)],
    seconds: 3.0,
    check,
};

/// Length of a rope (m).
const LENGTH: f32 = 0.8;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    add(&mut world, size, Vec3::Y * 1.2)?;
    Ok(world)
}

/// Adds a swing that hangs from two points about `top` (m), pulled to one side; returns the plank.
pub(super) fn add(world: &mut World, size: u32, top: Vec3) -> Result<BodyId, Box<dyn Error>> {
    let plank = Lattice {
        counts: UVec3::new(13, 3, 5),
        spacing: 0.04,
        density: 150.0,
        radius: 0.02,
        links: Hold::spring(5e4).damped(1.0),
    };
    let lean = Quat::from_rotation_x(0.7);
    let seat = top + lean * (Vec3::NEG_Y * LENGTH);
    let plank = world.add(&plank.blueprint()?.placed(lean, seat))?;
    for side in [-0.2, 0.2] {
        let rope = Rope {
            segments: size,
            length: LENGTH - 0.04,
            radius: 0.008,
            stretch: Hold::RIGID,
            ..Rope::default()
        };
        let down = lean * Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let hook = top + Vec3::X * side;
        let rope = world.add(&rope.blueprint()?.placed(down, hook))?;
        let (first, last) = {
            let particles = &world.body(rope)?.particles;
            (particles.start, particles.end - 1)
        };
        world.join(&anchor::KIND, &[first], Hold::RIGID)?;
        let [a, b, c] = nearest_triangle(world, plank, last)?;
        world.join(&attach::KIND, &[last, a, b, c], Hold::RIGID)?;
    }
    Ok(plank)
}

/// The triangle of `body` whose centre is nearest to a particle.
fn nearest_triangle(
    world: &World,
    body: BodyId,
    particle: u32,
) -> Result<[u32; 3], Box<dyn Error>> {
    let x = |i: u32| world.particles.position(i as usize);
    let range = world.body(body)?.triangles.clone();
    let triangles = &world.triangles()[range.start as usize..range.end as usize];
    let distance = |t: &[u32; 3]| t.iter().map(|&i| x(i)).sum::<Vec3>().distance(x(particle) * 3.0);
    let nearest = triangles.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    Ok(*nearest.ok_or("the body has no surface")?)
}

fn check(world: &World) -> Result<(), String> {
    for set in world.constraints() {
        if [anchor::KIND.name, attach::KIND.name].contains(&set.kind().name) {
            within("what a tie leaves unsolved (m)", world.residual(set), 0.0, 2e-3)?;
        }
    }
    let bottom = super::lowest(world);
    within("the lowest point (m)", bottom, 0.25, 0.5)
}
