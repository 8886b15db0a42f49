//! Bodies of stuffed tetrahedra: an organ falls on a mound, a ring beside it.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, within};
use crate::body::Blueprint;
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::constraint::volume;
use crate::look::surface;
use crate::measure::energy;
use crate::mesh::sdf::SignedDistance;
use crate::mesh::solids::{liver::liver, torus::torus};
use crate::mesh::{Resolution, TetMesh, TriMesh};
use crate::shapes::TetBody;
use crate::skin::Skin;
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "organs",
    shows: "a liver of tetrahedra lies down on a mound, and a ring beside it",
    size: 20,
    test_size: 10,
    build,
    stage: |_| [Vec3::new(-0.35, 0.0, -0.2), Vec3::new(0.3, 0.28, 0.2)],
    seconds: 5.0,
    check,
};

/// Part of a metre that a metre of the solids becomes.
const SCALE: f32 = 0.25;

/// Triangles of the skins along a metre of the solids.
const DETAIL: u32 = 32;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    let cell = 1.2 * SCALE / size.max(4) as f32;
    let organ = body(liver(DETAIL)?, cell)?;
    world.add(&organ.placed(Quat::from_rotation_y(0.4), Vec3::new(0.08, 0.2, 0.0)))?;
    let ring = body(torus(0.35, 0.15, DETAIL), cell)?;
    world.add(&ring.placed(Quat::from_rotation_z(0.9), Vec3::new(-0.2, 0.2, 0.0)))?;
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    // A mound, of which 4 cm are above the floor.
    let mound = Collider::sphere(Vec3::new(0.08, -0.16, 0.0), 0.2)?;
    let all = [floor, mound].map(|collider| Collider { friction: 0.8, ..collider });
    world.colliders.extend(all);
    Ok(world)
}

/// A jelly in the shape of a solid, that shows the solid.
fn body(mut solid: TriMesh, cell: f32) -> Result<Blueprint, Box<dyn Error>> {
    solid.positions.iter_mut().for_each(|x| *x *= SCALE);
    let sdf = SignedDistance::new(solid)?;
    let mesh = TetMesh::stuff(&sdf, Resolution::Cell(cell))?;
    let skin = Skin::on_tets(sdf.surface(), &mesh)?;
    let (edges, volume) = (Hold::spring(2e4 * cell).damped(0.2), Hold::RIGID);
    let body = TetBody { mesh, density: 1000.0, radius: 0.002, edges, volume };
    Ok(body.blueprint()?.skinned(skin))
}

fn check(world: &World) -> Result<(), String> {
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, 1e-2)?;
    let solids = [liver(DETAIL).map_err(|error| error.to_string())?, torus(0.35, 0.15, DETAIL)];
    for ((_, body), solid) in world.bodies().zip(solids) {
        let skin = surface(world, body).ok_or("a body without a surface")?;
        let rest = solid.volume() * f64::from(SCALE).powi(3);
        within("the volume of a skin over that at rest", skin.volume() / rest, 0.97, 1.03)?;
        within("the lowest point of a skin (m)", skin.bounds().low.y.into(), -5e-3, 5e-3)?;
    }
    within("tetrahedra that are inside out", inverted(world) as f64, 0.0, 0.0)
}

fn inverted(world: &World) -> usize {
    let volumes = world.constraints_of(&volume::KIND).into_iter();
    let tets = volumes.flat_map(|set| (0..set.len()).map(|number| set.particles(number)));
    let size = |tet: &[u32]| {
        let x = |k: usize| world.particles.position(tet[k] as usize);
        (x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0))
    };
    tets.filter(|tet| size(tet) <= 0.0).count()
}
