//! Meshes that were made by others: distances, voxels, tetrahedra and skins.
//!
//! They are found through `PLIANT_TEST_DATA`; without it these tests say that they did not run.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use pliant::glam::{Quat, Vec3, Vec4};
use pliant::mesh::body::{Recipe, Stock, Way};
use pliant::mesh::repair::Repair;
use pliant::mesh::sdf::SignedDistance;
use pliant::mesh::voxels::Voxelisation;
use pliant::mesh::{Resolution, TetMesh, TriMesh};
use pliant::skin::Skin;
use pliant::{Collider, World, measure, step};

/// Volumes of closed meshes (m³), from the sum of their triangles.
const VOLUMES: [(&str, f64); 3] =
    [("spot.obj", 0.718259), ("bunny.off", 7.53934e-4), ("torus.obj", 1.21878)];

/// A mesh of the test data, or `None` with a word where there is no such data.
fn mesh(name: &str) -> Option<TriMesh> {
    let Some(folder) = std::env::var_os("PLIANT_TEST_DATA") else {
        println!("not run: PLIANT_TEST_DATA is not set");
        return None;
    };
    let text = fs::read_to_string(Path::new(&folder).join("meshes").join(name)).unwrap();
    Some(if name.ends_with(".off") { off(&text) } else { obj(&text) })
}

fn off(text: &str) -> TriMesh {
    let mut numbers = text.split_whitespace().skip(1).map(|word| word.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (vertices, faces, _) = (next(), next(), next());
    let positions = (0..vertices as usize)
        .map(|_| Vec3::from_array([next(), next(), next()].map(|x| x as f32)))
        .collect();
    let triangles = (0..faces as usize)
        .map(|_| {
            assert_eq!(next(), 3.0);
            [next(), next(), next()].map(|corner| corner as u32)
        })
        .collect();
    TriMesh { positions, triangles }
}

fn obj(text: &str) -> TriMesh {
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f32> = words.take(3).map(|word| word.parse().unwrap()).collect();
                mesh.positions.push(Vec3::from_slice(&x));
            }
            Some("f") => {
                let corner =
                    |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let corners: Vec<u32> = words.map(corner).collect();
                let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]);
                mesh.triangles.extend(fan);
            }
            _ => {}
        }
    }
    mesh
}

/// Points all over the box around a mesh and a little beyond.
fn points(mesh: &TriMesh, count: u32) -> impl Iterator<Item = Vec3> {
    let bounds = mesh.bounds();
    let bounds = bounds.grown(0.1 * bounds.size().max_element());
    (0..count).map(move |k| {
        // The fractions of multiples of irrational numbers are spread evenly.
        let share = |step: f64| (f64::from(k) * step).fract() as f32;
        let at = Vec3::new(share(0.819_172_51), share(0.671_043_6), share(0.549_700_47));
        bounds.low + bounds.size() * at
    })
}

#[test]
fn the_inside_has_the_volume_of_the_mesh() {
    for (name, volume) in
        [("spot.obj", 0.718259), ("bunny.off", 7.53934e-4), ("torus.obj", 1.21878)]
    {
        let Some(mesh) = mesh(name) else { return };
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-5, "{name}: {}", mesh.volume());
        let count = 40_000;
        let size = (mesh.bounds().size() + 0.2 * mesh.bounds().size().max_element()).as_dvec3();
        let sdf = SignedDistance::new(mesh).unwrap();
        let inside = points(sdf.surface(), count).filter(|&x| sdf.is_inside(x)).count();
        let share = inside as f64 / f64::from(count);
        let found = share * size.x * size.y * size.z;
        assert!((found / volume - 1.0).abs() < 0.01, "{name}: {found} m³, not {volume}");
    }
}

#[test]
fn a_winding_number_is_whole_where_the_mesh_is_closed() {
    for name in ["spot.obj", "bunny.off", "armadillo.obj", "liver.obj"] {
        let Some(mesh) = mesh(name) else { return };
        let near = 1e-3 * mesh.bounds().size().max_element();
        let sdf = SignedDistance::new(mesh).unwrap();
        for x in points(sdf.surface(), 4000).filter(|&x| sdf.distance(x).abs() > near) {
            let w = sdf.winding(x);
            assert!((w - w.round()).abs() < 0.05, "{name}: {w} at {x}");
        }
    }
}

