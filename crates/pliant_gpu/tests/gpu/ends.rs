//! Substeps that end in tiles have the same bits as those that end in a pass of their own.

use std::sync::Arc;

use pliant::collider::Motion;
use pliant::collider::motion::{Blend, End, Key, Track};
use pliant::coloring::{Algorithm, clustered, first_fit};
use pliant::constraint::distance;
use pliant::force::Force;
use pliant::force::wind::Wind;
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::mesh::Aabb;
use pliant::mesh::grid::Grid;
use pliant::scenes::Scene;
use pliant::shapes::{Cloth, Rope, TetBox};
use pliant::{Blueprint, Collider, Config, Hold, Method, Precision, World};
use pliant_gpu::{Gpu, GpuWorld, Tiling};

use crate::common::find_gpu;

const FRAME: f32 = 1.0 / 60.0;

/// Where a substep ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    /// In the tiles, which also begin the next.
    Within,
    /// In the tiles; something else comes before the next.
    WithinAlone,
    /// All of them in one dispatch of tiles, with all their iterations.
    Whole,
    /// Each in one dispatch of tiles, with all its iterations; something else comes before the next.
    WholeAlone,
    /// In a dispatch of its own.
    Apart,
}

/// A world, where its substeps should end, and what changes in it after some steps.
struct Case {
    name: &'static str,
    build: fn() -> World,
    ends: Ends,
    change: fn(&mut World),
    ends_then: Ends,
}

const CASE: Case =
    Case { name: "", build: cloth, ends: Ends::Within, change: |_| {}, ends_then: Ends::Within };

const WHOLE: Case = Case { ends: Ends::Whole, ends_then: Ends::Whole, ..CASE };

