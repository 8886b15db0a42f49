//! A world on the GPU does what it does on the CPU: every scene, every kind, every solver that has a
//! shader.

use std::sync::Arc;

use pliant::coloring::{Algorithm, clustered, first_fit, tiled};
use pliant::constraint;
use pliant::glam::Vec3;
use pliant::region::strain_limit;
use pliant::scenes::{self, Scene};
use pliant::shapes::Cloth;
use pliant::testing::{Random, nudge, separate_constraints};
use pliant::{ContactSolver, Method, Precision, Solver, World, step};
use pliant_gpu::{Gpu, GpuError, GpuWorld, Tiling};

use crate::common::{copy, departure, find_gpu};

/// Length of a step (s).
const FRAME: f32 = 1.0 / 60.0;

/// Scenes that only the CPU can run, and why.
const CPU_ONLY: &[(&str, &str)] = &[("linked", "moves by")];

/// A world after some steps on the CPU, and the same on the GPU.
fn both(gpu: &Arc<Gpu>, mut world: World, steps: u32) -> Result<[World; 2], GpuError> {
    let mut there = copy(&world);
    let mut on_gpu = GpuWorld::new(gpu, &mut there)?;
    on_gpu.steps(steps, FRAME)?;
    on_gpu.read_into(&mut there)?;
    for _ in 0..steps {
        step(&mut world, FRAME).unwrap();
    }
    Ok([world, there])
}

/// A scene in which the CPU solves pairs that touch as the GPU does.
fn build(scene: &Scene) -> World {
    let mut world = (scene.build)(scene.test_size).unwrap();
    world.config.contact_solver = ContactSolver::Split;
    world
}

/// How far a scene on the GPU is from the same on the CPU after some steps, relative to its size.
fn compare(gpu: &Arc<Gpu>, scene: &Scene, change: impl Fn(&mut World), steps: u32) -> f32 {
    let mut world = build(scene);
    change(&mut world);
    let [here, there] = both(gpu, world, steps).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
    let [off, size] = departure(&here, &there);
    assert_eq!(here.time, there.time, "{}", scene.name);
    assert_eq!(here.quarantine, there.quarantine, "{}", scene.name);
    off / size
}

fn scenes() -> impl Iterator<Item = &'static Scene> {
    let runs = |scene: &&Scene| CPU_ONLY.iter().all(|(name, _)| *name != scene.name);
    scenes::ALL.iter().copied().filter(runs)
}

#[test]
fn every_scene_agrees_with_the_cpu_after_one_step() {
    let Some(gpu) = find_gpu() else { return };
    let mut report = format!("after one step on {}, of the size of the scene:\n", gpu.name());
    for scene in scenes() {
        let off = compare(&gpu, scene, |_| {}, 1);
        report += &format!("  {:<14} {off:.1e}\n", scene.name);
        assert!(off <= 1e-4, "{}: {off:.1e} of its size off after one step", scene.name);
    }
    print!("{report}");
}

#[test]
fn what_the_gpu_cannot_do_is_named() {
    let Some(gpu) = find_gpu() else { return };
    for (name, why) in CPU_ONLY {
        let mut world = (Scene::find(name).unwrap().build)(8).unwrap();
        let error = GpuWorld::new(&gpu, &mut world).unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
    let mut world = (Scene::find("hanging_cloth").unwrap().build)(8).unwrap();
    world.config.solver = Solver::InOrder;
    let error = GpuWorld::new(&gpu, &mut world).unwrap_err().to_string();
    assert!(error.contains("in_order") && error.contains("colored"), "{error}");
}

#[test]
fn a_step_that_is_timed_has_the_bits_of_one_that_is_not() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["showcase", "pile", "squeezed_cube", "hanging_cloth"] {
        let scene = Scene::find(name).unwrap();
        let run = |take: fn(&mut GpuWorld) -> Result<(), GpuError>| {
            let mut world = build(scene);
            let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
            for _ in 0..3 {
                there.step(FRAME).unwrap();
                match take(&mut there) {
                    Err(GpuError::NoTimestamps { .. }) => there.step(FRAME).unwrap(),
                    done => done.unwrap(),
                }
            }
            there.read_into(&mut world).unwrap();
            world.hash()
        };
        let plain = run(|there| there.step(FRAME));
        assert_eq!(run(|there| there.step_timed(FRAME).map(drop)), plain, "{name}");
        assert_eq!(run(|there| there.step_timed_by_entry(FRAME).map(drop)), plain, "{name}");
    }
}

