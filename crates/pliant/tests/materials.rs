//! Bodies of a material: squashed, bent and hung.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::glam::{UVec3, Vec3};
use pliant::material::{Cord, Damping, Sheet, Solid};
use pliant::mesh::TetMesh;
use pliant::shapes::{ElasticBody, ElasticShell, Folding, Model, Rope, WovenCloth};
use pliant::{Blueprint, Config, Precision, World, WorldError, step};

const G: f32 = 9.81;

/// A world in which bodies come to rest.
fn still(substeps: u32, iterations: u32, damping: f32) -> World {
    World::new(Config {
        substeps,
        iterations,
        damping,
        precision: Precision::Carried,
        threads: 1,
        ..Config::default()
    })
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds * 60.0) as u32 {
        step(world, 1.0 / 60.0).unwrap();
    }
}

fn lowest(world: &World) -> f32 {
    (0..world.particles.len()).map(|i| world.particles.position(i).y).fold(f32::MAX, f32::min)
}

#[test]
fn a_cube_that_hardly_changes_its_volume_comes_back_from_anything() {
    let material = Solid { young: 2e4, poisson: 0.49, ..Solid::default() };
    let model = Model::NeoHookean;
    for (what, squash) in [
        ("squashed", Vec3::new(1.3, 0.4, 1.3)),
        ("flat", Vec3::new(1.0, 1e-3, 1.0)),
        ("inside out", Vec3::new(1.0, -0.5, 1.0)),
    ] {
        let mesh = TetMesh::block(UVec3::splat(3), Vec3::splat(0.2));
        let body = ElasticBody { mesh: mesh.clone(), material, model, radius: 0.0 };
        let mut world = still(40, 4, 4.0);
        world.config.gravity = Vec3::ZERO;
        world.add(&body.blueprint().unwrap()).unwrap();
        for i in 0..mesh.positions.len() {
            world.particles.set_position(i, mesh.positions[i] * squash);
        }
        run(&mut world, 4.0);
        let positions = (0..mesh.positions.len()).map(|i| world.particles.position(i));
        let now = TetMesh { positions: positions.collect(), tets: mesh.tets.clone() };
        let inverted = now.tets.iter().filter(|&&tet| now.volume(tet) <= 0.0).count();
        assert_eq!(inverted, 0, "{what}: tetrahedra are inside out");
        let volume: f32 = now.volumes().iter().sum();
        assert!((volume / 8e-3 - 1.0).abs() < 0.01, "{what}: {volume} m³");
    }
}

#[test]
fn a_rope_stretches_and_droops_by_its_material() {
    let wire = Cord { stretch: 5.0, bending: 0.02, linear_density: 0.02, ..Cord::default() };
    let wire = Cord { damping: Damping::NONE, ..wire };
    for segments in [10, 20] {
        let rope = Rope::of(&wire, 0.4, segments).unwrap();
        let mut world = still(20, 20, 10.0);
        let hanging = rope.blueprint().unwrap().pinned(&[0]);
        let down = pliant::glam::Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        world.add(&hanging.placed(down, Vec3::ZERO)).unwrap();
        run(&mut world, 3.0);
        let stretch = -lowest(&world) - 0.4;
        let expected = 0.02 * G * 0.4 * 0.4 / (2.0 * 5.0);
        assert!((stretch / expected - 1.0).abs() < 0.03, "{stretch} m, not {expected} m");

        // The bend at the second pin stands for half a cell before and behind it.
        let cell = 0.4 / segments as f32;
        let mut world = still(40, 20, 10.0);
        world.add(&rope.blueprint().unwrap().pinned(&[0, 1])).unwrap();
        run(&mut world, 4.0);
        let free = 0.4 - 0.5 * cell;
        let expected = 0.02 * G * free.powi(4) / (8.0 * 0.02);
        let droop = -lowest(&world);
        assert!((droop / expected - 1.0).abs() < 0.05, "{segments}: {droop} m, not {expected} m");
    }
}

/// A strip of 0.3 m by 0.1 m that hangs by its upper side, of links and of triangles.
#[test]
fn a_hanging_cloth_stretches_by_its_material_at_any_resolution() {
    let material = Sheet {
        stretch: [40.0, 40.0],
        coupling: 0.0,
        shear: 4.0,
        bending: [1e-6; 2],
        areal_density: 0.2,
        thickness: 1e-3,
        damping: Damping::NONE,
    };
    // Links pull warp and weft together by the shear stiffness: k − G²/k along a free strip.
    let woven_stiffness = 40.0 - 4.0 * 4.0 / 40.0;
    for cells in [5, 10] {
        let spacing = [0.1 / cells as f32; 2];
        let (columns, rows) = (3 * cells + 1, cells + 1);
        let woven = WovenCloth { columns, rows, spacing, material };
        check_hanging(woven.blueprint().unwrap(), columns, woven_stiffness);
        let mesh = pliant::mesh::TriMesh {
            positions: woven.blueprint().unwrap().positions,
            triangles: woven.blueprint().unwrap().triangles,
        };
        let shell = ElasticShell { mesh, material, warp: Vec3::X, folding: Folding::Curvature };
        check_hanging(shell.blueprint().unwrap(), columns, 40.0);
    }
}

fn check_hanging(body: Blueprint, columns: u32, stiffness: f32) {
    let rows = body.positions.len() as u32 / columns;
    let side: Vec<u32> = (0..rows).map(|row| row * columns).collect();
    let down = pliant::glam::Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let mut world = still(20, 20, 10.0);
    world.add(&body.pinned(&side).placed(down, Vec3::ZERO)).unwrap();
    run(&mut world, 3.0);
    let middle = (columns - 1 + rows / 2 * columns) as usize;
    let stretch = -world.particles.position(middle).y - 0.15;
    let expected = 0.2 * G * 0.3 * 0.3 / (2.0 * stiffness);
    let error = stretch / expected - 1.0;
    // Green's strain of a per mille differs from length by half as much; the held side cannot
    // narrow.
    assert!(error.abs() < 0.02, "{columns} columns: {stretch} m, not {expected} m");
}

#[test]
fn materials_that_cannot_be_are_refused() {
    let solid = |poisson| Solid { poisson, ..Solid::default() }.check();
    for poisson in [-0.1, 0.5, 0.7, f32::NAN] {
        assert!(matches!(solid(poisson), Err(WorldError::BadNumber { .. })), "{poisson}");
    }
    assert!(Solid { young: 0.0, ..Solid::default() }.check().is_err());
    assert!(Solid { density: f32::INFINITY, ..Solid::default() }.check().is_err());
    assert!(Sheet { coupling: 1e9, ..Sheet::default() }.check().is_err());
    assert!(Sheet { thickness: -1.0, ..Sheet::default() }.check().is_err());
    assert!(Cord { bending: f32::NAN, ..Cord::default() }.check().is_err());
    let mut mesh = TetMesh::block(UVec3::ONE, Vec3::ONE);
    mesh.tets[2].swap(0, 1);
    let body = ElasticBody { mesh, ..ElasticBody::default() };
    let error = body.blueprint().unwrap_err();
    assert_eq!(error, WorldError::FlatElement { what: "tetrahedron", index: 2 });
    assert!(error.to_string().contains("inside out"), "{error}");
}
