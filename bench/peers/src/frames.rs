//! Frames of a workload, in turn: one of ours, one of each of the others.

use std::error::Error;

use pliant::glam::Vec3;
use pliant::{World, scenes::Scene, step};

use crate::depth::{deepest, strain};
use crate::race::{Times, print, time};
use crate::rapier::{Effort, Elements, positions, world_of};

/// Length of a frame (s).
const FRAME: f32 = 1.0 / 60.0;

/// Frames between two looks at how deep bodies are in each other.
const LOOK: usize = 10;

/// Races through so many frames of a workload, all on one thread.
pub(crate) fn run(workload: &str, frames: usize) -> Result<(), Box<dyn Error>> {
    let scene = Scene::find(workload).ok_or("there is no such workload")?;
    let mut ours = (scene.build)(scene.size)?;
    ours.config.threads = 1;
    let elements: Vec<Elements> =
        ours.bodies().map(|(_, body)| Elements::of(&ours, body)).collect();
    let at_rest = our_positions(&ours);
    let mut theirs: Vec<_> = Effort::ALL.iter().map(|&effort| world_of(&ours, effort)).collect();
    let mut times = vec![Times::of("pliant 20 x 1")];
    times.extend(Effort::ALL.iter().map(|effort| Times::of(&effort.name())));
    let mut depths = vec![0.0f32; times.len()];
    for frame in 0..frames {
        let (ms, stepped) = time(|| step(&mut ours, FRAME));
        stepped?;
        times[0].ms.push(ms);
        for (world, times) in theirs.iter_mut().zip(&mut times[1..]) {
            times.ms.push(time(|| world.step()).0);
        }
        if (frame + 1) % LOOK == 0 {
            let all = all_positions(&ours, &theirs);
            let now = all.iter().map(|now| deepest(&elements, now));
            depths.iter_mut().zip(now).for_each(|(most, now)| *most = most.max(now));
        }
    }
    let strains =
        all_positions(&ours, &theirs).into_iter().map(|now| strain(&elements, &at_rest, &now));
    let more: Vec<String> = depths
        .iter()
        .zip(strains)
        .map(|(depth, strain)| format!("rms strain {strain:.4}, deepest {:.2} mm", depth * 1e3))
        .collect();
    let title = format!("{workload} ({}), {frames} frames of 1/60 s, one thread each", scene.name);
    print(&title, &times, &more);
    Ok(())
}

fn our_positions(world: &World) -> Vec<Vec<Vec3>> {
    let of_body =
        |range: std::ops::Range<usize>| range.map(|i| world.particles.position(i)).collect();
    world.bodies().map(|(_, body)| of_body(body.range())).collect()
}

/// Positions body by body (m), of us and of each of the others.
fn all_positions(ours: &World, theirs: &[rapier3d::prelude::PhysicsWorld]) -> Vec<Vec<Vec<Vec3>>> {
    let theirs = theirs.iter().map(positions);
    std::iter::once(our_positions(ours)).chain(theirs).collect()
}
