//! Bars of four solids and strips of four sheets, each held at one end.

use std::error::Error;

use glam::{UVec3, Vec3};

use super::{Scene, within};
use crate::body::Blueprint;
use crate::collider::Collider;
use crate::material::presets::{COTTON, DENIM, JELLY, LIVER, PAPER, RUBBER, SILICONE, SILK};
use crate::material::{Sheet, Solid};
use crate::mesh::{TetMesh, TriMesh};
use crate::shapes::{ElasticBody, ElasticShell, Folding};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "materials",
    shows: "bars of rubber, silicone, jelly and liver and strips of paper, denim, cotton and \
            silk bend by their numbers alone",
    size: 3,
    test_size: 2,
    build,
    stage: |_| [Vec3::new(-0.05, 0.0, -0.45), Vec3::new(0.35, 0.55, 0.65)],
    seconds: 3.0,
    check,
};

/// The solids, from the wall that is farthest.
const SOLIDS: [(&str, Solid); 4] =
    [("rubber", RUBBER), ("silicone", SILICONE), ("jelly", JELLY), ("liver", LIVER)];
/// The sheets, in front of them.
const SHEETS: [(&str, Sheet); 4] =
    [("paper", PAPER), ("denim", DENIM), ("cotton", COTTON), ("silk", SILK)];

/// Length (m) of bars and strips, all held over their first twelfth.
const LENGTH: f32 = 0.3;
/// Thickness and width of a bar (m).
const BAR: f32 = 0.05;
/// Distance of neighbours (m).
const APART: f32 = 0.1;
/// Difference in depth (m) that does not tell two of them apart.
const ALIKE: f32 = 2e-3;
/// Height at which they are held (m).
const HEIGHT: f32 = 0.4;

/// Bars have `size` cells across.
fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { substeps: 60, damping: 1.0, ..Config::default() });
    let place = |row: usize| Vec3::new(0.5 * LENGTH, HEIGHT, -0.4 + APART * row as f32);
    for (row, (name, material)) in SOLIDS.into_iter().enumerate() {
        let mesh = TetMesh::block(
            UVec3::new(size.max(1) * 6, size.max(1), size.max(1)),
            Vec3::new(LENGTH, BAR, BAR),
        );
        let body = ElasticBody { mesh, material, radius: 0.002, ..ElasticBody::default() };
        world.add(&held(body.blueprint()?, name).placed(glam::Quat::IDENTITY, place(row)))?;
    }
    for (row, (name, material)) in SHEETS.into_iter().enumerate() {
        let mesh = strip(size.max(1) * 8, [LENGTH, 0.75 * APART]);
        let shell = ElasticShell { mesh, material, warp: Vec3::X, folding: Folding::Curvature };
        let row = SOLIDS.len() + row;
        world.add(&held(shell.blueprint()?, name).placed(glam::Quat::IDENTITY, place(row)))?;
    }
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
    Ok(world)
}

/// The same, named, with its first twelfth pinned.
fn held(mut body: Blueprint, name: &str) -> Blueprint {
    body.name = name.into();
    let clamp = -0.5 * LENGTH + LENGTH / 12.0 + 1e-4;
    body.pins =
        (0u32..).zip(&body.positions).filter(|(_, x)| x.x < clamp).map(|(i, _)| i).collect();
    body
}

/// A level strip of squares, with diagonals that alternate.
fn strip(columns: u32, [length, width]: [f32; 2]) -> TriMesh {
    let rows = (columns as f32 * width / length).round().max(2.0) as u32;
    let mut mesh = TriMesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let share = Vec3::new(column as f32 / columns as f32, 0.0, row as f32 / rows as f32);
            mesh.positions.push((share - Vec3::new(0.5, 0.0, 0.5)) * Vec3::new(length, 0.0, width));
        }
    }
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let a = row * (columns + 1) + column;
        let [b, c, d] = [a + 1, a + columns + 1, a + columns + 2];
        let slanted = (row + column) % 2 == 0;
        mesh.triangles.extend(if slanted {
            [[a, c, b], [b, c, d]]
        } else {
            [[a, c, d], [a, d, b]]
        });
    }
    mesh
}

/// The softer, the lower: what an engineer would say of neighbours in the row. Cloths that hang all
/// but straight differ by less than [`ALIKE`].
fn check(world: &World) -> Result<(), String> {
    let mut droops = Vec::new();
    for (id, body) in world.bodies() {
        let positions: Vec<Vec3> = world.positions(id).map_err(|e| e.to_string())?.collect();
        let lowest = positions.iter().map(|x| x.y).fold(f32::MAX, f32::min);
        droops.push((body.name.clone(), HEIGHT - lowest));
    }
    for pair in droops.windows(2) {
        let [(stiff, less), (soft, more)] = pair else { continue };
        if stiff != "liver" && *less > more + ALIKE {
            return Err(format!("{stiff} hangs {less} m down, but {soft} only {more} m"));
        }
    }
    // ρgL⁴ 12/8Eh² for a beam of 0.275 m is 24 mm; coarse tetrahedra are stiffer.
    let rubber = f64::from(droops[0].1 - 0.5 * BAR);
    within("the droop of rubber (m)", rubber, 0.01, 0.03)
}
