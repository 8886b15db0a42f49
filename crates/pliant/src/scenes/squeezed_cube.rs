//! A cube that falls between four balls: quadratic shape matching bends and twists.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::region::matched::{Match, Mode};
use crate::shapes::Lattice;
use crate::shapes::matched::{Matched, Regions};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "squeezed_cube",
    shows: "a cube that may bend and twist falls between four balls and is squeezed by them",
    size: 10,
    test_size: 8,
    build,
    stage: |_| [Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.8, 0.4)],
    seconds: 4.0,
    check,
};

/// Side of the cube (m).
const SIDE: f32 = 0.3;
/// Where the balls are (m): no two alike, so that the cube is bent and not only pressed; and apart,
/// so that nothing is caught in a groove between two of them.
const BALLS: [Vec3; 4] = [
    Vec3::new(0.22, 0.16, 0.04),
    Vec3::new(-0.22, 0.2, -0.04),
    Vec3::new(0.04, 0.24, 0.22),
    Vec3::new(-0.04, 0.2, -0.22),
];
/// Their radius (m).
const RADIUS: f32 = 0.12;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    world.add(&cube(size)?.placed(Quat::from_rotation_y(0.2), Vec3::Y * 0.6))?;
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    for ball in BALLS {
        world.colliders.push(Collider { friction: 0.3, ..Collider::sphere(ball, RADIUS)? });
    }
    Ok(world)
}

/// The cube about the origin.
fn cube(size: u32) -> Result<crate::Blueprint, crate::WorldError> {
    let spacing = SIDE / (size.max(2) - 1) as f32;
    let lattice = Lattice { counts: UVec3::splat(size), spacing, ..Lattice::default() };
    let hold = Hold { compliance: 2e-4, ..Hold::RIGID }; // 11 Hz
    let shape = Match { mode: Mode::Quadratic, beta: 0.8, hold, ..Match::default() };
    let particles = crate::Blueprint { radius: 0.005, ..lattice.blueprint()? };
    Matched { particles, regions: Regions::Whole, shape }.blueprint()
}

fn check(world: &World) -> Result<(), String> {
    let particles = &world.particles;
    let deepest = world.colliders.iter().flat_map(|collider| {
        (0..particles.len())
            .map(move |i| particles.radius[i] - collider.signed_distance(particles.position(i)).0)
    });
    within("the deepest penetration (m)", f64::from(deepest.fold(0.0, f32::max)), 0.0, 1e-4)?;
    let middle =
        particles.xw.iter().map(|row| row.truncate()).sum::<Vec3>() / particles.len() as f32;
    within("the height of the middle, between the balls (m)", f64::from(middle.y), 0.07, 0.2)?;
    let fastest = particles.v.iter().map(|v| v.truncate().length()).fold(0.0, f32::max);
    within("the largest speed (m/s)", f64::from(fastest), 0.0, 0.05)?;
    // The corners of a face are no longer in a plane: only a quadratic shape can do that.
    within("how far its faces are bent (m)", f64::from(bent(world)), 2e-3, 0.1)
}

/// How far the corners of the cube are from being those of a parallelepiped (m): the most that two
/// diagonals of a face miss each other by.
fn bent(world: &World) -> f32 {
    let count = world.particles.len() as f32;
    let n = libm::cbrtf(count) as usize + usize::from(libm::cbrtf(count).fract() > 0.5);
    let corner =
        |x: usize, y: usize, z: usize| world.particles.position((n - 1) * (x + n * (y + n * z)));
    let miss = |face: [Vec3; 4]| (face[0] + face[3]).distance(face[1] + face[2]) / 2.0;
    let mut most = 0.0f32;
    for side in [0, 1] {
        let faces = [
            [corner(side, 0, 0), corner(side, 1, 0), corner(side, 0, 1), corner(side, 1, 1)],
            [corner(0, side, 0), corner(1, side, 0), corner(0, side, 1), corner(1, side, 1)],
            [corner(0, 0, side), corner(1, 0, side), corner(0, 1, side), corner(1, 1, side)],
        ];
        most = faces.into_iter().map(miss).fold(most, f32::max);
    }
    most
}
