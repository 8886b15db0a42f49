//! Contact of one particle, against formulas.

use super::*;
use crate::collider::Motion;
use crate::mesh::TriMesh;
use crate::{Blueprint, Config, step};

const FRAME: f32 = 1.0 / 60.0;
const G: f32 = 9.81;

/// One particle of `mass` (kg) on a plane whose free side is where `normal` points.
fn particle_on_plane(mass: f32, normal: Vec3, change: impl Fn(&mut Collider)) -> World {
    let mut world = World::new(Config { threads: 1, ..Config::default() });
    let mut body = Blueprint::default();
    body.particle(Vec3::ZERO, mass);
    world.add(&body).unwrap();
    let mut plane = Collider::plane(Vec3::ZERO, normal).unwrap();
    change(&mut plane);
    world.colliders.push(plane);
    world
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / FRAME).round() as u32 {
        step(world, FRAME).unwrap();
    }
}

#[test]
fn sliding_stops_after_v_squared_over_two_mu_g() {
    let v0 = 2.0;
    for mu in [0.2, 0.4, 0.7] {
        for mass in [0.1, 1.0, 10.0] {
            for substeps in [5, 20, 80] {
                let mut world = particle_on_plane(mass, Vec3::Y, |p| p.friction = mu);
                world.config.substeps = substeps;
                world.particles.set_velocity(0, Vec3::X * v0);
                run(&mut world, 1.5);
                let (slid, law) = (world.particles.position(0).x, v0 * v0 / (2.0 * mu * G));
                let tolerance = 0.01 * law + v0 * FRAME / substeps as f32 / 2.0;
                assert!(
                    (slid - law).abs() < tolerance,
                    "μ {mu}, {mass} kg, {substeps} substeps: slid {slid} m, v²/2μg is {law} m"
                );
            }
        }
    }
}

#[test]
fn a_slope_holds_what_is_rougher_than_its_tangent_and_no_other() {
    let normal = Vec3::new(-0.5, 1.0, 0.0); // tan θ = 0.5
    for (mu, holds) in [(0.5, true), (0.49, false)] {
        let mut world = particle_on_plane(1.0, normal, |plane| plane.friction = mu);
        world.config.substeps = 60;
        run(&mut world, 1.0);
        let slid = world.particles.position(0).length();
        assert_eq!(slid < 1e-3, holds, "μ = {mu}: slid {slid} m in 1 s");
    }
}

#[test]
fn a_bounce_reaches_e_squared_of_its_height() {
    for e in [0.5, 0.8] {
        let mut world = particle_on_plane(1.0, Vec3::Y, |plane| plane.restitution = e);
        world.particles.set_position(0, Vec3::Y);
        let (mut highest, mut bounced) = (0.0f32, false);
        for _ in 0..100 {
            step(&mut world, FRAME).unwrap();
            bounced |= world.particles.velocity(0).y > 0.0;
            highest = highest.max(if bounced { world.particles.position(0).y } else { 0.0 });
        }
        assert!((highest / (e * e) - 1.0).abs() < 0.03, "e = {e}: {highest} m, e² h is {}", e * e);
    }
}

#[test]
fn what_begins_inside_comes_out_at_the_speed_set_and_gains_none() {
    let mut world = particle_on_plane(1.0, Vec3::Y, |_| {});
    world.particles.set_position(0, Vec3::NEG_Y * 0.5);
    run(&mut world, 0.25);
    let height = world.particles.position(0).y;
    assert!((height + 0.25).abs() < 0.01, "at 1 m/s it is at {height} m after a quarter second");
    assert!(world.particles.velocity(0).length() < 1e-3, "{}", world.particles.velocity(0));
    run(&mut world, 1.0);
    let height = world.particles.position(0).y;
    assert!(height.abs() < 1e-5, "it jumped out to {height} m");
}

