//! Bodies keep apart on the GPU as they do on the CPU.

use std::sync::Arc;

use pliant::contact::{By, Touch};
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::mesh::Aabb;
use pliant::mesh::grid::Grid;
use pliant::region::matched::{Match, Mode};
use pliant::scenes::Scene;
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Cloth, Lattice, Rope, TetBox};
use pliant::testing::{PARTY_RADIUS, Random, meetings, particles_inside, party};
use pliant::{Blueprint, Collider, Config, ContactSolver, Hold, Precision, World, step};
use pliant_gpu::{Gpu, GpuWorld};

use crate::common::{copy, departure, find_gpu};

const FRAME: f32 = 1.0 / 60.0;

/// A world after some steps on the CPU, and the same on the GPU; pairs are solved at once on both.
fn both(gpu: &Arc<Gpu>, mut here: World, steps: u32) -> [World; 2] {
    here.config.contact_solver = ContactSolver::Split;
    let mut there = copy(&here);
    let mut on_gpu = GpuWorld::new(gpu, &mut there).unwrap();
    on_gpu.steps(steps, FRAME).unwrap();
    on_gpu.read_into(&mut there).unwrap();
    (0..steps).for_each(|_| step(&mut here, FRAME).unwrap());
    [here, there]
}

#[test]
fn one_pair_of_each_kind_moves_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    for (friction, restitution) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.7)] {
        for precision in [Precision::Plain, Precision::Carried] {
            let touch = Touch { friction, restitution, ..Touch::OTHERS };
            for (what, mut world) in meetings(touch).unwrap() {
                world.config.precision = precision;
                let mut apart = copy(&world);
                for (id, _) in world.bodies() {
                    apart.set_touch(id, Touch::NOTHING).unwrap();
                }
                (0..6).for_each(|_| step(&mut apart, FRAME).unwrap());
                let [here, there] = both(&gpu, world, 6);
                let [effect, size] = departure(&here, &apart);
                let [off, _] = departure(&there, &here);
                let case =
                    format!("{what}, friction {friction}, bounce {restitution}, {precision:?}");
                assert!(effect > 0.01, "{case}: they never met");
                assert!(off < 1e-4 * size, "{case}: {off} m off of {size} m");
            }
        }
    }
}

/// Every kind of body, about 10 cm wide, with its name.
fn kinds() -> Vec<(&'static str, Blueprint)> {
    let (columns, radius) = (5, 0.004);
    let cloth = Cloth { columns, rows: columns, radius, ..Cloth::default() };
    let lattice = Lattice { counts: UVec3::splat(4), radius, ..Lattice::default() };
    let tets = TetBox { counts: UVec3::splat(4), radius, ..TetBox::default() };
    let rope = Rope { segments: 5, length: 0.1, radius, ..Rope::default() };
    let particles = lattice.blueprint().unwrap();
    let shape = Match { mode: Mode::Linear, beta: 0.3, hold: Hold::RIGID, ..Match::default() };
    let matched = Matched { particles, regions: Regions::Whole, shape };
    vec![
        ("cloth", cloth.blueprint().unwrap()),
        ("tets", tets.blueprint().unwrap()),
        ("matched", matched.blueprint().unwrap()),
        ("rope", rope.blueprint().unwrap().placed(Quat::IDENTITY, Vec3::X * -0.05)),
    ]
}

/// The lowest and the highest point of a body (m).
fn extent(body: &Blueprint) -> [f32; 2] {
    let y = body.positions.iter().map(|x| x.y);
    [y.clone().fold(f32::MAX, f32::min), y.fold(f32::MIN, f32::max)]
}

