//! A step allocates nothing once the world has settled.
#![expect(unsafe_code, reason = "the only way to count allocations is to be the allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::scenes::ALL;
use pliant::step;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_settled_step_allocates_nothing() {
    for scene in ALL {
        for threads in [1, 2] {
            let mut world = (scene.build)(scene.test_size).unwrap();
            world.config.threads = threads;
            for _ in 0..3 {
                step(&mut world, 1.0 / 60.0).unwrap();
            }
            let before = ALLOCATIONS.load(Ordering::SeqCst);
            assert!(before > 0, "the counter does not count");
            for _ in 0..10 {
                step(&mut world, 1.0 / 60.0).unwrap();
            }
            let count = ALLOCATIONS.load(Ordering::SeqCst) - before;
            assert_eq!(count, 0, "{} on {threads} threads: allocations in 10 steps", scene.name);
        }
    }
}
