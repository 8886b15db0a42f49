//! Pairs that touch, solved all at once as on a GPU: the same bits on any number of threads, and where a
//! particle has one pair, the same motion as colour after colour.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::contact::Touch;
use pliant::scenes::Scene;
use pliant::testing::meetings;
use pliant::{ContactSolver, Precision, World, step};

const FRAME: f32 = 1.0 / 60.0;

fn scene(name: &str, threads: u32) -> World {
    let scene = Scene::find(name).unwrap();
    let mut world = (scene.build)(scene.test_size).unwrap();
    (world.config.threads, world.config.contact_solver) = (threads, ContactSolver::Split);
    world
}

fn run(world: &mut World, steps: u32) {
    (0..steps).for_each(|_| step(world, FRAME).unwrap());
    assert_eq!(world.quarantine, []);
}

/// How far a particle is from where it is in the other world, at most (m).
fn apart(a: &World, b: &World) -> f32 {
    let rows = a.particles.xw.iter().zip(&b.particles.xw);
    rows.map(|(a, b)| a.truncate().distance(b.truncate())).fold(0.0, f32::max)
}

#[test]
fn one_pair_of_each_kind_moves_as_colour_after_colour() {
    for (friction, restitution) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.7)] {
        for (precision, iterations) in
            [(Precision::Plain, 1), (Precision::Carried, 1), (Precision::Plain, 3)]
        {
            let touch = Touch { friction, restitution, ..Touch::OTHERS };
            let met = |solver: ContactSolver, touch: Touch| {
                let mut all = meetings(touch).unwrap();
                for (_, world) in &mut all {
                    (world.config.threads, world.config.contact_solver) = (1, solver);
                    (world.config.precision, world.config.iterations) = (precision, iterations);
                    run(world, 6);
                }
                all
            };
            let split = met(ContactSolver::Split, touch);
            let free = met(ContactSolver::Colored, Touch::NOTHING);
            let colored = met(ContactSolver::Colored, touch);
            for (((what, colored), (_, split)), (_, free)) in colored.iter().zip(&split).zip(&free)
            {
                let (off, effect) = (apart(split, colored), apart(free, colored));
                let case = format!("{what}, friction {friction}, bounce {restitution}");
                let case = format!("{case}, {precision:?}, {iterations} iterations");
                assert!(effect > 0.01, "{case}: they never met");
                assert!(off < 1e-5, "{case}: {off} m off, where contact does {effect} m");
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (name, steps) in [("pile", 18), ("folding", 20)] {
        let hash = |threads: u32| {
            let mut world = scene(name, threads);
            run(&mut world, steps);
            assert!(world.contact_report().contacts > 20, "{name}: {:?}", world.contact_report());
            world.hash()
        };
        let alone = hash(1);
        for threads in [2, 3, 8] {
            assert_eq!(hash(threads), alone, "{name}: {threads} threads differ from 1");
        }
    }
}

#[test]
fn a_pile_and_a_folded_cloth_keep_their_promises() {
    for name in ["pile", "folding"] {
        let found = Scene::find(name).unwrap();
        let mut world = scene(name, 1);
        run(&mut world, (found.seconds / FRAME).round() as u32);
        (found.check)(&world).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn a_world_goes_on_with_the_same_bits_after_a_save() {
    let mut world = scene("pile", 1);
    run(&mut world, 15);
    let mut restored = World::restore(&world.save()).unwrap();
    assert_eq!(restored.config.contact_solver, ContactSolver::Split);
    run(&mut world, 5);
    run(&mut restored, 5);
    assert_eq!(restored.hash(), world.hash());
}
