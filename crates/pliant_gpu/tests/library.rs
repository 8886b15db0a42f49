//! Every scene of the library, on CPU and GPU: it agrees after a step, in tiles too, or is refused by name.
//!
//! Any WebGPU device will do; without a graphics card, Mesa's software Vulkan (lavapipe).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "gpu/common.rs"]
mod common;

use std::sync::Arc;

use pliant::testing::Random;
use pliant::{ContactSolver, World, step};
use pliant_gpu::{Gpu, GpuError, GpuWorld, Tiling};
use pliant_io::scene::{Play, Scene, library};

use common::{copy, departure, find_gpu};

/// How far a scene may be off after one step, over its size.
const CLOSE: f32 = 1e-4;
/// Pushes that are tried.
const PUSHES: u64 = 32;
/// How much farther off it may be than a push of 1e-6 of its size takes it on the CPU.
const CHAOS: f32 = 3.0;

/// Frames after which a scene is looked at again: by then, most of its bodies touch something.
const LATER: u32 = 40;

/// Scenes that only the CPU can run, and a word of why.
const CPU_ONLY: &[(&str, &str)] = &[("linked", "moves by rk4")];

fn quick(entry: &library::Entry) -> Play {
    let mut scene = Scene::parse(entry.name, entry.text).unwrap();
    scene.quicken().unwrap();
    let mut play = scene.build().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    // As on the GPU.
    play.world.config.contact_solver = ContactSolver::Split;
    play
}

/// How far a world is from another, over its size.
fn off(a: &World, b: &World) -> f32 {
    let [off, size] = departure(a, b);
    off / size
}

/// A world after a step of `dt` seconds on the GPU; if in tiles, so must be whatever has constraints.
fn on_gpu(gpu: &Arc<Gpu>, world: &World, dt: f32, tiling: Tiling) -> Result<World, GpuError> {
    let mut world = copy(world);
    let mut there = GpuWorld::new(gpu, &mut world)?;
    there.set_tiling(tiling);
    there.push(&mut world)?;
    let has_links = world.constraints().iter().any(|set| !set.is_empty());
    assert_eq!(there.tile_work().is_some(), has_links && tiling == Tiling::Always);
    there.step(dt)?;
    there.read_into(&mut world)?;
    Ok(world)
}

/// A world after a step of `dt` seconds on the GPU, and the same on the CPU; whether the GPU has the same bits in
/// tiles, as hardware solves it, and by colour, as software does.
fn both(gpu: &Arc<Gpu>, world: &World, dt: f32) -> Result<([World; 2], bool), GpuError> {
    let there = on_gpu(gpu, world, dt, Tiling::Never)?;
    let in_tiles = on_gpu(gpu, world, dt, Tiling::Always)?;
    let mut here = copy(world);
    step(&mut here, dt).unwrap();
    let is_same = in_tiles.hash() == there.hash();
    Ok(([there, here], is_same))
}

/// How far pushes of 1e-6 of its size take a world on the CPU in a step, over its size: the most of a
/// few.
fn sensitivity(world: &World, here: &World, dt: f32) -> f32 {
    let [_, size] = departure(world, world);
    let pushed = |seed| {
        let mut pushed = copy(world);
        let mut random = Random::new(seed);
        for i in 0..pushed.particles.len() {
            let x = pushed.particles.position(i) + random.vector(2e-6 * size);
            pushed.particles.set_position(i, x);
        }
        step(&mut pushed, dt).unwrap();
        off(&pushed, here)
    };
    (1..=PUSHES).map(pushed).fold(0.0, f32::max)
}

/// Compares a scene after a step from its start, and after one from where the CPU has brought it later.
fn compare(gpu: &Arc<Gpu>, play: &mut Play) -> Result<(String, bool), GpuError> {
    let dt = play.dt();
    let ([there, here], is_same) = both(gpu, &play.world, dt)?;
    let first = off(&there, &here);
    (0..LATER).for_each(|_| play.advance().unwrap());
    let ([there, here], is_same_later) = both(gpu, &play.world, dt)?;
    let later = off(&there, &here);
    let says = format!("{first:.1e}, later {later:.1e}");
    if !(is_same && is_same_later) {
        return Ok((format!("{says}, other bits in tiles"), false));
    }
    if later <= CLOSE {
        return Ok((says, first <= CLOSE));
    }
    let pushed = sensitivity(&play.world, &here, dt);
    let says = format!("{says}: a push of 1e-6 makes {pushed:.1e}");
    Ok((says, first <= CLOSE && later <= CLOSE + CHAOS * pushed))
}

#[test]
fn every_scene_agrees_with_the_cpu_after_one_step_or_is_refused_by_name() {
    let Some(gpu) = find_gpu() else { return };
    let mut wrong = Vec::new();
    for entry in library::ALL {
        let refused = CPU_ONLY.iter().find(|(name, _)| *name == entry.name);
        let mut play = quick(entry);
        let (says, is_right) = match (compare(&gpu, &mut play), refused) {
            (Ok((says, is_right)), None) => (says, is_right),
            (Ok((says, _)), Some(_)) => (format!("is not refused: {says}"), false),
            (Err(why), Some((_, word))) => (why.to_string(), why.to_string().contains(word)),
            (Err(why), None) => (why.to_string(), false),
        };
        println!("  {:<16} {says}", entry.name);
        if !is_right {
            wrong.push(format!("{}: {says}", entry.name));
        }
    }
    assert!(wrong.is_empty(), "on {}, of the size:\n{}", gpu.name(), wrong.join("\n"));
}
