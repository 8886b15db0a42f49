//! Cloth of triangles: links on edges, alone, with hinges, and with angles.

use std::error::Error;

use glam::Vec3;

use super::{Scene, within};
use crate::body::Blueprint;
use crate::constraint::angle;
use crate::constraint::set::Hold;
use crate::mesh::TriMesh;
use crate::shapes::{Bending, Cloth, Shell};
use crate::world::{Config, World};

/// Links on the edges.
pub const EDGES: &Scene = &Scene {
    name: "triangle_cloth",
    shows: "a cloth of triangles with links on their edges swings down from two corners",
    build: |size| build(size, |_| Ok(())),
    ..SCENE
};

/// The same, with a hinge between every two triangles.
pub const HINGES: &Scene = &Scene {
    name: "hinged_cloth",
    shows: "the same, with a hinge between every two triangles",
    build: |size| build(size, hinges),
    ..SCENE
};

/// The same as the first, with an angle in every triangle.
pub const ANGLES: &Scene = &Scene {
    name: "sheared_cloth",
    shows: "a cloth of triangles with links on their edges that keep one of their angles",
    build: |size| build(size, angles),
    ..SCENE
};

/// What the three have in common.
const SCENE: Scene = Scene {
    name: "",
    shows: "",
    size: 101,
    test_size: 15,
    build: |_| Ok(World::default()),
    stage: |size| {
        [Vec3::new(-0.5, -1.1, -1.0), Vec3::new(0.5, 0.1, 0.5)].map(|x| x * SPACING * size as f32)
    },
    seconds: 2.0,
    check,
};

/// Distance of neighbours (m).
const SPACING: f32 = 0.1;

/// Iterations of the one substep, as others are measured with.
const ITERATIONS: u32 = 100;

fn build(
    size: u32,
    more: impl Fn(&mut Blueprint) -> Result<(), Box<dyn Error>>,
) -> Result<World, Box<dyn Error>> {
    let config = Config { substeps: 1, iterations: ITERATIONS, ..Config::default() };
    let mut world = World::new(config);
    let (columns, spacing, bending) = (size, [SPACING; 2], Bending::Free);
    let grid = Cloth { columns, rows: size, spacing, bending, ..Cloth::default() };
    let Blueprint { positions, triangles, .. } = grid.blueprint()?;
    let mesh = TriMesh { positions, triangles };
    let cloth = Shell { mesh, stretch: Hold::RIGID, ..Shell::default() };
    let mut body = cloth.blueprint()?;
    more(&mut body)?;
    world.add(&body.pinned(&grid.corners()[..2]))?;
    Ok(world)
}

fn hinges(body: &mut Blueprint) -> Result<(), Box<dyn Error>> {
    for hinge in crate::mesh::hinges(&body.triangles) {
        body.join(&crate::constraint::bend::KIND, &hinge, Hold::spring(1e-4))?;
    }
    Ok(())
}

fn angles(body: &mut Blueprint) -> Result<(), Box<dyn Error>> {
    for triangle in body.triangles.clone() {
        body.join(&angle::KIND, &triangle, Hold::spring(1e-2))?;
    }
    Ok(())
}

fn check(world: &World) -> Result<(), String> {
    let links = world.constraints_of(&crate::constraint::distance::KIND).ok_or("no links")?;
    let strain = world.residual(links) / f64::from(SPACING);
    within("the root mean square strain", strain, 0.0, 0.05)?;
    let side = f64::from(SPACING) * ((world.particles.len() as f64).sqrt() - 1.0);
    // It swings for long, but wherever it is, it is as long as its side.
    let pinned = world.particles.position(0);
    let from_pins = |i| (world.particles.position(i) - pinned).with_x(0.0).length();
    let reach = (0..world.particles.len()).map(from_pins).fold(0.0, f32::max);
    within("its reach from the pinned side over its side", f64::from(reach) / side, 0.8, 1.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cloths of 101 × 101 vertices, as the workloads W2, W2b and W2s are described.
    #[test]
    fn the_workloads_have_the_constraints_that_they_are_known_by() {
        for (scene, constraints) in [(EDGES, 30_200), (HINGES, 60_000), (ANGLES, 50_200)] {
            let world = (scene.build)(scene.size).unwrap();
            let count: usize = world.constraints().iter().map(|set| set.len()).sum();
            assert_eq!((world.particles.len(), count), (10_201, constraints), "{}", scene.name);
        }
    }
}
