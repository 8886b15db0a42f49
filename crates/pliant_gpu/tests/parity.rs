//! A world on the GPU does what it does on the CPU: every scene, every kind, every solver that has a
//! shader.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use pliant::scenes::{self, Scene};
use pliant::{Solver, World, step};
use pliant_gpu::{Gpu, GpuError, GpuWorld};

mod common;
use common::{copy, departure, find_gpu};

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

/// How far a scene on the GPU is from the same on the CPU after some steps, relative to its size.
fn compare(gpu: &Arc<Gpu>, scene: &Scene, change: impl Fn(&mut World), steps: u32) -> f32 {
    let mut world = (scene.build)(scene.test_size).unwrap();
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
fn two_runs_have_the_same_bits() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["showcase", "soft_cube", "tumbling"] {
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
