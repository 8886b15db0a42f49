//! The same state, again and again.

use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::scenes::{pile, tumbling};
use crate::step::step;
use crate::world::World;

/// A state in the midst of contact goes on in the same bits, however often it is restored and on however
/// many threads.
pub const LAW: &Law = &Law {
    name: "restep",
    covers: &["D2", "D5", "D6"],
    setup: "cubes fall on each other; in the midst of it the world is saved, and restored many times, on 1, \
            2, 3 and 8 threads",
    claim: "a restored world goes on in the same bits, every time and on any number of threads",
    source: "docs/conventions.md, Determinism",
    tolerance: "none: bits are the same or not",
    accident: "the hash is of all bits of the state; two threads that write one particle in a race differ \
               in one of hundreds of tries",
    quick: true,
    cpu_only: Some("compares threads of the CPU"),
    params: &[
        Param::count("tries", 10, [1, 1000], "restored worlds for each number of threads"),
        Param::count("frames", 40, [10, 120], "until the world is saved"),
    ],
    measure,
    figure: None,
};

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for scene in [pile::SCENE, tumbling::SCENE] {
        let mut world = (scene.build)(scene.test_size).map_err(failed)?;
        for _ in 0..params.count("frames") {
            step(&mut world, 1.0 / 60.0)?;
        }
        let saved = world.save();
        step(&mut world, 1.0 / 60.0)?;
        let straight = world.hash();
        for threads in [1, 2, 3, 8] {
            let mut others = 0;
            for _ in 0..params.count("tries") {
                let mut world = World::restore(&saved).map_err(failed)?;
                world.config.threads = threads;
                step(&mut world, 1.0 / 60.0)?;
                world.config.threads = 1;
                others += u32::from(world.hash() != straight);
            }
            let what = format!("worlds of {} that go on otherwise, {threads} threads", scene.name);
            let none = Tolerance::Absolute(0.0);
            measured.push(Measured::new(what, "", [f64::from(others), 0.0], none));
        }
    }
    Ok(measured)
}

fn failed(error: impl ToString) -> LawError {
    LawError::Stepper(error.to_string())
}