#[test]
fn two_runs_have_the_same_bits() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["showcase", "soft_cube", "squeezed_cube"] {
        let scene = Scene::find(name).unwrap();
        let run = || {
            let mut world = (scene.build)(scene.test_size).unwrap();
            let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
            there.steps(20, FRAME).unwrap();
            there.read_into(&mut world).unwrap();
            world.hash()
        };
        assert_eq!(run(), run(), "{name}");
    }
}

/// How far a push of 1e-6 of its size takes a scene on the CPU in some steps, relative to its size.
/// Rounding does as much in a second of 1200 substeps, 6e-8 in each.
fn sensitivity(scene: &Scene, change: impl Fn(&mut World), steps: u32) -> f32 {
    let [mut a, mut b] = [build(scene), build(scene)];
    [&mut a, &mut b].into_iter().for_each(change);
    let [_, size] = departure(&a, &b);
    let mut random = Random::new(1);
    for i in 0..b.particles.len() {
        let x = b.particles.position(i) + random.vector(2e-6 * size);
        b.particles.set_position(i, x);
    }
    for world in [&mut a, &mut b] {
        (0..steps).for_each(|_| step(world, FRAME).unwrap());
    }
    departure(&a, &b)[0] / size
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn every_scene_agrees_after_a_second_or_is_chaotic_and_keeps_its_promise() {
    let Some(gpu) = find_gpu() else { return };
    let mut report = format!("after 1 s on {}, of the size of the scene:\n", gpu.name());
    let mut wrong = Vec::new();
    let long = |scene: &&Scene| LONG.contains(&scene.name);
    for scene in scenes().filter(|scene| !long(scene)) {
        let off = compare(&gpu, scene, |_| {}, 60);
        report += &format!("  {:<14} {off:.1e}\n", scene.name);
        if off <= 1e-3 {
            continue;
        }
        check_promise(&gpu, scene);
        let nudged = (1..=NUDGES).map(|seed| divergence(scene, seed)).fold(0.0, f32::max);
        report += &format!("    where a unit in the last place makes {nudged:.1e}\n");
        if off > 1e-3 + CHAOS * nudged {
            wrong.push(scene.name);
        }
    }
    assert!(wrong.is_empty(), "{report}too far off: {wrong:?}");
}

/// How far a second on the CPU takes a scene from where it is without a nudge, relative to its size.
fn divergence(scene: &Scene, seed: u64) -> f32 {
    let [mut a, mut b] = [build(scene), build(scene)];
    nudge(&mut b, seed);
    for world in [&mut a, &mut b] {
        (0..60).for_each(|_| step(world, FRAME).unwrap());
    }
    let [off, size] = departure(&a, &b);
    off / size
}

/// Nudges that are tried, each of one unit in the last place of every coordinate.
const NUDGES: u64 = 3;

/// Scenes whose second takes software Vulkan many minutes: steps of them or their like are compared in
/// `library.rs`, and `gpu_time parity` compares a second on hardware.
const LONG: &[&str] = &["draped", "sharp", "stairs", "mixed"];

/// How much farther apart CPU and GPU may be than a nudge brings two runs of the CPU.
pub(crate) const CHAOS: f32 = 3.0;

/// Runs a scene to its end and fails unless what it promises holds there.
fn check_promise(gpu: &Arc<Gpu>, scene: &Scene) {
    let mut world = (scene.build)(scene.test_size).unwrap();
    let mut there = GpuWorld::new(gpu, &mut world).unwrap();
    there.steps((scene.seconds / FRAME).round() as u32, FRAME).unwrap();
    there.read_into(&mut world).unwrap();
    (scene.check)(&world).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
}

/// Ways to solve, by name.
type Setting = (&'static str, fn(&mut World));

const SETTINGS: &[Setting] = &[
    ("jacobi", |world| (world.config.solver, world.config.iterations) = (Solver::Jacobi, 3)),
    ("carried", |world| world.config.precision = Precision::Carried),
    ("pbd", |world| (world.config.method, world.config.iterations) = (Method::Pbd, 2)),
    ("damped", |world| (world.config.damping, world.config.omega) = (2.0, 0.8)),
    ("jacobi, carried", |world| {
        (world.config.solver, world.config.iterations) = (Solver::Jacobi, 2);
        world.config.precision = Precision::Carried;
    }),
];

#[test]
fn every_way_to_solve_agrees_with_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["hanging_cloth", "soft_cube", "flag", "foam", "swing", "squeezed_cube", "balloon"]
    {
        let scene = Scene::find(name).unwrap();
        for (what, change) in SETTINGS {
            let off = compare(&gpu, scene, change, 2);
            let pushed = if off > 1e-4 { sensitivity(scene, change, 2) } else { 0.0 };
            assert!(
                off <= 1e-4 + CHAOS * pushed,
                "{name}, {what}: {off:.1e} of its size off after two steps; 1e-6 make {pushed:.1e}"
            );
        }
    }
}

#[test]
fn every_kind_agrees_with_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    for kind in constraint::ALL.iter().copied() {
        for (what, change) in SETTINGS {
            let mut world = separate_constraints(kind, 100, 5.0).unwrap();
            // Multiples of what was found would grow from step to step.
            world.config.substeps = 4;
            change(&mut world);
            let start = copy(&world);
            let [here, there] = both(&gpu, world, 1).unwrap();
            let [off, size] = departure(&there, &here);
            let [moved, _] = departure(&here, &start);
            assert!(moved > 1e-3 * size, "{}, {what}: moved {moved} m only", kind.name);
            assert!(off <= 1e-4 * size, "{}, {what}: {off} m off of {size} m", kind.name);
            let lambda = |world: &World| -> Vec<f32> {
                let set = world.constraints_of(kind).unwrap();
                (0..set.len()).map(|n| set.lambda(n)).collect()
            };
            let (a, b) = (lambda(&here), lambda(&there));
            let most = a.iter().map(|x| x.abs()).fold(0.0, f32::max);
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off <= 1e-3 * most, "{}, {what}: λ {off} off of {most}", kind.name);
        }
    }
}

