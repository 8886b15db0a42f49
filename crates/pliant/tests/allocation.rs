//! A step allocates nothing once the world has settled.
#![expect(unsafe_code, reason = "the only way to count allocations is to be the allocator")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::contact::Touch;
use pliant::scenes::{ALL, stack};
use pliant::{ContactSolver, Solver, World, solver, step};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Held by the test that runs: the other would allocate meanwhile.
static ALONE: Mutex<()> = Mutex::new(());

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
    let _alone = ALONE.lock();
    for scene in ALL {
        let meet = (scene.build)(scene.test_size).unwrap();
        if meet.bodies().any(|(_, body)| body.touch != Touch::NOTHING) {
            continue;
        }
        // Every scene with the usual solver; the others do the same work on two of them.
        let ways = solver::ALL.iter().filter(|way| {
            way.solver == Solver::Colored || ["hanging_cloth", "soft_cube"].contains(&scene.name)
        });
        for (way, threads) in ways.flat_map(|way| [(way, 1), (way, 2)]) {
            let mut world = (scene.build)(scene.test_size).unwrap();
            (world.config.threads, world.config.solver) = (threads, way.solver);
            (world.config.iterations, world.config.tolerance) = (2, 1e-6);
            let what = format!("{}, {}, {threads} threads", scene.name, way.name);
            allocates_nothing(&mut world, 3, &what);
        }
    }
}

/// Bodies that meet settle when they lie: until then there are more and more pairs.
#[test]
fn contact_at_rest_allocates_nothing() {
    let _alone = ALONE.lock();
    let ways = ContactSolver::ALL.iter().flat_map(|&way| [(way, 1), (way, 2)]);
    for (way, threads) in ways {
        let mut world = (stack::SCENE.build)(2).unwrap();
        (world.config.threads, world.config.contact_solver) = (threads, way);
        let what = format!("two cubes, {}, {threads} threads", way.name());
        allocates_nothing(&mut world, 120, &what);
    }
}

/// Fails if steps allocate after so many of them.
fn allocates_nothing(world: &mut World, settling: u32, what: &str) {
    for _ in 0..settling {
        step(world, 1.0 / 60.0).unwrap();
    }
    let mut allocations = || {
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        assert!(before > 0, "the counter does not count");
        for _ in 0..10 {
            step(world, 1.0 / 60.0).unwrap();
        }
        ALLOCATIONS.load(Ordering::SeqCst) - before
    };
    // On a busy machine a thread of the pool may start, and allocate its name, only now.
    let counts = [(); 6].map(|()| allocations());
    assert!(counts.contains(&0), "{what}: {counts:?} allocations in 10 steps");
}
