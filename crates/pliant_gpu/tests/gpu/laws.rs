//! The laws of physics hold on the GPU.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use pliant::laws::{self, Law};
use pliant::{Solver, World};
use pliant_gpu::{Gpu, GpuWorld};

use crate::common::find_gpu;

/// Laws that the GPU is not held to, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("integrator_recurrence", "integrators run on the CPU"),
    ("integrator_order", "integrators run on the CPU"),
    ("integrator_stability", "integrators run on the CPU"),
    ("gradients", "takes no steps"),
    ("same_solution", "compares solvers of the CPU"),
    ("convergence", "compares solvers of the CPU"),
];

/// Takes the steps of whatever world it is given on the GPU. Laws that ask for constraints in order
/// get them by colour.
fn stepper(gpu: &Arc<Gpu>) -> laws::Stepper {
    let gpu = Arc::clone(gpu);
    let mut there: Option<GpuWorld> = None;
    Box::new(move |world: &mut World, dt: f32| {
        let wanted = world.config.solver;
        world.config.solver = Solver::Colored;
        let mut take = || {
            match &mut there {
                Some(there) => there.push(world)?,
                None => there = Some(GpuWorld::new(&gpu, world)?),
            }
            let Some(there) = &mut there else { return Ok(()) };
            there.step(dt)?;
            there.read_into(world)
        };
        let taken = take().map_err(|error: pliant_gpu::GpuError| error.to_string());
        world.config.solver = wanted;
        taken
    })
}

fn check(gpu: &Arc<Gpu>, law: &Law) -> Result<String, String> {
    let began = Instant::now();
    let report = law.run_with(&[], stepper(gpu)).map_err(|e| format!("{}: {e}", law.name))?;
    match report.passes() {
        true => Ok(format!("  {:<18} holds, {:.1} s\n", law.name, began.elapsed().as_secs_f64())),
        false => Err(report.to_string()),
    }
}

#[test]
fn laws_hold_on_the_gpu() {
    let Some(gpu) = find_gpu() else { return };
    let only = std::env::var("PLIANT_LAW").ok();
    let mut broken = Vec::new();
    for law in laws::ALL.iter().filter(|law| EXEMPT.iter().all(|(name, _)| *name != law.name)) {
        if only.as_ref().is_some_and(|only| only != law.name) {
            continue;
        }
        let text = check(&gpu, law).unwrap_or_else(|why| {
            broken.push(why.clone());
            format!("{why}\n")
        });
        std::io::stderr().write_all(text.as_bytes()).expect("the standard error is open");
    }
    assert!(broken.is_empty(), "on {}:\n{}", gpu.name(), broken.join("\n"));
}
