//! What the tests on a GPU share.

use std::io::Write;
use std::sync::Arc;

use pliant::World;
use pliant_gpu::{Choice, Gpu};

/// The device, or `None` where a user's machine has none. Where the project is tested it must be
/// there.
pub(crate) fn find_gpu() -> Option<Arc<Gpu>> {
    let why = match Gpu::find(&Choice::default()) {
        Ok(gpu) => return Some(gpu),
        Err(why) => why,
    };
    let required = ["CI", "PLIANT_TEST_DATA"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(!required, "{why}");
    // Past the test harness, which would swallow what a passing test prints.
    let text = format!("NOT RUN: nothing was compared with a GPU: {why}\n");
    std::io::stderr().write_all(text.as_bytes()).expect("the standard error is open");
    None
}

/// A copy of a world.
pub(crate) fn copy(world: &World) -> World {
    World::restore(&world.save()).expect("a world that was saved can be restored")
}

/// The largest distance of a particle from where it is in the other world (m), and the size of the
/// box around all of them (m).
pub(crate) fn departure(a: &World, b: &World) -> [f32; 2] {
    let pairs = a.particles.xw.iter().zip(&b.particles.xw);
    let off = pairs.map(|(a, b)| a.truncate().distance(b.truncate()));
    let positions = || b.particles.xw.iter().map(|row| row.truncate());
    let high = positions().reduce(|a, b| a.max(b)).unwrap_or_default();
    let low = positions().reduce(|a, b| a.min(b)).unwrap_or_default();
    // Written so that NaN is not lost.
    [off.fold(0.0, |most, off| if off <= most { most } else { off }), high.distance(low)]
}