#[test]
fn every_two_kinds_of_bodies_keep_apart() {
    let Some(gpu) = find_gpu() else { return };
    for (lower_name, lower) in kinds() {
        for (upper_name, upper) in kinds() {
            let what = format!("{upper_name} on {lower_name}");
            let mut world = World::default();
            let all: Vec<u32> = (0..lower.positions.len() as u32).collect();
            world.add(&lower.clone().pinned(&all).touching(Touch::OTHERS)).unwrap();
            let turn = Quat::from_rotation_y(1.3);
            let lift = extent(&lower)[1] - extent(&upper)[0] + 0.02 + 2.0 * lower.radius;
            let above = upper.clone().touching(Touch::OTHERS).placed(turn, Vec3::Y * lift);
            let above = world.add(&above).unwrap();
            let [here, there] = both(&gpu, world, 7);
            let middle = |world: &World| {
                let range = world.body(above).unwrap().range();
                let count = range.len() as f32;
                range.map(|i| world.particles.position(i)).sum::<Vec3>() / count
            };
            let rest = extent(&lower)[1] + (extent(&upper)[1] - extent(&upper)[0]) / 2.0;
            let (a, b) = (middle(&here), middle(&there));
            assert!(b.y > rest - 0.02, "{what}: its middle is at {} m, not {rest} m", b.y);
            assert!(a.distance(b) < 1e-4, "{what}: its middle is at {b}, on the CPU at {a}");
            let [here, there] = [here.contact_report(), there.contact_report()];
            assert!(there.detections > 0, "{what}: {there:?}");
            assert!(there.deepest_share < here.deepest_share + 0.1, "{what}: {there:?}, {here:?}");
        }
    }
}

/// Balls in one place: more pairs than there is room for.
fn heap(count: u32) -> World {
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    let mut random = Random::new(3);
    for _ in 0..count {
        let mut ball = Blueprint { radius: 0.02, ..Blueprint::default() };
        ball.particle(random.vector(0.02), 1.0);
        world.add(&ball.touching(Touch { by: By::Particles, ..Touch::OTHERS })).unwrap();
    }
    world
}

#[test]
fn a_step_with_too_many_contacts_is_taken_again() {
    let Some(gpu) = find_gpu() else { return };
    let run = |balls: u32, each: bool| {
        let mut world = heap(balls);
        let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
        for _ in 0..6 {
            there.step(FRAME).unwrap();
            if each {
                there.wait().unwrap();
            }
        }
        there.read_into(&mut world).unwrap();
        (world.hash(), there.steps_taken_again(), world)
    };
    assert_eq!(run(50, false).1, 0, "1225 pairs fit");
    let (hash, again, world) = run(300, false); // 44 850 pairs
    assert!(again > 0, "they do not fit at first");
    assert_eq!(world.contact_report().deepest_share, 0.0, "{:?}", world.contact_report());
    assert_eq!(hash, run(300, true).0, "it does not matter when that is noticed");
}

#[test]
fn contact_has_the_same_bits_in_every_run() {
    let Some(gpu) = find_gpu() else { return };
    let run = |name: &str, steps: u32| {
        let scene = Scene::find(name).unwrap();
        let mut world = (scene.build)(scene.test_size).unwrap();
        let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
        there.steps(steps, FRAME).unwrap();
        there.read_into(&mut world).unwrap();
        assert!(world.contact_report().contacts > 20, "{name}: {:?}", world.contact_report());
        world.hash()
    };
    for (name, steps) in [("pile", 14), ("folding", 13)] {
        assert_eq!(run(name, steps), run(name, steps), "{name}");
    }
}

/// A sleeping ball on a floor, and one that falls on it.
fn sleeper() -> World {
    let config = Config { sleep_speed: 0.02, sleep_after: 0.1, ..Config::default() };
    let mut world = World::new(config);
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    for (x, y) in [(0.0, 0.02), (0.01, 0.6)] {
        let mut ball = Blueprint { radius: 0.02, ..Blueprint::default() };
        ball.particle(Vec3::new(x, y, 0.0), 1.0);
        world.add(&ball.touching(Touch::OTHERS)).unwrap();
    }
    world
}

#[test]
fn a_sleeping_body_wakes_when_another_comes_near() {
    let Some(gpu) = find_gpu() else { return };
    let mut there = sleeper();
    let mut here = copy(&there);
    let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
    let asleep = |world: &World| world.bodies().map(|(_, body)| body.asleep).collect::<Vec<_>>();
    let (mut slept, mut woke) = (false, false);
    for frame in 0..30 {
        on_gpu.step(FRAME).unwrap();
        on_gpu.read_into(&mut there).unwrap();
        step(&mut here, FRAME).unwrap();
        assert_eq!(asleep(&there), asleep(&here), "frame {frame}");
        let [off, _] = departure(&there, &here);
        assert!(off < 1e-4, "frame {frame}: {off} m off");
        woke |= slept && !asleep(&here)[0];
        slept |= asleep(&here)[0];
    }
    assert!(slept && woke);
}