#[test]
fn a_moving_plane_carries_what_lies_on_it() {
    let mut world = particle_on_plane(1.0, Vec3::Y, |plane| {
        (plane.friction, plane.velocity) = (1.0, Vec3::X * 0.3);
    });
    run(&mut world, 1.0);
    let moved = world.particles.position(0).x;
    assert!((moved - 0.3).abs() < 0.01, "it moved {moved} m, the plane 0.3 m");
}

#[test]
fn a_phase_that_does_not_match_falls_through() {
    let mut world = particle_on_plane(1.0, Vec3::Y, |plane| plane.phases = 2);
    run(&mut world, 0.5);
    assert!(world.particles.position(0).y < -1.0);
}

/// A particle of this radius at `x` with velocity `v`, without gravity, and a collider.
fn thrown(x: Vec3, v: Vec3, radius: f32, collider: Collider) -> World {
    let config = Config { threads: 1, gravity: Vec3::ZERO, ..Config::default() };
    let mut world = World::new(config);
    let mut body = Blueprint { radius, ..Blueprint::default() };
    body.particle(x, 1.0);
    world.add(&body).unwrap();
    world.particles.set_velocity(0, v);
    world.colliders.push(collider);
    world
}

/// A square of 1 m about the origin, its normal along y: a sheet without thickness.
fn sheet() -> Collider {
    let corner = |x, z| Vec3::new(x, 0.0, z);
    let positions =
        vec![corner(-0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5), corner(0.5, -0.5)];
    Collider::mesh(TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }).unwrap()
}

/// Everything that is thin: a sheet, plates of 1 mm and 1 cm, a needle, a coin.
fn thin_things() -> Vec<(&'static str, Collider)> {
    let plate = |thickness| Vec3::new(1.0, thickness, 1.0);
    let solid = |thickness| crate::mesh::solids::cuboid::cuboid(plate(thickness), 2);
    vec![
        ("sheet", sheet()),
        ("plate of 1 mm", Collider::cuboid(Vec3::ZERO, plate(1e-3)).unwrap()),
        ("box of 1 cm", Collider::cuboid(Vec3::ZERO, plate(1e-2)).unwrap()),
        ("mesh of 1 mm", Collider::mesh(solid(1e-3)).unwrap()),
        ("grid of 8 cm", Collider::sampled(solid(8e-2), 4e-2).unwrap()),
        ("needle", Collider::capsule([Vec3::NEG_X, Vec3::X], 1e-3).unwrap()),
        ("coin", Collider::cylinder([Vec3::Y * -1e-3, Vec3::Y * 1e-3], 0.5).unwrap()),
    ]
}

#[test]
fn nothing_tunnels_at_fifty_metres_in_a_second() {
    for (name, thin) in thin_things() {
        for (k, radius) in [0.0, 1e-3, 5e-3].into_iter().enumerate() {
            for start in 0..20 {
                let side = if start % 2 == 0 { 1.0 } else { -1.0 };
                let along = if name == "needle" { 0.0 } else { 0.01 * start as f32 };
                let x = Vec3::new(along, side * (0.3 + 0.0021 * start as f32), 0.0);
                let way = Vec3::new(0.0, -50.0 * side, 0.0);
                let mut world = thrown(x, way, radius, thin.clone());
                world.config.substeps = [5, 20, 1][k];
                run(&mut world, 0.1);
                let y = world.particles.position(0).y * side;
                let v = world.particles.velocity(0).y * side;
                assert!(
                    y > radius - 1e-3 && v > -1e-2,
                    "{name}, radius {radius}: at {y} m, {v} m/s"
                );
            }
        }
    }
}

#[test]
fn what_moves_fast_stops_what_stands() {
    for (name, thin) in thin_things().into_iter().filter(|(name, _)| *name != "needle") {
        let mut world = thrown(Vec3::new(0.1, 0.0, 0.1), Vec3::ZERO, 2e-3, thin);
        world.colliders[0].position = Vec3::Y * 0.5;
        world.colliders[0].velocity = Vec3::Y * -50.0;
        run(&mut world, 0.1);
        let below = world.colliders[0].position.y - world.particles.position(0).y;
        assert!(below > 1e-3, "{name} passed by: it is {below} m above the particle");
        let v = world.particles.velocity(0).y;
        assert!((v + 50.0).abs() < 0.5, "{name} pushes at 50 m/s, the particle has {v} m/s");
    }
}

