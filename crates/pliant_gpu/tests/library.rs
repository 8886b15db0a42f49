//! Every scene of the library, on CPU and GPU: it agrees after a step, or is refused by name.
//!
//! Any WebGPU device will do; without a graphics card, Mesa's software Vulkan (lavapipe).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "gpu/common.rs"]
mod common;

use std::sync::Arc;

use pliant::step;
use pliant_gpu::{Gpu, GpuWorld};
use pliant_io::scene::{Play, Scene, library};

use common::{copy, departure, find_gpu};

/// How far a scene may be off after one step, over its size.
const CLOSE: f32 = 1e-4;

/// Frames after which a scene is looked at again: by then, most of its bodies touch something.
const LATER: u32 = 40;

/// Scenes that only the CPU can run, and a word of why.
const CPU_ONLY: &[(&str, &str)] = &[("linked", "moves by rk4")];

fn quick(entry: &library::Entry) -> Play {
    let mut scene = Scene::parse(entry.name, entry.text).unwrap();
    scene.quicken().unwrap();
    scene.build().unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

/// How far a scene on the GPU is from the same on the CPU after a step, over its size: from its start,
/// and from where the CPU has brought it by then.
fn compare(gpu: &Arc<Gpu>, play: &mut Play) -> Result<[f32; 2], String> {
    let first = step_off(gpu, play)?;
    let frames = std::env::var("FRAMES").map_or(LATER, |n| n.parse().unwrap());
    (0..frames).for_each(|_| play.advance().unwrap());
    Ok([first, step_off(gpu, play)?])
}

fn step_off(gpu: &Arc<Gpu>, play: &Play) -> Result<f32, String> {
    let dt = play.dt();
    let [mut here, mut there] = [0, 1].map(|_| copy(&play.world));
    let mut on_gpu = GpuWorld::new(gpu, &mut there).map_err(|error| error.to_string())?;
    on_gpu.step(dt).and_then(|()| on_gpu.read_into(&mut there)).map_err(|e| e.to_string())?;
    step(&mut here, dt).unwrap();
    let [off, size] = departure(&there, &here);
    Ok(off / size)
}

#[test]
fn every_scene_agrees_with_the_cpu_after_one_step_or_is_refused_by_name() {
    let Some(gpu) = find_gpu() else { return };
    let mut wrong = Vec::new();
    for entry in library::ALL {
        if std::env::var("ONLY").is_ok_and(|only| !only.contains(entry.name)) {
            continue;
        }
        let began = std::time::Instant::now();
        let known = CPU_ONLY.iter().find(|(name, _)| *name == entry.name);
        let mut play = quick(entry);
        let line = match (compare(&gpu, &mut play), known) {
            (Ok([first, later]), None) if first <= CLOSE && later <= CLOSE => {
                format!("{first:.1e}, later {later:.1e}")
            }
            (Err(why), Some((_, word))) if why.contains(word) => why,
            (found, _) => {
                wrong.push(format!("{}: {found:?} of its size off", entry.name));
                format!("{found:?}")
            }
        };
        println!("  {:<16} {line} {:.1} s", entry.name, began.elapsed().as_secs_f32());
    }
    assert!(wrong.is_empty(), "on {}:\n{}", gpu.name(), wrong.join("\n"));
}