const CASES: &[Case] = &[
    Case { name: "a cloth, which meets nothing", ..CASE },
    Case {
        name: "a cloth in tiles that nobody shares, one run after the other",
        build: || cloth_of(40),
        ..CASE
    },
    Case { name: "a jelly on a slope, pins and single particles", build: on_slope, ..CASE },
    Case {
        name: "a jelly by PBD",
        build: || with(on_slope(), |config| config.method = Method::Pbd),
        ..CASE
    },
    Case { name: "small cloths, single particles", build: small_cloths, ..WHOLE },
    Case {
        name: "small jellies, ropes and a pendulum, and another pendulum comes",
        build: small_bodies,
        change: |world| {
            world.add(&pendulum()).unwrap();
        },
        ..WHOLE
    },
    Case {
        name: "small jellies, ropes and a pendulum by PBD, and a floor begins to rise",
        build: || with(small_bodies(), |config| config.method = Method::Pbd),
        change: |world| world.colliders[0].velocity = Vec3::Y * 0.5,
        ends_then: Ends::WholeAlone,
        ..WHOLE
    },
    Case {
        name: "small bodies, and a cloth that is too large for a tile",
        build: small_bodies,
        change: |world| {
            let cloth = Cloth { columns: 40, rows: 40, ..Cloth::default() };
            world.add(&cloth.blueprint().unwrap()).unwrap();
        },
        ends_then: Ends::Within,
        ..WHOLE
    },
    Case {
        name: "small cloths by displacements, with dashpots",
        build: || {
            let mut world = with(small_cloths(), |config| config.precision = Precision::Carried);
            dampen(&mut world);
            world
        },
        ..WHOLE
    },
    Case {
        name: "a floor begins to rise",
        build: on_slope,
        change: |world| world.colliders[0].velocity = Vec3::Y * 0.5,
        ends_then: Ends::WithinAlone,
        ..CASE
    },
    Case {
        name: "a floor on keyframes",
        build: led,
        ends: Ends::WithinAlone,
        ends_then: Ends::WithinAlone,
        ..CASE
    },
    Case {
        name: "wind rises",
        change: |world| {
            let wind = Wind { velocity: Vec3::Z * 20.0, density: 5.0, ..Wind::default() };
            world.forces.push(wind.into());
        },
        ends_then: Ends::WithinAlone,
        ..CASE
    },
    Case { name: "a body asleep", build: sleeper, ..WHOLE },
    Case {
        name: "a cloth explodes by its velocity",
        build: small_cloths,
        change: |world| world.particles.set_velocity(17, Vec3::Y * 1e21),
        ..WHOLE
    },
    Case {
        name: "a cloth explodes by a force",
        build: small_cloths,
        change: |world| world.forces.push(Force::point(&[17], Vec3::Y * 1e22)),
        ends_then: Ends::WholeAlone,
        ..WHOLE
    },
    Case {
        name: "links change which hold alike",
        change: |world| change_links(world, |_| 1e4),
        ..CASE
    },
    Case {
        name: "links change which hold differently",
        build: || {
            let mut world = cloth();
            change_links(&mut world, |number| 1e3 + number as f32);
            world
        },
        change: |world| change_links(world, |number| 2e3 + 0.5 * number as f32),
        ..CASE
    },
    Case {
        name: "dashpots appear, which look at velocities of others",
        change: dampen,
        ends_then: Ends::Apart,
        ..CASE
    },
    Case {
        name: "a jelly by displacements, which looks at predictions of others",
        build: || with(on_slope(), |config| config.precision = Precision::Carried),
        ends: Ends::Apart,
        ends_then: Ends::Apart,
        ..CASE
    },
    Case {
        name: "a ball comes",
        change: |world| world.colliders.push(Collider::sphere(Vec3::Y * -0.3, 0.2).unwrap()),
        ..CASE
    },
    Case {
        name: "a box comes, whose edges triangles meet between their particles",
        change: |world| {
            let place = Vec3::new(0.5, -0.3, 0.5);
            world.colliders.push(Collider::cuboid(place, Vec3::splat(0.2)).unwrap());
        },
        ends_then: Ends::Apart,
        ..CASE
    },
    Case {
        name: "a floor is replaced by a grid",
        build: on_slope,
        change: |world| {
            let [low, high] = [Vec3::new(-1.0, -0.4, -1.0), Vec3::new(1.0, 0.2, 1.0)];
            let grid = Grid::sample(Aabb { low, high }, 0.1, |x: Vec3| x.y + 0.1).unwrap();
            world.colliders[0] = Collider::grid(grid).unwrap();
        },
        ends_then: Ends::Apart,
        ..CASE
    },
];

fn with(mut world: World, set: impl Fn(&mut Config)) -> World {
    set(&mut world.config);
    world
}

/// Makes links shorter, and as firm as their numbers say.
fn change_links(world: &mut World, stiffness: fn(usize) -> f32) {
    let links = world.constraints_of_mut(&distance::KIND).unwrap();
    for number in 0..links.len() {
        let rest = links.rest(number).next().unwrap();
        links.set_rest(number, &[0.95 * rest]).unwrap();
        links.set_hold(number, Hold::spring(stiffness(number))).unwrap();
    }
}

fn dampen(world: &mut World) {
    let links = world.constraints_of_mut(&distance::KIND).unwrap();
    (0..links.len()).for_each(|n| links.set_hold(n, Hold::spring(1e3).damped(0.01)).unwrap());
}

/// A cloth that hangs by two corners, so large that tiles solve what their neighbours need too.
fn cloth() -> World {
    cloth_of(70)
}

fn cloth_of(size: u32) -> World {
    let mut world = World::default();
    let cloth = Cloth { columns: size, rows: size, ..Cloth::default() };
    world.add(&cloth.blueprint().unwrap().pinned(&cloth.corners()[..2])).unwrap();
    world
}

/// A body of so many particles that nothing holds, beside each other.
fn loose(count: u32) -> Blueprint {
    let mut body = Blueprint { radius: 0.01, ..Blueprint::default() };
    for k in 0..count {
        body.particle(Vec3::new(0.05 * k as f32, 0.02 * (k % 7) as f32, 0.3), 1.0);
    }
    body
}