#[test]
fn a_turntable_carries_what_lies_on_it_around() {
    let mut world = particle_on_plane(1.0, Vec3::Y, |plane| {
        (plane.friction, plane.angular_velocity) = (1.0, Vec3::Y * 2.0);
    });
    world.particles.set_position(0, Vec3::X * 0.3);
    world.particles.set_velocity(0, Vec3::Z * -0.6);
    run(&mut world, 1.0);
    let x = world.particles.position(0);
    let angle = libm::atan2f(-x.z, x.x);
    // It follows a circle by its tangents: r grows by (ω h)²/2 of itself in every substep.
    assert!((angle - 2.0).abs() < 0.02 && (x.length() - 0.3).abs() < 0.01, "{angle} rad, {x}");
}

#[test]
fn a_belt_of_keyframes_carries_at_its_own_speed() {
    use crate::collider::motion::{Blend, End, Key, Track};
    let key = |time, x| Key { time, position: Vec3::X * x, rotation: glam::Quat::IDENTITY };
    let keys = [key(0.0, 0.0), key(1.0, 0.3), key(2.0, 0.3)];
    let track = Track::new(&keys, Blend::Linear, End::Stop).unwrap();
    let mut world = particle_on_plane(1.0, Vec3::Y, |plane| {
        plane.friction = 1.0;
        plane.motion = Motion::Track(track.clone());
    });
    run(&mut world, 1.5);
    let moved = world.particles.position(0).x;
    assert!((moved - 0.3).abs() < 0.01, "it moved {moved} m, the plane 0.3 m");
}

#[test]
fn balls_of_free_space_change_no_bit() {
    let drop = |forget: bool| {
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let cloth = crate::shapes::Cloth::default().blueprint().unwrap();
        world.add(&cloth.placed(glam::Quat::IDENTITY, Vec3::Y * 0.4)).unwrap();
        world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
        let cube = crate::mesh::solids::cuboid::cuboid(Vec3::splat(0.2), 2);
        world.colliders.push(Collider::mesh(cube).unwrap());
        world.colliders.push(Collider::sphere(Vec3::new(0.3, 0.0, 0.1), 0.1).unwrap());
        for _ in 0..60 {
            if forget {
                world.scratch.free.clear();
            }
            step(&mut world, FRAME).unwrap();
        }
        world.hash()
    };
    assert_eq!(drop(false), drop(true));
}

#[test]
fn a_collider_that_is_moved_between_steps_is_met_where_it_is() {
    let mut world = particle_on_plane(1.0, Vec3::Y, |plane| plane.position = Vec3::NEG_Y * 100.0);
    run(&mut world, 0.2);
    world.colliders[0].position = Vec3::NEG_Y * 0.5;
    run(&mut world, 0.5);
    let y = world.particles.position(0).y;
    assert!((y + 0.5).abs() < 1e-4, "it lies at {y} m");
}

/// A triangle whose corners are all outside, and a corner of a box between them.
#[test]
fn a_corner_between_particles_is_felt() {
    let mut world = World::new(Config { threads: 1, ..Config::default() });
    let mut body = Blueprint { radius: 0.002, ..Blueprint::default() };
    let third = std::f32::consts::TAU / 3.0;
    for k in 0..3 {
        let angle = third * k as f32;
        body.particle(Vec3::new(libm::cosf(angle), 0.0, libm::sinf(angle)) * 0.1, 0.1);
    }
    body.triangles.push([0, 2, 1]);
    for pair in [[0, 1], [1, 2], [2, 0]] {
        body.join(&crate::constraint::distance::KIND, &pair, crate::Hold::RIGID).unwrap();
    }
    world.add(&body.placed(glam::Quat::IDENTITY, Vec3::Y * 0.2)).unwrap();
    // A cube on its corner, which is at the height of 0.0866 m.
    let tilt = glam::Quat::from_rotation_arc(Vec3::ONE.normalize_or_zero(), Vec3::Y);
    let cube = Collider::cuboid(Vec3::ZERO, Vec3::splat(0.1)).unwrap().turned(tilt);
    world.colliders.push(Collider { friction: 1.0, ..cube });
    run(&mut world, 1.0);
    let top = 0.05 * 3f32.sqrt();
    for i in 0..3 {
        let y = world.particles.position(i).y;
        assert!((y - top - 0.002).abs() < 2e-3, "corner {i} is at {y} m, the tip at {top} m");
    }
}

