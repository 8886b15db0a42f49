//! Bodies against colliders of every shape: nothing gets through, whatever the threads.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::collider::motion::{Blend, Drag, End, Key, Motion, Track};
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::measure::{energy, penetration};
use pliant::mesh::{TriMesh, solids};
use pliant::shapes::{Cloth, Lattice, Rigid};
use pliant::{Blueprint, Collider, Config, World, step};

const FRAME: f32 = 1.0 / 60.0;

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        step(world, FRAME).unwrap();
    }
}

/// A cloth of 0.5 m, of so many particles along a side.
fn cloth(size: u32) -> Blueprint {
    let spacing = [0.5 / (size - 1) as f32; 2];
    Cloth { columns: size, rows: size, spacing, ..Cloth::default() }.blueprint().unwrap()
}

/// One of every shape around the origin, some of which move.
fn shapes() -> Vec<(&'static str, Collider)> {
    let ring = |detail| (solids::torus::SOLID.make)(detail).unwrap();
    let small = |mut mesh: TriMesh| {
        mesh.positions.iter_mut().for_each(|x| *x *= 0.3);
        mesh
    };
    let key = |time, y, angle| Key {
        time,
        position: Vec3::Y * y,
        rotation: Quat::from_rotation_y(angle),
    };
    let keys = [key(0.0, 0.0, 0.0), key(0.5, 0.1, 0.5), key(1.0, 0.0, 0.0)];
    let track = Track::new(&keys, Blend::Smooth, End::Repeat).unwrap();
    let drag = Drag::to(Vec3::new(0.1, 0.1, 0.0), 0.5).unwrap();
    let cube = Collider::cuboid(Vec3::ZERO, Vec3::splat(0.2)).unwrap();
    let mut spun = cube.clone();
    spun.angular_velocity = Vec3::Y;
    let ends = [Vec3::X * -0.2, Vec3::X * 0.2];
    let sheet = TriMesh {
        positions: vec![Vec3::new(-0.3, 0.0, -0.3), Vec3::Z * 0.4, Vec3::new(0.3, 0.0, -0.3)],
        triangles: vec![[0, 1, 2]],
    };
    vec![
        ("plane", Collider::plane(Vec3::ZERO, Vec3::Y).unwrap()),
        (
            "sphere on keyframes",
            Collider::sphere(Vec3::ZERO, 0.15).unwrap().moved(Motion::Track(track)),
        ),
        ("box", cube.turned(Quat::from_rotation_z(0.6))),
        ("spinning box", spun),
        ("capsule, dragged", Collider::capsule(ends, 0.05).unwrap().moved(Motion::Drag(drag))),
        ("cylinder", Collider::cylinder(ends, 0.08).unwrap()),
        ("mesh", Collider::mesh(small(ring(8))).unwrap()),
        ("sheet", Collider::mesh(sheet).unwrap()),
        ("grid", Collider::sampled(small(ring(8)), 0.03).unwrap()),
    ]
}

/// A cloth and a rigid box that fall on a collider.
fn drop_on(collider: Collider, threads: u32) -> World {
    let mut world = World::new(Config { threads, substeps: 10, ..Config::default() });
    world.add(&cloth(16).placed(Quat::IDENTITY, Vec3::Y * 0.3)).unwrap();
    let brick = Rigid::cuboid(Vec3::new(0.05, 0.1, 0.08), 400.0).unwrap().blueprint().unwrap();
    world.add(&brick.placed(Quat::from_rotation_x(0.4), Vec3::Y * 0.25)).unwrap();
    world.colliders.push(Collider { friction: 0.5, ..collider });
    world
}

#[test]
fn contact_with_every_shape_is_the_same_on_any_number_of_threads_and_after_a_save() {
    for (name, shape) in shapes() {
        let mut world = drop_on(shape.clone(), 1);
        run(&mut world, 25);
        let saved = world.save();
        run(&mut world, 15);
        let hash = world.hash();
        for threads in [2, 3, 8] {
            let mut world = drop_on(shape.clone(), threads);
            run(&mut world, 40);
            assert_eq!(world.hash(), hash, "{name}: {threads} threads differ from 1");
        }
        let mut restored = World::restore(&saved).unwrap();
        assert_eq!(restored.save(), saved, "{name}: saving what was restored");
        run(&mut restored, 15);
        assert_eq!(restored.hash(), hash, "{name}: restored midway");
        assert!(penetration::deepest(&world) < 2e-3, "{name}: {}", penetration::deepest(&world));
    }
}

#[test]
fn a_cloth_at_fifty_metres_in_a_second_stops_on_what_is_thin() {
    let plate = |thickness| Collider::cuboid(Vec3::ZERO, Vec3::new(1.0, thickness, 1.0)).unwrap();
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let positions =
        vec![corner(-0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5), corner(0.5, -0.5)];
    let sheet = TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] };
    for thin in [plate(1e-3), plate(1e-2), Collider::mesh(sheet).unwrap()] {
        let name = thin.shape.name;
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let tilted = Quat::from_rotation_x(0.2);
        world.add(&cloth(15).placed(tilted, Vec3::Y * 0.5)).unwrap();
        for i in 0..world.particles.len() {
            world.particles.set_velocity(i, Vec3::Y * -50.0);
        }
        world.colliders.push(thin);
        run(&mut world, 30);
        let lowest = world.particles.xw.iter().map(|row| row.y).fold(f32::MAX, f32::min);
        assert!(lowest > 0.0, "{name}: a particle came through to {lowest} m");
    }
}