/// A jelly that one particle holds, on a slope with friction between particles that slide down.
fn on_slope() -> World {
    let mut world = World::new(Config { damping: 0.5, ..Config::default() });
    world.add(&loose(150)).unwrap();
    let jelly = TetBox { counts: UVec3::splat(11), radius: 0.003, ..TetBox::default() };
    let tilt = Quat::from_rotation_z(0.3);
    let body = jelly.blueprint().unwrap().pinned(&[3]).placed(tilt, Vec3::Y * 0.05);
    world.add(&body).unwrap();
    world.add(&loose(40).placed(Quat::IDENTITY, Vec3::Z)).unwrap();
    let slope = Collider::plane(Vec3::ZERO, Vec3::new(0.3, 1.0, 0.1)).unwrap();
    world.colliders.push(Collider { friction: 0.4, restitution: 0.3, ..slope });
    let wall = Collider::plane(Vec3::new(0.06, 0.0, 0.0), Vec3::new(-1.0, 0.2, 0.0)).unwrap();
    world.colliders.push(Collider { friction: 0.1, ..wall });
    world
}

/// Cloths that are tiles of their own, and particles that no tile has, on a floor.
fn small_cloths() -> World {
    let mut world = World::default();
    for k in 0..20 {
        let cloth = Cloth { columns: 9, rows: 9, ..Cloth::default() };
        let place = Vec3::new(2.0 * k as f32, 0.01 * k as f32, 0.0);
        world.add(&cloth.blueprint().unwrap().placed(Quat::IDENTITY, place)).unwrap();
        world.add(&loose(13).placed(Quat::IDENTITY, place)).unwrap();
    }
    world.colliders.push(Collider::plane(Vec3::Y * -0.01, Vec3::Y).unwrap());
    world
}

/// Bodies of several kinds of constraints, of which a tile has a few, on a floor.
fn small_bodies() -> World {
    let mut world = World::default();
    let rope = Rope { segments: 30, ..Rope::default() };
    let jelly = TetBox { counts: UVec3::splat(4), radius: 0.003, ..TetBox::default() };
    for k in 0..12 {
        let place = Vec3::new(0.6 * k as f32, 0.02 + 0.01 * k as f32, 0.0);
        let tilt = Quat::from_rotation_z(0.1 * k as f32);
        world.add(&jelly.blueprint().unwrap().placed(tilt, place)).unwrap();
        let rope = rope.blueprint().unwrap().pinned(&[0]);
        world.add(&rope.placed(tilt, place + Vec3::Z)).unwrap();
    }
    world.add(&pendulum()).unwrap();
    let floor = Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y).unwrap() };
    world.colliders.push(floor);
    world
}

/// A cloth of few constraints that hangs by a corner.
fn pendulum() -> Blueprint {
    let cloth = Cloth { columns: 4, rows: 3, ..Cloth::default() };
    cloth.blueprint().unwrap().pinned(&cloth.corners()[..1])
}

/// A cloth above a floor on keyframes, which turns and rises.
fn led() -> World {
    let mut world = cloth();
    let key = |time, x| Key { time, position: x, rotation: Quat::from_rotation_x(time) };
    let keys = [key(0.0, Vec3::new(0.0, -0.1, 0.0)), key(0.3, Vec3::new(0.1, 0.5, 0.0))];
    let track = Track::new(&keys, Blend::Smooth, End::Repeat).unwrap();
    let floor = Collider { friction: 0.8, ..Collider::plane(Vec3::ZERO, Vec3::Y).unwrap() };
    world.colliders.push(floor.moved(Motion::Track(track)));
    world
}

/// Cloths on a floor of which all but one fall asleep.
fn sleeper() -> World {
    let mut world = with(small_cloths(), |config| {
        (config.sleep_speed, config.sleep_after) = (1.0, 2.0 * FRAME);
    });
    for i in 0..81 {
        world.particles.set_velocity(i, Vec3::new(3.0, 1.0, 0.5));
    }
    world
}