#[test]
fn a_stack_stands_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let world = (Scene::find("stack").unwrap().build)(2).unwrap();
    let [here, there] = both(&gpu, world, 12);
    let [off, size] = departure(&there, &here);
    assert!(off < 1e-3 * size, "{off} m off of {size} m");
}

#[test]
fn solids_that_begin_in_each_other_come_apart_and_stay_so() {
    let Some(gpu) = find_gpu() else { return };
    let block = TetBox { counts: UVec3::splat(4), radius: 0.003, ..TetBox::default() };
    let block = block.blueprint().unwrap().touching(Touch::OTHERS);
    let [low, high] = extent(&block);
    let size = high - low;
    // By 1 %, by a third, turned so that a corner is deep inside, and by half.
    for (lift, turn) in [(0.99, 0.0), (0.7, 0.3), (0.5, 0.9), (0.5, 0.0)] {
        let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
        let one = world.add(&block).unwrap();
        let turn = Quat::from_rotation_z(turn) * Quat::from_rotation_x(turn);
        let place = Vec3::new(0.04, lift, 0.07) * size;
        let other = world.add(&block.clone().placed(turn, place)).unwrap();
        assert!(
            particles_inside(&world, one, other) + particles_inside(&world, other, one) > 0,
            "{lift}: tangled"
        );
        let [here, there] = both(&gpu, world, 60);
        for (whose, world) in [("CPU", here), ("GPU", there)] {
            let both = [particles_inside(&world, one, other), particles_inside(&world, other, one)];
            assert_eq!(both, [0, 0], "{whose}, {lift}: particles of each that are in the other");
            let share = world.contact_report().deepest_share;
            assert!(share < 0.1, "{whose}, {lift}: {share} of its distance too near");
        }
    }
}

/// By then the path is chaotic; `parity.rs` compares the first second.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn scenes_of_contact_keep_their_promises() {
    let Some(gpu) = find_gpu() else { return };
    for (name, steps) in [("pile", 66), ("folding", 46)] {
        let scene = Scene::find(name).unwrap();
        let mut world = (scene.build)(scene.test_size).unwrap();
        let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
        there.steps(steps, FRAME).unwrap();
        there.read_into(&mut world).unwrap();
        (scene.check)(&world).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(world.contact_report().contacts > 20, "{name}: {:?}", world.contact_report());
    }
}

/// Balls that fall on a solid ball, given by its distances on a grid, and fast ones that would pass a
/// thin one.
fn shower(collider: Collider, speed: f32) -> World {
    let mut world = World::default();
    world.colliders.push(collider);
    let mut random = Random::new(5);
    for _ in 0..60 {
        let mut ball = Blueprint { radius: 0.01, ..Blueprint::default() };
        ball.particle(random.vector(0.3) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * 0.5, 1.0);
        world.add(&ball).unwrap();
    }
    for i in 0..world.particles.len() {
        world.particles.set_velocity(i, Vec3::NEG_Y * speed);
    }
    world
}

#[test]
fn grids_of_distances_and_fast_particles_meet_colliders_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let low = Vec3::splat(-0.33);
    let grid = |value: &dyn Fn(Vec3) -> f32| {
        Collider::grid(Grid::sample(Aabb { low, high: -low }, 0.03, value).unwrap()).unwrap()
    };
    let ball = grid(&|x| x.length() - 0.3).turned(Quat::from_rotation_x(0.4));
    let plate = Collider::cuboid(Vec3::ZERO, Vec3::new(0.4, 0.005, 0.4)).unwrap();
    // A plate that is passed in a substep: 60 m/s over 1/1200 s are 5 cm.
    for (what, collider, speed) in [
        ("a grid", ball.clone(), 0.5),
        ("a grid, fast", ball, 60.0),
        ("a plate, fast", plate, 60.0),
    ] {
        let [here, there] = both(&gpu, shower(collider.clone(), speed), 12);
        let mut through = shower(collider, speed);
        through.colliders.clear();
        (0..12).for_each(|_| step(&mut through, FRAME).unwrap());
        let [effect, _] = departure(&here, &through);
        assert!(effect > 0.05, "{what}: they never met");
        let [off, size] = departure(&there, &here);
        assert!(off < 1e-3 * size, "{what}: {off} m off of {size} m");
    }
}

