//! Spreads independent tasks over the machine's threads.

/// Calls `work` once for each task. The order is not defined, so tasks must not depend on it.
#[cfg(all(feature = "parallel", not(target_family = "wasm")))]
pub(super) fn spread<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Sync) {
    use std::sync::{Mutex, PoisonError};

    let helpers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(tasks.len());
    let queue = Mutex::new(tasks.into_iter());
    let drain = || {
        loop {
            let task = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = task else { break };
            work(task);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..helpers {
            // Without a helper the tasks are done here; there is nothing to report.
            let _ = std::thread::Builder::new().spawn_scoped(scope, drain);
        }
        drain();
    });
}

/// Calls `work` once for each task.
#[cfg(not(all(feature = "parallel", not(target_family = "wasm"))))]
pub(super) fn spread<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Sync) {
    tasks.into_iter().for_each(work);
}