/// A cube that stands on a corner under a cloth whose particles are farther apart than it is wide.
#[test]
fn a_corner_does_not_slip_between_particles() {
    let tilt = Quat::from_rotation_arc(Vec3::ONE.normalize_or_zero(), Vec3::Y);
    for size in [5, 9] {
        let mut world = World::new(Config { threads: 1, damping: 1.0, ..Config::default() });
        world
            .add(&cloth(size).placed(Quat::from_rotation_y(0.3), Vec3::new(0.03, 0.3, 0.02)))
            .unwrap();
        let cube = Collider::cuboid(Vec3::ZERO, Vec3::splat(0.1)).unwrap().turned(tilt);
        world.colliders.push(Collider { friction: 3.0, ..cube });
        world.colliders.push(Collider::plane(Vec3::Y * -0.5, Vec3::Y).unwrap());
        for frame in 0..180 {
            step(&mut world, FRAME).unwrap();
            let pierced = penetration::pierced(&world);
            assert!(
                pierced < 1e-4,
                "{size}: the cube comes through by {pierced} m in frame {frame}"
            );
        }
        let lowest = world.particles.xw.iter().map(|row| row.y).fold(f32::MAX, f32::min);
        assert!(lowest > -0.45, "{size}: the cloth fell through, to {lowest} m");
    }
}

#[test]
fn rigid_bodies_come_to_rest_on_boxes_and_meshes() {
    let brick = Rigid::cuboid(Vec3::splat(0.2), 400.0).unwrap().blueprint().unwrap();
    let sides = Vec3::new(2.0, 0.5, 2.0);
    let grounds = [
        Collider::cuboid(Vec3::Y * -0.25, sides).unwrap(),
        Collider::mesh(solids::cuboid::cuboid(sides, 3)).unwrap(),
    ];
    for ground in grounds {
        let name = ground.shape.name;
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let id =
            world.add(&brick.clone().placed(Quat::from_rotation_z(0.5), Vec3::Y * 0.4)).unwrap();
        world.colliders.push(Collider { position: Vec3::Y * -0.25, friction: 0.6, ..ground });
        run(&mut world, 180);
        let (position, _) = world.pose(id).unwrap();
        assert!((position.y - 0.1).abs() < 1e-3, "{name}: its middle is at {} m", position.y);
        assert!(energy::kinetic(&world) < 1e-5, "{name}: {} J", energy::kinetic(&world));
        assert!(penetration::deepest(&world) < 1e-4, "{name}: {}", penetration::deepest(&world));
    }
}

/// A box on a corner of a table, wider than its particles are apart: the edge holds it.
#[test]
fn a_rigid_plank_balances_on_the_edge_of_a_box() {
    let plank = Rigid::cuboid(Vec3::new(0.8, 0.02, 0.1), 500.0).unwrap().blueprint().unwrap();
    let mut world = World::new(Config { threads: 1, ..Config::default() });
    let id = world.add(&plank.placed(Quat::IDENTITY, Vec3::new(0.05, 0.02, 0.0))).unwrap();
    let post = Collider::cuboid(Vec3::new(0.05, -0.5, 0.0), Vec3::new(0.2, 1.0, 0.2)).unwrap();
    world.colliders.push(Collider { friction: 0.8, ..post });
    run(&mut world, 120);
    let (position, _) = world.pose(id).unwrap();
    assert!(position.distance(Vec3::new(0.05, 0.01, 0.0)) < 5e-3, "the plank is at {position}");
}

#[test]
fn a_lattice_on_a_turntable_goes_round() {
    let mut world = World::new(Config { threads: 1, ..Config::default() });
    let counts = UVec3::splat(3);
    let sponge = Lattice { counts, spacing: 0.03, ..Lattice::default() }.blueprint().unwrap();
    world.add(&sponge.placed(Quat::IDENTITY, Vec3::new(0.2, 0.0425, 0.0))).unwrap();
    let mut table = Collider::cylinder([Vec3::Y * -0.1, Vec3::ZERO], 0.4).unwrap();
    (table.angular_velocity, table.friction) = (Vec3::Y * 2.0, 1.0);
    world.colliders.push(table);
    run(&mut world, 60);
    let rows = world.particles.xw.iter().map(|row| row.truncate());
    let middle = rows.sum::<Vec3>() / world.particles.len() as f32;
    // Where the table has taken the point below it: by 2 rad, less what it lags behind at first.
    let there = Vec3::new(-0.4161, 0.0, -0.9093);
    let along = middle.with_y(0.0).normalize_or_zero().dot(there);
    assert!(along > 0.995, "it is at {middle}, which is more than 0.1 rad from {there}");
}

#[test]
fn a_rigid_block_holds_on_a_slope_up_to_the_angle_of_friction() {
    let normal = Vec3::new(-0.5, 1.0, 0.0).normalize_or_zero();
    for (friction, holds) in [(0.5, true), (0.49, false)] {
        let mut world = World::new(Config { threads: 1, substeps: 60, ..Config::default() });
        let slope = Collider::plane(Vec3::ZERO, normal).unwrap();
        let block = Rigid::cuboid(Vec3::new(0.3, 0.1, 0.2), 700.0).unwrap().blueprint().unwrap();
        let block = block.placed(slope.rotation, normal * 0.05);
        let id = world.add(&block).unwrap();
        world.colliders.push(Collider { friction, ..slope });
        let start = world.pose(id).unwrap().0;
        run(&mut world, 60);
        let slid = world.pose(id).unwrap().0.distance(start);
        assert_eq!(slid < 1e-3, holds, "μ = {friction}: slid {slid} m in 1 s");
    }
}
