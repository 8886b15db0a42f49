//! Welds: what a cut has opened is closed again, and what is sewn holds until it breaks.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use pliant::constraint::distance;
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::mesh::TetMesh;
use pliant::mesh::TriMesh;
use pliant::shapes::{Bending, Cloth, ElasticBody, Lattice, Rope, TetBox};
use pliant::{Blade, Blueprint, Config, Hold, World, look, step};

const FRAME: f32 = 1.0 / 60.0;

fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}

fn momentum(world: &World) -> Vec3 {
    let each = |i: usize| world.particles.velocity(i) / world.particles.inverse_mass[i];
    (0..world.particles.len()).map(each).sum()
}

fn surfaces(world: &World) -> Vec<TriMesh> {
    world.bodies().filter_map(|(_, body)| look::surface(world, body)).collect()
}

fn area(world: &World) -> f64 {
    let of = |surface: &TriMesh| -> f64 {
        let x = |i: u32| surface.positions[i as usize].as_dvec3();
        let triangles = surface.triangles.iter();
        triangles.map(|&[a, b, c]| (x(b) - x(a)).cross(x(c) - x(a)).length() / 2.0).sum()
    };
    surfaces(world).iter().map(of).sum()
}

/// Sides that have a triangle on one side only.
fn open_sides(world: &World) -> usize {
    let mut count = 0;
    for surface in surfaces(world) {
        let mut sides: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for &[a, b, c] in &surface.triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                *sides.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
        count += sides.values().filter(|sum| **sum != 0).count();
    }
    count
}

/// The sum of all stiffness, by kind (unit of the kind).
fn stiffness(world: &World) -> BTreeMap<&'static str, (usize, f64)> {
    let of = |set: &pliant::Set| {
        let each = |n: usize| f64::from(set.hold(n).compliance).recip().min(1e12);
        (set.kind().name, (set.len(), (0..set.len()).map(each).sum::<f64>()))
    };
    world.constraints().iter().filter(|set| !set.is_empty()).map(of).collect()
}

/// One of every sort of body, with the least length of a seam through it (m).
fn bodies() -> Vec<(&'static str, Blueprint)> {
    let cloth = Cloth {
        columns: 9,
        rows: 9,
        spacing: [0.05; 2],
        stretch: Hold::spring(500.0),
        shear: Some(Hold::spring(100.0)),
        bending: Bending::Hinges(Hold::spring(1e-3)),
        ..Cloth::default()
    };
    let mesh = TetMesh::block(UVec3::splat(4), Vec3::splat(0.2));
    vec![
        ("cloth", cloth.blueprint().unwrap()),
        ("box of tetrahedra", TetBox::default().blueprint().unwrap()),
        ("elastic body", ElasticBody { mesh, ..ElasticBody::default() }.blueprint().unwrap()),
        ("lattice", Lattice::default().blueprint().unwrap()),
    ]
}

#[test]
fn a_weld_gives_back_what_a_cut_has_taken() {
    for (what, body) in bodies() {
        for (name, blade) in [
            ("across", Blade::plane(Vec3::new(0.011, 0.0, 0.0), Vec3::new(1.0, 0.1, 0.2)).unwrap()),
            ("a slit", Blade::disc(Vec3::new(0.011, 0.0, 0.0), Vec3::X, 0.06).unwrap()),
        ] {
            let what = format!("{what}, {name}");
            let mut world = World::default();
            world.add(&body).unwrap();
            let before = (world.particles.len(), open_sides(&world), stiffness(&world));
            let (m, a, triangles) = (mass(&world), area(&world), world.triangles().len());
            assert_eq!(world.cut(&blade).unwrap().bodies.len(), 1, "{what}");
            world.weld_along(&[Vec3::ZERO], 10.0).unwrap();
            world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
            assert_eq!(world.bodies().count(), 1, "{what}");
            assert!((mass(&world) / m - 1.0).abs() < 1e-6, "{what}");
            assert!(
                (area(&world) / a - 1.0).abs() < 1e-6,
                "{what}: {a} m² became {}",
                area(&world)
            );
            assert_eq!(world.particles.len(), before.0, "{what}");
            if what.starts_with("cloth") {
                let rim = |count: usize| count >= before.1; // sides of the rim may have been split
                assert!(rim(open_sides(&world)) && open_sides(&world) < before.1 + 5, "{what}");
            } else {
                assert_eq!(open_sides(&world), before.1, "{what}");
            }
            // Triangles of a lattice that a blade crosses are gone; what is seen is not made of them.
            if !what.starts_with("lattice") {
                assert_eq!(world.triangles().len(), triangles, "{what}");
            }
            for (kind, (count, sum)) in stiffness(&world) {
                let (expected, whole) = before.2[kind];
                assert_eq!(count, expected, "{what}: {kind}");
                // A hinge that is parted leaves what bends in it to neither side.
                // No share is less than a fiftieth.
                let off = if kind == "bend" { 0.05 } else { 2e-3 };
                assert!((sum / whole - 1.0).abs() < off, "{what}: {kind}: {whole} became {sum}");
            }
            for _ in 0..20 {
                step(&mut world, FRAME).unwrap();
                assert_eq!(world.quarantine, [], "{what}");
            }
            world.check().unwrap();
            assert_eq!(World::restore(&world.save()).unwrap().hash(), world.hash(), "{what}");
        }
    }
}

