//! Bodies of which every particle is linked to every other, under forces.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, lowest, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::integrate::{Stepping, rk4, verlet};
use crate::measure::{energy, strain};
use crate::shapes::{LinkedBall, LinkedCube};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "linked",
    shows: "a ball under RK4 and a cube under Verlet, each particle linked to all, fall on a floor",
    size: 12,
    test_size: 6,
    build,
    stage: |_| [Vec3::new(-0.4, 0.0, -0.2), Vec3::new(0.75, 0.5, 0.2)],
    seconds: 4.0,
    check,
};

/// Stiffness of a body's links taken together (N/m): the same body at any size.
const STIFFNESS: f32 = 2e4;
/// Their dashpots together (N·s/m).
const DAMPING: f32 = 40.0;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 1.0, ..Config::default() });
    let sectors = size.max(4);
    let ball = LinkedBall { sectors, stacks: sectors, ..LinkedBall::default() };
    let ball = LinkedBall { links: links((sectors - 1) * sectors + 2), ..ball };
    let cells = (size / 3).max(1);
    let cube = LinkedCube { cells, ..LinkedCube::default() };
    let cube = LinkedCube { links: links((cells + 1).pow(3)), ..cube };
    let tilt = Quat::from_rotation_z(0.3);
    let ball = ball.blueprint()?.placed(tilt, Vec3::new(-0.17, 0.35, 0.0));
    let cube = cube.blueprint()?.placed(tilt, Vec3::new(0.17, 0.35, 0.0));
    world.add(&ball.stepped(Stepping::Forces(rk4::INTEGRATOR)))?;
    world.add(&cube.stepped(Stepping::Forces(verlet::INTEGRATOR)))?;
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    world.colliders.push(Collider { friction: 0.8, ..floor });
    Ok(world)
}

/// What each of the links between `particles` gets of the whole.
fn links(particles: u32) -> Hold {
    let count = (particles * (particles - 1) / 2) as f32;
    Hold::spring(STIFFNESS / count).damped(DAMPING / count)
}

fn check(world: &World) -> Result<(), String> {
    within("the lowest point (m)", lowest(world), 0.0049, 0.0051)?;
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 1e-3)?;
    within("the largest strain", strain::largest(world), 1e-4, 0.2)?;
    // The shapes are kept: a cube of 20 cm on a face or, at most, on an edge, and a ball of 20 cm
    // on a facet, which with six sectors is cos(π/6) cos(π/12) of the radius from the middle.
    let top = |body: usize| {
        let id = world.bodies().nth(body).map(|(id, _)| id);
        let positions = id.and_then(|id| world.positions(id).ok());
        positions.map_or(0.0, |x| x.map(|x| f64::from(x.y)).fold(0.0, f64::max))
    };
    within("the top of the ball (m)", top(0), 0.17, 0.21)?;
    within("the top of the cube (m)", top(1), 0.19, 0.3)
}
