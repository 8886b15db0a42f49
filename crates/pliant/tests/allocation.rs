//! A step allocates nothing once the world has settled.
#![expect(unsafe_code, reason = "the only way to count allocations is to be the allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::contact::Touch;
use pliant::scenes::ALL;
use pliant::{Solver, solver, step};

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
        // Every scene with the usual solver; the others do the same work on two of them.
        let ways = solver::ALL.iter().filter(|way| {
            way.solver == Solver::Colored || ["hanging_cloth", "soft_cube"].contains(&scene.name)
        });
        for (way, threads) in ways.flat_map(|way| [(way, 1), (way, 2)]) {
            let mut world = (scene.build)(scene.test_size).unwrap();
            let config = &mut world.config;
            (config.threads, config.solver) = (threads, way.solver);
            (config.iterations, config.tolerance) = (2, 1e-6);
            // Bodies that meet settle when the scene has: until then there are more and more pairs.
            let meet = world.bodies().any(|(_, body)| body.touch != Touch::NOTHING);
            for _ in 0..if meet { (scene.seconds * 60.0) as u32 } else { 3 } {
                step(&mut world, 1.0 / 60.0).unwrap();
            }
            let mut allocations = || {
                let before = ALLOCATIONS.load(Ordering::SeqCst);
                assert!(before > 0, "the counter does not count");
                for _ in 0..10 {
                    step(&mut world, 1.0 / 60.0).unwrap();
                }
                ALLOCATIONS.load(Ordering::SeqCst) - before
            };
            // On a busy machine a thread of the pool may start, and allocate its name, only now.
            let counts = [(); 3].map(|()| allocations());
            let what = format!("{}, {}, {threads} threads", scene.name, way.name);
            assert!(counts.contains(&0), "{what}: {counts:?} allocations in 10 steps");
        }
    }
}
