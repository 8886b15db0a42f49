//! An elephant of particles in a fine skin, and a ring beside it.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, within};
use crate::body::Blueprint;
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::look::surface;
use crate::measure::energy;
use crate::mesh::sdf::SignedDistance;
use crate::mesh::solids::{elephant::elephant, torus::torus};
use crate::mesh::voxels::Voxelisation;
use crate::mesh::{Resolution, TriMesh};
use crate::shapes::LatticeBody;
use crate::skin::Skin;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "elephant",
    shows: "an elephant lands on its feet, and a ring beside it falls over",
    size: 30,
    test_size: 18,
    build,
    stage: |_| [Vec3::new(-0.75, 0.0, -0.35), Vec3::new(0.7, 0.6, 0.35)],
    seconds: 5.0,
    check,
};

/// Part of a metre that a metre of the solids becomes.
const SCALE: f32 = 0.5;

/// Triangles of the skins along a metre of the solids.
const DETAIL: u32 = 32;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    // An elephant is a metre and a half long.
    let cell = 1.5 * SCALE / size.max(4) as f32;
    let animal = body(elephant(DETAIL)?, cell)?;
    world.add(&animal.placed(Quat::from_rotation_y(-0.5), Vec3::new(0.2, 0.08, 0.0)))?;
    let ring = body(torus(0.35, 0.15, DETAIL), cell)?;
    let upright = Quat::from_rotation_x(1.2) * Quat::from_rotation_z(0.3);
    world.add(&ring.placed(upright, Vec3::new(-0.5, 0.35, 0.0)))?;
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    world.colliders.push(Collider { friction: 0.6, ..floor });
    Ok(world)
}

/// A soft lattice in the shape of a solid, that shows the solid.
fn body(mut solid: TriMesh, cell: f32) -> Result<Blueprint, Box<dyn Error>> {
    solid.positions.iter_mut().for_each(|x| *x *= SCALE);
    let sdf = SignedDistance::new(solid)?;
    let resolution = Resolution::Cell(cell);
    let voxels = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf)?;
    let positions: Vec<Vec3> = voxels.positions().collect();
    let skin = Skin::on_particles(sdf.surface(), &positions)?;
    let links = Hold::spring(1e5 * cell).damped(0.5);
    Ok(LatticeBody { voxels, density: 150.0, radius: 0.4 * cell, links }.blueprint()?.skinned(skin))
}

fn check(world: &World) -> Result<(), String> {
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 1e-2)?;
    let solids = [elephant(DETAIL).map_err(|error| error.to_string())?, torus(0.35, 0.15, DETAIL)];
    for ((_, body), solid) in world.bodies().zip(solids) {
        let skin = surface(world, body).ok_or("a body without a surface")?;
        let rest = solid.volume() * f64::from(SCALE).powi(3);
        within("the volume of a skin over that at rest", skin.volume() / rest, 0.93, 1.07)?;
        let lowest = skin.bounds().low.y;
        within("the lowest point of a skin (m)", f64::from(lowest), -0.02, 0.02)?;
    }
    stands(world)
}

/// Every point of the elephant must be about as high as on an elephant that stands.
fn stands(world: &World) -> Result<(), String> {
    let solid = elephant(DETAIL).map_err(|error| error.to_string())?;
    let (_, animal) = world.bodies().next().ok_or("no body")?;
    let skin = surface(world, animal).ok_or("no skin")?;
    let pairs = skin.positions.iter().zip(&solid.positions);
    let highest = pairs.map(|(now, rest)| (now.y - rest.y * SCALE).abs()).fold(0.0, f32::max);
    within("how far a point is from its height (m)", highest.into(), 0.0, 0.06)
}