#[test]
fn skins_and_normals_follow_the_particles() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["elephant", "organs", "showcase", "hanging_cloth"] {
        let mut world = (Scene::find(name).unwrap().build)(6).unwrap();
        let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
        let surface = pliant_gpu::Surface::new(&there, &world).unwrap();
        there.steps(10, FRAME).unwrap();
        surface.update(&there).unwrap();
        there.read_into(&mut world).unwrap();
        let [positions, normals] = surface.read(&there).unwrap();
        let mut first = 0;
        for (id, body) in world.bodies() {
            let Some(mesh) = pliant::look::surface(&world, body) else { continue };
            assert!(surface.bodies().iter().any(|(known, _)| *known == id), "{name}");
            for (k, (x, n)) in mesh.positions.iter().zip(mesh.normals()).enumerate() {
                let (there, facing) = (positions[first + k], normals[first + k]);
                assert!(there.distance(*x) < 1e-5, "{name}: vertex {k} at {there}, not {x}");
                assert!(facing.distance(n) < 1e-3, "{name}: vertex {k} faces {facing}, not {n}");
            }
            first += mesh.positions.len();
        }
        assert!(first > 0 && first == positions.len(), "{name}: {first} vertices");
    }
}

/// Tiles solve the same constraints from the same numbers in the same order.
#[test]
fn tiles_give_the_same_bits_as_a_dispatch_for_each_colour() {
    check_tiles(
        first_fit::ALGORITHM,
        &[
            ("hanging_cloth", 60),
            ("soft_cube", 14),
            ("flag", 60),
            ("pile", 2),
            ("sheared_cloth", 60),
        ],
    );
}