/// The state after some steps, a change and more steps.
fn run(gpu: &Arc<Gpu>, case: &Case, tiling: Tiling, counts: [u32; 2]) -> World {
    let mut world = (case.build)();
    [world.config.substeps, world.config.iterations] = counts;
    let mut there = GpuWorld::new(gpu, &mut world).unwrap();
    there.set_tiling(tiling);
    there.push(&mut world).unwrap();
    let has_tiles = there.tile_work().is_some();
    assert_eq!(has_tiles, tiling != Tiling::Never, "{}: {tiling:?}", case.name);
    for (steps, ends) in [(5, case.ends), (3, case.ends_then)] {
        if tiling == Tiling::Always {
            check_ends(&mut there, case, ends, counts);
        } else {
            there.step(FRAME).unwrap();
        }
        there.steps(steps, FRAME).unwrap();
        there.read_into(&mut world).unwrap();
        if steps == 5 {
            (case.change)(&mut world);
            there.push(&mut world).unwrap();
        }
    }
    world
}

/// Takes a step, and fails unless its substeps end where they should.
fn check_ends(there: &mut GpuWorld, case: &Case, ends: Ends, [substeps, _]: [u32; 2]) {
    let Ok(entries) = there.step_timed_by_entry(FRAME) else {
        return there.step(FRAME).unwrap();
    };
    let count = |name: &str| {
        let found = entries.iter().find(|(entry, ..)| entry == name);
        found.map_or(0, |(_, count, _)| *count)
    };
    let wanted = match ends {
        Ends::Within => [substeps - 1, 1, 0],
        Ends::WithinAlone => [0, substeps, 0],
        Ends::Whole => [0, 0, 1],
        Ends::WholeAlone => [0, 0, substeps],
        Ends::Apart => [0, 0, 0],
    };
    let names = ["project_correct_and_predict", "project_and_correct", "take_substeps"];
    let found = names.map(count);
    assert_eq!(found, wanted, "{}: {entries:?}", case.name);
}

/// A tile has its own particles where constraints leave them, and does with them what the pass at the end does.
#[test]
fn a_substep_that_ends_in_tiles_has_the_bits_of_one_that_ends_apart() {
    let Some(gpu) = find_gpu() else { return };
    for case in CASES {
        // An odd number of substeps and an even one: rows begin in either half.
        for counts in [[3, 1], [2, 1], [2, 2], [1, 5]] {
            let end = |tiling| {
                let world = run(&gpu, case, tiling, counts);
                let asleep: Vec<bool> = world.bodies().map(|(_, body)| body.asleep).collect();
                (world.hash(), world.quarantine.clone(), asleep)
            };
            let within = end(Tiling::Always);
            assert!(within == end(Tiling::Apart), "{}: {counts:?}", case.name);
            assert!(within == end(Tiling::Never), "{}: {counts:?}, by colour", case.name);
            let sleeps = case.name.contains("asleep");
            assert_eq!(within.2.contains(&true) && within.2.contains(&false), sleeps);
            assert_eq!(!within.1.is_empty(), case.name.contains("explodes"), "{}", case.name);
        }
    }
}

/// More small bodies than a large GPU has workgroups at work: several of them are a tile.
#[test]
fn a_great_many_small_bodies_have_the_bits_of_a_dispatch_for_each_colour() {
    let Some(gpu) = find_gpu() else { return };
    let case = Case {
        name: "4000 cloths",
        build: || {
            let mut world = World::default();
            let cloth = Cloth { columns: 9, rows: 9, ..Cloth::default() };
            let cloth = cloth.blueprint().unwrap().pinned(&[0]);
            for k in 0..4000 {
                let place = Vec3::new((k % 63) as f32, 0.001 * k as f32, (k / 63) as f32);
                world.add(&cloth.clone().placed(Quat::IDENTITY, place)).unwrap();
            }
            world
        },
        ..WHOLE
    };
    let end = |tiling| run(&gpu, &case, tiling, [2, 2]).hash();
    assert_eq!(end(Tiling::Always), end(Tiling::Never));
}

