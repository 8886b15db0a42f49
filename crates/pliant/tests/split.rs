//! Pairs that touch, solved all at once as on a GPU: the same bits on any number of threads, and where a
//! particle has one pair, the same motion as colour after colour.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::constraint::distance;
use pliant::contact::Touch;
use pliant::glam::Vec3;
use pliant::scenes::Scene;
use pliant::{Blueprint, Config, ContactSolver, Hold, Precision, World, step};

const FRAME: f32 = 1.0 / 60.0;
/// Half the thickness of the bodies here (m).
const RADIUS: f32 = 0.01;

/// A body of some particles, linked in a row and, if there are three, with a triangle.
fn body(x: &[Vec3], touch: Touch) -> Blueprint {
    let mut body = Blueprint { radius: RADIUS, ..Blueprint::default() };
    x.iter().for_each(|&x| _ = body.particle(x, 0.1));
    for k in 1..x.len() as u32 {
        body.join(&distance::KIND, &[k - 1, k], Hold::RIGID).unwrap();
    }
    if x.len() == 3 {
        body.join(&distance::KIND, &[2, 0], Hold::RIGID).unwrap();
        body.triangles.push([0, 1, 2]);
    }
    body.touching(touch)
}

/// A kind of pair: its name, the upper party and the lower.
type Meeting = (&'static str, Vec<Vec3>, Vec<Vec3>);

/// Two parties, of which the upper falls on the lower at an angle: one pair of each kind.
fn meetings() -> Vec<Meeting> {
    let point = vec![Vec3::new(-0.01, 0.05, 0.005)];
    let link = vec![Vec3::new(-0.2, 0.0, 0.0), Vec3::new(0.2, 0.0, 0.01)];
    let face = [Vec3::new(-0.2, 0.0, -0.2), Vec3::new(-0.2, 0.0, 0.3), Vec3::new(0.4, 0.0, 0.0)];
    let across = vec![Vec3::new(-0.01, 0.05, -0.2), Vec3::new(0.0, 0.05, 0.22)];
    vec![
        ("two particles", point.clone(), vec![Vec3::ZERO]),
        ("a particle and a link", point.clone(), link.clone()),
        ("two links", across, link),
        ("a particle and a face", point, face.to_vec()),
    ]
}

fn meeting(upper: &[Vec3], lower: &[Vec3], touch: Touch) -> World {
    let mut world = World::new(Config { gravity: Vec3::ZERO, threads: 1, ..Config::default() });
    world.add(&body(lower, touch)).unwrap();
    let above = world.add(&body(upper, touch)).unwrap();
    for i in world.body(above).unwrap().range() {
        world.particles.set_velocity(i, Vec3::new(0.4, -1.0, 0.1));
    }
    world
}

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
    for (what, upper, lower) in meetings() {
        for (friction, restitution) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.7)] {
            for (precision, iterations) in
                [(Precision::Plain, 1), (Precision::Carried, 1), (Precision::Plain, 3)]
            {
                let touch = Touch { friction, restitution, ..Touch::OTHERS };
                let [colored, split, free] = [
                    (ContactSolver::Colored, touch),
                    (ContactSolver::Split, touch),
                    (ContactSolver::Colored, Touch::NOTHING),
                ]
                .map(|(solver, touch)| {
                    let mut world = meeting(&upper, &lower, touch);
                    world.config.contact_solver = solver;
                    (world.config.precision, world.config.iterations) = (precision, iterations);
                    run(&mut world, 6);
                    world
                });
                let (off, effect) = (apart(&split, &colored), apart(&free, &colored));
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