/// The same where the constraints of elements that share sides follow each other.
#[test]
fn clusters_give_the_same_bits_as_a_dispatch_for_each_colour() {
    check_tiles(clustered::ALGORITHM, &[("soft_cube", 14), ("pile", 2), ("sheared_cloth", 60)]);
}

/// The same where no two tiles share a particle.
#[test]
fn blocks_give_the_same_bits_as_a_dispatch_for_each_colour() {
    check_tiles(tiled::ALGORITHM, &[("hanging_cloth", 70), ("flag", 60)]);
}

/// Shaders know whether there is one iteration before they are compiled. A small cloth takes all in one dispatch, unless
/// they are very many.
#[test]
fn iterations_may_become_more_and_fewer_while_tiles_solve() {
    let Some(gpu) = find_gpu() else { return };
    for (size, numbers) in [(60, [1, 4, 1]), (12, [1, 400, 4])] {
        let run = |tiling| {
            let mut world = (Scene::find("hanging_cloth").unwrap().build)(size).unwrap();
            let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
            there.set_tiling(tiling);
            for iterations in numbers {
                (world.config.substeps, world.config.iterations) = (3, iterations);
                there.push(&mut world).unwrap();
                there.steps(2, FRAME).unwrap();
                there.read_into(&mut world).unwrap();
            }
            assert_eq!(there.tile_work().is_some(), tiling != Tiling::Never);
            world.hash()
        };
        let wanted = run(Tiling::Never);
        assert_eq!([Tiling::Always, Tiling::Apart].map(run), [wanted; 2], "{size}");
    }
}

/// And the CPU executes the same schedule.
#[test]
fn blocks_and_clusters_agree_with_the_cpu_after_one_step() {
    let Some(gpu) = find_gpu() else { return };
    for (coloring, name, size) in [
        (tiled::ALGORITHM, "hanging_cloth", 70),
        (tiled::ALGORITHM, "flag", 60),
        (clustered::ALGORITHM, "soft_cube", 14),
        (clustered::ALGORITHM, "sheared_cloth", 60),
    ] {
        let mut here = (Scene::find(name).unwrap().build)(size).unwrap();
        here.config.coloring = coloring;
        let mut there = copy(&here);
        let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
        on_gpu.set_tiling(Tiling::Always);
        on_gpu.push(&mut there).unwrap();
        let is_alone = is_in_blocks(coloring, name);
        assert!(on_gpu.tile_work().is_some_and(|work| work == 1.0 || !is_alone), "{name}");
        on_gpu.step(FRAME).unwrap();
        on_gpu.read_into(&mut there).unwrap();
        step(&mut here, FRAME).unwrap();
        let [off, size] = departure(&here, &there);
        assert!(off <= 1e-4 * size, "{name}: {:.1e} of its size off", off / size);
    }
}

/// Whether a scene is in blocks that are few dispatches: a flag has several kinds of constraints, and so
/// many that tiles which solve what their neighbours need have fewer.
fn is_in_blocks(coloring: &Algorithm, name: &str) -> bool {
    coloring == tiled::ALGORITHM && name != "flag"
}

