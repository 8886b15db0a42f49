//! The laws of physics hold on the GPU.

use std::sync::Arc;
use std::time::Instant;

use pliant::laws::{self, Law};
use pliant_gpu::{Gpu, stepper};

use crate::common::find_gpu;

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
    "rolling",
    "tearing",
    "plasticity",
    "cutting",
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
    "turek",
    "turek_swing",
    "rod",
    "tip_load",
    "roll_up",
    "buckling",
    "squash",
    "stacking",
    "drape",
    "moved",
    "jitter",
];

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
    for law in laws::ALL.iter().filter(|law| law.cpu_only.is_none() && are_wanted(law.name)) {
        match check(&gpu, law) {
            Ok(text) => print!("{text}"),
            Err(report) => broken.push(report),
        }
    }
    assert!(broken.is_empty(), "on {}:\n{}", gpu.name(), broken.join("\n"));
}

#[test]
fn laws_of_the_lists_exist_and_are_in_one_list() {
    let mut all: Vec<&str> = QUICK.iter().chain(SLOW).copied().collect();
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
    check_all(|name| !QUICK.contains(&name) && !SLOW.contains(&name));
}

#[test]
#[ignore = "takes an hour on software Vulkan; on a graphics card: cargo test --release -- --ignored"]
fn slow_laws_hold_on_the_gpu() {
    check_all(|name| SLOW.contains(&name));
}