#[test]
fn welded_particles_keep_mass_momentum_and_pins() {
    let rope = Rope { segments: 4, ..Rope::default() }.blueprint().unwrap();
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    let first = world.add(&rope.clone().pinned(&[0])).unwrap();
    let second = world.add(&rope.placed(Quat::from_rotation_y(1.0), Vec3::X * 1.01)).unwrap();
    for i in 0..10 {
        world.particles.set_velocity(i, Vec3::new(i as f32, 1.0, 0.0));
    }
    let (m, p) = (mass(&world), momentum(&world));
    let changes = world.weld(&[[4, 5]]).unwrap();
    world.check().unwrap();
    assert_eq!((world.body(first).unwrap().range().len(), world.bodies().count()), (9, 1));
    assert!(world.body(second).is_err(), "it is part of the first");
    assert_eq!(changes.particles[4], changes.particles[5]);
    assert!((mass(&world) / m - 1.0).abs() < 1e-6);
    assert!((momentum(&world) - p).length() < 1e-5 * p.length());
    assert!((world.particles.position(4).x - 1.005).abs() < 1e-6, "between both");
    // The other way round: what is pinned stays where it is.
    world.weld(&[[0, 8]]).unwrap();
    world.check().unwrap();
    assert!(world.particles.pinned[0] && world.particles.position(0) == Vec3::ZERO);
    assert!(world.weld(&[[0, 99]]).is_err());
}

#[test]
fn two_cloths_are_welded_along_a_seam() {
    let cloth = Cloth { columns: 5, rows: 5, spacing: [0.1; 2], ..Cloth::default() };
    let cloth = cloth.blueprint().unwrap();
    let mut world = World::default();
    world.add(&cloth).unwrap();
    world.add(&cloth.clone().placed(Quat::IDENTITY, Vec3::X * 0.401)).unwrap();
    let a = area(&world);
    world.weld_along(&[Vec3::new(0.2, 0.0, -1.0), Vec3::new(0.2, 0.0, 1.0)], 0.02).unwrap();
    world.check().unwrap();
    assert_eq!((world.bodies().count(), world.particles.len()), (1, 45));
    assert!((area(&world) / a - 1.0).abs() < 2e-3);
    let empty = world.weld_along(&[], 1.0).unwrap();
    assert!(empty.bodies.is_empty() && world.particles.len() == 45);
    assert!(world.weld_along(&[Vec3::NAN], 1.0).is_err());
}

#[test]
fn a_suture_holds_up_to_its_force() {
    let rope = Rope { segments: 5, stretch: Hold::spring(1e4), ..Rope::default() };
    let weight = 0.07 * 9.81;
    for (force, holds) in [(1.1 * weight, true), (0.9 * weight, false)] {
        let down = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let mut world = World::new(Config { damping: 20.0, ..Config::default() });
        let body = rope.blueprint().unwrap().placed(down, Vec3::ZERO);
        world.add(&body.clone().pinned(&[5])).unwrap();
        world.add(&body.placed(Quat::IDENTITY, -Vec3::Y)).unwrap();
        let sewn = world.suture(&[[5, 6]], Hold::spring(1e4), f32::INFINITY).unwrap();
        for _ in 0..120 {
            step(&mut world, FRAME).unwrap();
        }
        let links = world.constraints_of_mut(&distance::KIND).unwrap();
        let strength = pliant::tear::Strength { break_force: force, ..Default::default() };
        links.set_strength(sewn[0], strength).unwrap();
        let before = world.constraints_of(&distance::KIND).unwrap().len();
        for _ in 0..30 {
            step(&mut world, FRAME).unwrap();
            world.check().unwrap();
        }
        let after = world.constraints_of(&distance::KIND).unwrap().len();
        assert_eq!(after == before, holds, "{force} N hold {weight} N");
        assert!(before - after <= 1, "the suture, and no link");
    }
    assert!(World::default().suture(&[[0, 1]], Hold::RIGID, 1.0).is_err());
}
