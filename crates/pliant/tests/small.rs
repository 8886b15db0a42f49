//! Worlds that are small enough for tools that watch every access to memory, and large enough for
//! two threads: `cargo xtask sanitize` runs this file under Miri and ThreadSanitizer.
#![expect(clippy::unwrap_used, reason = "a test that cannot build its world has failed")]

use pliant::scenes::Scene;
use pliant::solver::Solver;
use pliant::step;

/// Scenes, and their sizes: for Miri, which is a thousand times slower, and for all else.
const SCENES: &[(&str, [u32; 2])] =
    &[("hanging_cloth", [4, 40]), ("soft_cube", [3, 9]), ("folding", [4, 24]), ("flag", [4, 24])];

/// The hash of a scene after two short steps.
fn end(name: &str, size: u32, threads: u32, solver: Solver) -> u64 {
    let mut world = (Scene::find(name).unwrap().build)(size).unwrap();
    (world.config.threads, world.config.solver) = (threads, solver);
    (world.config.substeps, world.config.iterations) = (2, 2);
    for _ in 0..2 {
        step(&mut world, 1.0 / 60.0).unwrap();
    }
    world.hash()
}

#[test]
fn small_worlds_end_alike_on_any_number_of_threads() {
    for &(name, [tiny, small]) in SCENES {
        let size = if cfg!(miri) { tiny } else { small };
        for solver in [Solver::Colored, Solver::Jacobi] {
            let alone = end(name, size, 1, solver);
            assert_eq!(alone, end(name, size, 2, solver), "{name}, {solver:?}");
        }
    }
}