/// The laws of friction and restitution on a level face of a box, a mesh and a grid of 2 m.
#[test]
fn faces_of_boxes_and_meshes_brake_and_bounce_like_planes() {
    let (sides, below) = (Vec3::new(4.0, 1.0, 2.0), Vec3::NEG_Y * 0.5);
    let solid = crate::mesh::solids::cuboid::cuboid(sides, 2);
    let mut floors = vec![
        Collider::cuboid(below, sides).unwrap(),
        Collider::mesh(solid.clone()).unwrap(),
        Collider::sampled(solid, 0.1).unwrap(),
    ];
    floors.iter_mut().for_each(|floor| floor.position = below);
    let (mu, e, v0) = (0.4, 0.8, 2.0);
    for floor in floors {
        let name = floor.shape.name;
        let world = |x, v| {
            let floor = Collider { friction: mu, restitution: e, ..floor.clone() };
            let mut world = thrown(x, v, 0.01, floor);
            world.config.gravity = Vec3::NEG_Y * G;
            world
        };
        let mut sliding = world(Vec3::new(-1.0, 0.01, 0.03), Vec3::X * v0);
        run(&mut sliding, 1.5);
        let (slid, law) = (sliding.particles.position(0).x + 1.0, v0 * v0 / (2.0 * mu * G));
        assert!((slid - law).abs() < 0.01 * law + v0 * FRAME / 40.0, "{name}: {slid} m, not {law}");
        let mut bouncing = world(Vec3::new(0.1, 1.01, 0.03), Vec3::ZERO);
        let (mut highest, mut bounced) = (0.0f32, false);
        for _ in 0..100 {
            step(&mut bouncing, FRAME).unwrap();
            bounced |= bouncing.particles.velocity(0).y > 0.0;
            let y = bouncing.particles.position(0).y - 0.01;
            highest = highest.max(if bounced { y } else { 0.0 });
        }
        assert!((highest / (e * e) - 1.0).abs() < 0.03, "{name}: {highest} m, not {}", e * e);
    }
}

/// A box that comes up under a coarse triangle, edge first and faster than what is inside comes out.
#[test]
fn an_edge_that_moves_fast_carries_a_triangle() {
    let mut world = thrown(Vec3::ZERO, Vec3::ZERO, 0.005, sheet());
    world.colliders.clear();
    let mut body = Blueprint { radius: 0.005, ..Blueprint::default() };
    for (x, z) in [(-0.2, -0.2), (-0.2, 0.2), (0.25, 0.0)] {
        body.particle(Vec3::new(x, 0.5, z), 0.1);
    }
    body.triangles.push([0, 1, 2]);
    let triangle = world.add(&body).unwrap();
    let tilt = glam::Quat::from_rotation_x(std::f32::consts::FRAC_PI_4);
    let beam = Collider::cuboid(Vec3::Y * 0.3, Vec3::new(0.6, 0.1, 0.1)).unwrap().turned(tilt);
    world.colliders.push(Collider { velocity: Vec3::Y * 3.0, ..beam });
    run(&mut world, 0.2);
    let top = world.colliders[0].position.y + 0.05 * 2f32.sqrt();
    let middle = world.positions(triangle).unwrap().sum::<Vec3>() / 3.0;
    assert!(middle.y > top, "the edge at {top} m went through the triangle at {} m", middle.y);
}
