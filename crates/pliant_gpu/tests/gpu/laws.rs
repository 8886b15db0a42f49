//! The laws of physics hold on the GPU.

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
    ("chain", "says what one iteration in order leaves, not by colour"),
    ("gradients", "takes no steps"),
    ("rolling", "only the CPU moves rigid bodies out of colliders as a whole"),
    ("same_solution", "compares solvers of the CPU"),
    ("convergence", "compares solvers of the CPU"),
];

/// Laws that take seconds on software Vulkan.
const QUICK: &[&str] = &[
    "spring",
    "damped_spring",
    "pbd_stiffness",
    "momentum",
    "free_fall",
    "projectile",
    "chain_modes",
    "balloon",
];

/// Laws that take many minutes there: blocks of a material that come to rest in thousands of steps,
/// and a rotation that is followed for long.
const SLOW: &[&str] = &[
    "neo_hookean",
    "traction",
    "patch",
    "own_weight",
    "vibration",
    "cantilever",
    "shape_matching",
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

/// Runs laws and fails with the reports of those that are broken.
fn check_all(are_wanted: impl Fn(&str) -> bool) {
    let Some(gpu) = find_gpu() else { return };
    let mut broken = Vec::new();
    for law in laws::ALL.iter().filter(|law| are_wanted(law.name)) {
        match check(&gpu, law) {
            Ok(text) => print!("{text}"),
            Err(report) => broken.push(report),
        }
    }
    assert!(broken.is_empty(), "on {}:\n{}", gpu.name(), broken.join("\n"));
}

fn is_exempt(name: &str) -> bool {
    EXEMPT.iter().any(|(known, _)| *known == name)
}

#[test]
fn laws_of_the_lists_exist_and_are_in_one_list() {
    let exempt = EXEMPT.iter().map(|(name, _)| name);
    let mut all: Vec<&str> = exempt.chain(QUICK).chain(SLOW).copied().collect();
    assert!(all.iter().all(|name| laws::find(name).is_ok()), "{all:?}");
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn quick_laws_hold_on_the_gpu() {
    check_all(|name| QUICK.contains(&name));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn laws_hold_on_the_gpu() {
    check_all(|name| !QUICK.contains(&name) && !SLOW.contains(&name) && !is_exempt(name));
}

#[test]
#[ignore = "takes an hour on software Vulkan; on a graphics card: cargo test --release -- --ignored"]
fn slow_laws_hold_on_the_gpu() {
    check_all(|name| SLOW.contains(&name));
}