#[test]
fn a_cube_without_a_bottom_has_an_inside() {
    let Some(mesh) = mesh("cube_no_bottom.obj") else { return };
    let bounds = mesh.bounds();
    let sdf = SignedDistance::new(mesh).unwrap();
    let (middle, half) = ((bounds.low + bounds.high) / 2.0, bounds.size() / 2.0);
    let mut counts = [0; 2];
    for x in points(sdf.surface(), 4000) {
        let inside = ((x - middle) / half).abs().max_element();
        // The missing side is closed by a bulge: leave out what is near a side.
        if !(0.6..=1.15).contains(&inside) {
            assert_eq!(sdf.is_inside(x), inside < 1.0, "{x}, w = {}", sdf.winding(x));
            counts[usize::from(inside < 1.0)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn an_open_teapot_holds_what_it_should() {
    let Some(mesh) = mesh("teapot.obj") else { return };
    let bounds = mesh.bounds();
    let sdf = SignedDistance::new(mesh).unwrap();
    let middle = (bounds.low + bounds.high) / 2.0;
    assert!(sdf.is_inside(middle), "w = {}", sdf.winding(middle));
    for x in points(sdf.surface(), 4000) {
        if bounds.grown(0.01 * bounds.size().x).low.cmpgt(x).any() {
            assert!(!sdf.is_inside(x), "{x} is outside of the box");
        }
    }
}

#[test]
fn voxels_come_to_have_the_volume_of_the_mesh() {
    for (name, volume) in VOLUMES {
        let Some(mesh) = mesh(name) else { return };
        let side = mesh.bounds().size().max_element();
        let sdf = SignedDistance::new(mesh).unwrap();
        let error = |cells: f32| {
            let resolution = Resolution::Cell(side / cells);
            let voxels = Voxelisation { resolution, ..Voxelisation::default() };
            voxels.voxels(&sdf).unwrap().volume() / volume - 1.0
        };
        let errors = [12.0, 24.0, 48.0].map(error);
        let [coarse, middle, fine] = errors.map(f64::abs);
        // Second order: half the size, a quarter of the error.
        assert!(fine < middle / 3.0 && middle < coarse / 3.0, "{name}: {errors:?}");
    }
}

#[test]
fn voxels_are_as_many_as_were_asked_for() {
    for name in ["bunny.off", "armadillo.obj", "teapot.obj", "cube_no_bottom.obj"] {
        let Some(mesh) = mesh(name) else { return };
        let sdf = SignedDistance::new(mesh).unwrap();
        for count in [200, 3000] {
            let resolution = Resolution::Count(count);
            let voxels = Voxelisation { resolution, ..Voxelisation::default() };
            let voxels = voxels.voxels(&sdf).unwrap();
            let off = voxels.voxels.len() as f32 / count as f32 - 1.0;
            assert!(off.abs() < 0.15, "{name}: {} of {count}", voxels.voxels.len());
            for (voxel, x) in voxels.voxels.iter().zip(voxels.positions()) {
                assert!(voxel.distance <= 0.25 * voxels.cell, "{name}: {voxel:?}");
                assert_eq!(voxel.distance, sdf.distance(x), "{name}: {voxel:?}");
            }
        }
    }
}

#[test]
fn tetrahedra_come_to_have_the_volume_of_the_mesh() {
    for (name, volume) in VOLUMES {
        let Some(mesh) = mesh(name) else { return };
        let side = mesh.bounds().size().max_element();
        let sdf = SignedDistance::new(mesh).unwrap();
        let error = |cells: f32| {
            let tets = TetMesh::stuff(&sdf, Resolution::Cell(side / cells)).unwrap();
            check_quality(name, &tets);
            (tets.quality().volume / volume - 1.0).abs()
        };
        let [coarse, middle, fine] = [8.0, 16.0, 32.0].map(error);
        assert!(fine < middle / 2.0 && middle < coarse / 2.0, "{name}: {coarse}, {middle}, {fine}");
    }
}

#[test]
fn tetrahedra_of_any_mesh_are_well_shaped() {
    for name in ["armadillo.obj", "teapot.obj", "cube_no_bottom.obj", "liver.obj"] {
        let Some(mesh) = mesh(name) else { return };
        let sdf = SignedDistance::new(mesh).unwrap();
        check_quality(name, &TetMesh::stuff(&sdf, Resolution::Count(5000)).unwrap());
    }
}

fn check_quality(name: &str, tets: &TetMesh) {
    let quality = tets.quality();
    let [least, greatest] = quality.dihedral.map(f64::to_degrees);
    assert!(least > 10.0 && greatest < 165.0, "{name}: {least}° to {greatest}°");
    assert_eq!(quality.inverted, 0, "{name}");
}

#[test]
fn a_skin_is_its_mesh_and_moves_like_it() {
    for name in ["bunny.off", "spot.obj", "teapot.obj"] {
        let Some(mesh) = mesh(name) else { return };
        let size = mesh.bounds().size().max_element();
        let sdf = SignedDistance::new(mesh.clone()).unwrap();
        let resolution = Resolution::Count(2000);
        let lattice = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf).unwrap();
        let lattice: Vec<Vec3> = lattice.positions().collect();
        let tets = TetMesh::stuff(&sdf, resolution).unwrap();
        let skins = [
            (Skin::on_particles(&mesh, &lattice).unwrap(), &lattice),
            (Skin::on_tets(&mesh, &tets).unwrap(), &tets.positions),
        ];
        let turn = Quat::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 1.9);
        for (skin, particles) in skins {
            for (turn, shift) in [(Quat::IDENTITY, Vec3::ZERO), (turn, Vec3::ONE * size)] {
                let rows: Vec<Vec4> =
                    particles.iter().map(|&x| (turn * x + shift).extend(1.0)).collect();
                let found = skin.positions(&rows).into_iter().zip(&mesh.positions);
                let worst = found.map(|(x, &rest)| x.distance(turn * rest + shift));
                let worst = worst.fold(0.0, f32::max) / size;
                assert!(worst < 1e-5, "{name}: {worst} of its size away");
            }
        }
    }
}

/// Each way of making a body, of a mesh that suits it: closed, open, fine.
#[test]
fn any_mesh_becomes_a_body_that_can_be_dropped() {
    let count = Resolution::Count(1500);
    for (name, way) in [
        ("bunny.off", Way::Lattice(count)),
        ("teapot.obj", Way::Lattice(count)),
        // 1500 tetrahedra hold 0.86 of its volume.
        ("armadillo.obj", Way::default()),
        ("cube_no_bottom.obj", Way::Tets(count)),
        ("spot.obj", Way::Springs(150)),
        ("torus.obj", Way::Shell),
    ] {
        let Some(mut mesh) = mesh(name) else { return };
        let bounds = mesh.bounds();
        let scale = 0.5 / bounds.size().max_element();
        mesh.positions.iter_mut().for_each(|x| *x = (*x - bounds.low) * scale);
        let stock = Stock::new(&mesh, &TetMesh::default(), &Repair::default()).unwrap();
        let made = stock.body(&Recipe { way, material: None }).unwrap();
        if stock.surface.report.is_closed() && way != Way::Shell {
            let share = made.mass() / (1000.0 * stock.surface.report.volume);
            assert!((0.9..1.05).contains(&share), "{name}: {share} of its mass");
        }
        let mut world = World::default();
        world.add(&made.blueprint.placed(Quat::IDENTITY, Vec3::Y * 0.01)).unwrap();
        world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
        for _ in 0..30 {
            step(&mut world, 1.0 / 60.0).unwrap();
        }
        assert!(world.quarantine.is_empty(), "{name} exploded");
        let lowest = world.particles.xw.iter().map(|row| row.y).fold(f32::MAX, f32::min);
        assert!(lowest > -0.01, "{name} fell through the floor to {lowest} m");
        let speed = measure::energy::kinetic(&world) * 2.0 / made_mass(&world);
        assert!(speed.sqrt() < 2.0, "{name} moves at {} m/s", speed.sqrt());
    }
}

/// The mass of all particles (kg).
fn made_mass(world: &World) -> f64 {
    world.particles.xw.iter().map(|row| 1.0 / f64::from(row.w)).sum()
}
