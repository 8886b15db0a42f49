//! Clocks by which tests run a session.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pliant_viewer::native::clock;

/// A clock on which a sixtieth of a second has passed whenever somebody looks: a step is due in every
/// frame of the window.
pub(crate) fn ticking() -> f64 {
    static TICKS: AtomicU64 = AtomicU64::new(0);
    TICKS.fetch_add(1, Ordering::Relaxed) as f64 / 60.0
}

static PICTURES: AtomicU64 = AtomicU64::new(0);

/// Looks at the clock between which a simulation goes on at once. A step looks a few hundred times.
const LOOKS: u64 = 32;

/// Longest that a step waits for a picture: one that is not drawn by then waits for the step.
const PATIENCE: Duration = Duration::from_secs(20);

/// A picture was drawn.
pub(crate) fn drawn() {
    PICTURES.fetch_add(1, Ordering::Relaxed);
}

/// A clock that holds a simulation up in the middle of its steps, each time until a picture was drawn:
/// steps take longer than pictures, on a machine as busy as it may be.
pub(crate) fn held_up() -> f64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let simulates = std::thread::current().name() == Some("simulation");
    if simulates && COUNT.fetch_add(1, Ordering::Relaxed) % LOOKS == LOOKS - 1 {
        let (before, began) = (PICTURES.load(Ordering::Relaxed), Instant::now());
        while PICTURES.load(Ordering::Relaxed) == before && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    clock()
}