/// A triangle of 4 m that holds still, and a column of balls beside each other above it: the triangle is
/// in many cells of a grid whose size is that of the balls.
fn balls_on_a_large_face(count: u32) -> World {
    let mut world = World::default();
    let touch = Touch { friction: 0.4, ..Touch::OTHERS };
    let corners = [Vec3::new(-2.0, 0.0, -2.0), Vec3::new(-2.0, 0.0, 2.0), Vec3::new(2.0, 0.0, 0.0)];
    world.add(&party(&corners, touch).unwrap().pinned(&[0, 1, 2])).unwrap();
    for k in 0..count {
        let x = Vec3::new(-1.0 + 0.1 * k as f32, 0.05, 0.02 * k as f32);
        let ball = world.add(&party(&[x], touch).unwrap()).unwrap();
        let i = world.body(ball).unwrap().range().start;
        world.particles.set_velocity(i, Vec3::X * 0.3);
    }
    world
}

#[test]
fn what_is_much_larger_than_the_rest_is_met_too() {
    let Some(gpu) = find_gpu() else { return };
    let [here, there] = both(&gpu, balls_on_a_large_face(12), 20);
    let [off, size] = departure(&there, &here);
    assert!(off < 1e-4 * size, "{off} m off of {size} m");
    let lowest = there.particles.xw.iter().skip(3).map(|row| row.y).fold(1.0, f32::min);
    assert!((lowest - 2.0 * PARTY_RADIUS).abs() < 1e-4, "the lowest ball is at {lowest} m");
}

#[test]
fn bodies_come_and_go_while_others_touch() {
    let Some(gpu) = find_gpu() else { return };
    let mut here = balls_on_a_large_face(5);
    let mut there = copy(&here);
    let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
    let change = |world: &mut World, frame: u32| match frame {
        10 => {
            let gone = world.bodies().nth(2).unwrap().0;
            world.remove(gone).unwrap();
            let touch = Touch { restitution: 0.5, ..Touch::OTHERS };
            for k in 0..20 {
                let x = Vec3::new(0.05 * k as f32 - 0.9, 0.1, -0.1);
                world.add(&party(&[x], touch).unwrap()).unwrap();
            }
        }
        15 => {
            let first = world.bodies().nth(1).unwrap().0;
            world.set_touch(first, Touch::NOTHING).unwrap();
        }
        _ => {}
    };
    for frame in 0..25 {
        if [10, 15].contains(&frame) {
            on_gpu.read_into(&mut there).unwrap();
            change(&mut there, frame);
            on_gpu.push(&mut there).unwrap();
            change(&mut here, frame);
        }
        on_gpu.step(FRAME).unwrap();
        step(&mut here, FRAME).unwrap();
    }
    on_gpu.read_into(&mut there).unwrap();
    let [off, size] = departure(&there, &here);
    assert!(off < 1e-4 * size, "{off} m off of {size} m");
    let lowest = here.particles.xw.iter().map(|row| row.y).fold(1.0, f32::min);
    assert!(lowest < -0.05, "what touches nothing falls: {lowest} m");
}

/// Dispatches of a step of the scene `pile` in so many substeps, by entry point, but for those of constraints;
/// `None` if the device has no clock.
fn dispatches(gpu: &Arc<Gpu>, substeps: u32) -> Option<Vec<(String, u32)>> {
    let scene = Scene::find("pile").unwrap();
    let mut world = (scene.build)(1).unwrap();
    (world.config.substeps, world.config.iterations) = (substeps, 1);
    let mut there = GpuWorld::new(gpu, &mut world).unwrap();
    let entries = there.step_timed_by_entry(FRAME).ok()?;
    let others = entries.into_iter().filter(|(entry, ..)| !entry.starts_with("project"));
    Some(others.map(|(entry, count, _)| (entry, count)).collect())
}

/// An empty dispatch takes 3.5 µs on a large GPU, so their number is what a substep of W4 takes at least.
#[test]
fn a_substep_of_cubes_has_few_dispatches() {
    let Some(gpu) = find_gpu() else { return };
    let count = |substeps| -> Option<u32> {
        Some(dispatches(&gpu, substeps)?.iter().map(|(_, count)| count).sum())
    };
    let (Some(few), Some(more)) = (count(3), count(4)) else { return };
    assert_eq!(more - few, 18, "of a substep: {:?}", dispatches(&gpu, 1));
}