/// Twenty iterations of a substep, with nothing and with a floor between them.
#[test]
fn many_iterations_in_tiles_have_the_bits_of_those_apart() {
    let Some(gpu) = find_gpu() else { return };
    for case in &CASES[..3] {
        let end = |tiling| run(&gpu, case, tiling, [1, 20]).hash();
        assert_eq!(end(Tiling::Always), end(Tiling::Apart), "{}", case.name);
    }
}

/// A collider that begins to move without a push of the whole world, and steps in slices.
#[test]
fn what_a_mouse_moves_ends_substeps_in_tiles_as_apart() {
    let Some(gpu) = find_gpu() else { return };
    let run = |build: fn() -> World, tiling| {
        let mut world = with(build(), |config| (config.substeps, config.iterations) = (3, 1));
        let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
        there.set_tiling(tiling);
        there.push(&mut world).unwrap();
        for frame in 0..9 {
            there.step_in_slices(FRAME, 2).unwrap();
            if frame % 3 == 1 {
                there.read_into(&mut world).unwrap();
                world.colliders[0].velocity = Vec3::Y * (frame as f32 - 4.0);
                there.push_moves(&mut world).unwrap();
            }
        }
        there.read_into(&mut world).unwrap();
        world.hash()
    };
    let above_floor = || {
        let mut world = cloth();
        world.colliders.push(Collider::plane(Vec3::NEG_Y * 0.1, Vec3::Y).unwrap());
        world
    };
    for build in [above_floor, on_slope, led] {
        assert_eq!(run(build, Tiling::Always), run(build, Tiling::Apart));
    }
}

/// A scene in a size, with these colours, and what else is in it.
type Workload = (&'static str, u32, &'static Algorithm, fn(&mut World));

/// Dispatches of a substep of one; `None` if the device has no clock.
fn dispatches(gpu: &Arc<Gpu>, (name, size, coloring, change): Workload) -> Option<u32> {
    let mut world = (Scene::find(name).unwrap().build)(size).unwrap();
    world.config.coloring = coloring;
    change(&mut world);
    let mut there = GpuWorld::new(gpu, &mut world).unwrap();
    there.set_tiling(Tiling::Always);
    let mut count = |substeps| {
        (world.config.substeps, world.config.iterations) = (substeps, 1);
        there.push(&mut world).unwrap();
        there.step(FRAME).unwrap();
        let entries = there.step_timed_by_entry(FRAME).ok()?;
        Some(entries.iter().map(|(_, count, _)| count).sum::<u32>())
    };
    Some(count(4)? - count(3)?)
}

/// An empty dispatch takes 3.5 µs on a large GPU.
#[test]
fn substeps_of_a_jelly_and_a_cloth_are_dispatches_of_tiles_alone() {
    let Some(gpu) = find_gpu() else { return };
    let workloads: [(Workload, u32); 4] = [
        (("soft_cube", 20, clustered::ALGORITHM, |_| {}), 3),
        (("hanging_cloth", 100, first_fit::ALGORITHM, |_| {}), 1),
        // What fits in one tile takes all substeps in one dispatch.
        (("hanging_cloth", 30, first_fit::ALGORITHM, |_| {}), 0),
        // With a floor that moves, each substep begins apart.
        (("hanging_cloth", 100, first_fit::ALGORITHM, add_rising_floor), 2),
    ];
    for (workload, wanted) in workloads {
        let Some(count) = dispatches(&gpu, workload) else { return };
        assert_eq!(count, wanted, "{} {}", workload.0, workload.1);
    }
}

fn add_rising_floor(world: &mut World) {
    let floor = Collider::plane(Vec3::NEG_Y, Vec3::Y).unwrap();
    world.colliders.push(Collider { velocity: Vec3::Y, ..floor });
}