fn check_tiles(coloring: &'static Algorithm, scenes: &[(&str, u32)]) {
    let Some(gpu) = find_gpu() else { return };
    for &(name, size) in scenes {
        for (substeps, iterations) in [(3, 1), (1, 4), (1, 5)] {
            let run = |tiling| {
                let mut world = (Scene::find(name).unwrap().build)(size).unwrap();
                (world.config.substeps, world.config.iterations) = (substeps, iterations);
                world.config.coloring = coloring;
                let mut there = GpuWorld::new(&gpu, &mut world).unwrap();
                there.set_tiling(tiling);
                there.push(&mut world).unwrap();
                assert_eq!(there.tile_work().is_some(), tiling == Tiling::Always, "{name}");
                let is_alone = is_in_blocks(coloring, name) && tiling == Tiling::Always;
                assert!(!is_alone || there.tile_work() == Some(1.0), "{name}: nothing twice");
                there.steps(2, FRAME).unwrap();
                there.read_into(&mut world).unwrap();
                // A multiplier that is 0 may be one or the other 0.
                let lambda =
                    |set: &pliant::Set| (0..set.len()).map(|n| set.lambda(n)).collect::<Vec<f32>>();
                (world.hash(), world.constraints().iter().map(lambda).collect::<Vec<_>>())
            };
            let same = run(Tiling::Always) == run(Tiling::Never);
            assert!(same, "{name}: {substeps} substeps of {iterations} iterations");
        }
    }
}

/// A cloth that stretches too much, and may not: hung by some corners, in few substeps.
fn limited(pins: usize, precision: Precision) -> World {
    let mut world = World::default();
    let cloth = Cloth { columns: 14, rows: 10, ..Cloth::default() };
    let corners = cloth.corners();
    let body = cloth.blueprint().unwrap().pinned(&corners[..pins]);
    world.add(&strain_limit::limited(body, 0.02).unwrap()).unwrap();
    (world.config.substeps, world.config.precision) = (3, precision);
    let mut random = Random::new(4);
    for i in (0..world.particles.len()).filter(|i| !corners.contains(&(*i as u32))) {
        world.particles.set_velocity(i, random.vector(8.0));
    }
    world
}

#[test]
fn limits_on_strain_agree_with_the_cpu_and_hold() {
    let Some(gpu) = find_gpu() else { return };
    for pins in 0..=3 {
        for precision in [Precision::Plain, Precision::Carried] {
            let what = format!("{pins} pins, {precision:?}");
            let [here, there] = both(&gpu, limited(pins, precision), 1).unwrap();
            let [off, size] = departure(&there, &here);
            assert!(off <= 1e-4 * size, "{what}: {off} m off of {size} m");
            let [_, later] = both(&gpu, limited(pins, precision), 20).unwrap();
            let set = later.constraints_of(&constraint::distance::KIND).unwrap();
            for number in 0..set.len() {
                let ends = set.particles(number);
                let [a, b] = [0, 1].map(|k| later.particles.position(ends[k] as usize));
                let strain = a.distance(b) / set.rest(number).next().unwrap() - 1.0;
                assert!(strain <= 0.02 + 2e-3, "{what}: link {number} is strained by {strain}");
            }
        }
    }
}

#[test]
fn regions_that_share_particles_are_limited_in_turn() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = World::default();
    let mut rope = pliant::Blueprint::default();
    (0..20).for_each(|k| _ = rope.particle(Vec3::X * 0.1 * k as f32, 0.1));
    let links: Vec<_> = (0..19).map(|k| ([k, k + 1], 0.101)).collect();
    rope.gather(&strain_limit::region(&links[..10])).unwrap();
    rope.gather(&strain_limit::region(&links[8..])).unwrap();
    world.add(&rope.pinned(&[0])).unwrap();
    let [here, there] = both(&gpu, world, 10).unwrap();
    let [off, size] = departure(&there, &here);
    assert!(off <= 1e-4 * size && there.particles.position(19).y < -0.1, "{off} m off");
}
