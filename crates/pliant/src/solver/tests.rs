//! All solvers come to the same solution, and keep what they promise about threads and momentum.

use glam::{UVec3, Vec3};

use super::*;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::measure::momentum;
use crate::shapes::{Bending, Cloth, TetBox};
use crate::world::{Method, Precision};
use crate::{Blueprint, step};

const FRAME: f32 = 1.0 / 60.0;

fn config(solver: Solver, iterations: u32) -> Config {
    let (substeps, threads, precision) = (1, 1, Precision::Carried);
    Config { solver, iterations, substeps, threads, precision, ..Config::default() }
}

/// Beads on a line, linked to the next and the next but one by springs, dashpots and rigid links,
/// each of its own mass and stiffness, about to fall along the line. Linear: gradients are ±1.
fn line(config: Config) -> World {
    let mut world = World::new(Config { gravity: Vec3::X * 9.81, ..config });
    let mut body = Blueprint::default();
    for i in 0..10u32 {
        let n = i as f32;
        body.particle(Vec3::X * 0.1 * n, 0.1 + 0.05 * (n % 3.0));
        let spring = Hold::spring(200.0 + 60.0 * n).damped(0.3 * n);
        if i > 0 {
            let hold = if i == 4 { Hold::RIGID } else { spring };
            body.join(&distance::KIND, &[i - 1, i], hold).unwrap();
        }
        if i > 1 {
            body.join_with_rest(&distance::MIN_KIND, &[i - 2, i], &[0.2], spring).unwrap();
        }
    }
    world.add(&body.pinned(&[0])).unwrap();
    // Stretched here and squeezed there, so that some that only push do, and some do not.
    world.particles.set_position(5, Vec3::X * 0.43);
    world.particles.set_position(8, Vec3::X * 0.89);
    world
}

/// Springs and volumes, 4 cm wide, pinned at one side and about to sag.
fn jelly(config: Config) -> World {
    let (counts, edges) = (UVec3::splat(3), Hold::spring(500.0));
    let jelly = TetBox { counts, edges, volume: Hold::spring(1e10), ..TetBox::default() };
    let side: Vec<u32> = (0..27).filter(|i| i % 3 == 0).collect();
    let mut world = World::new(config);
    world.add(&jelly.blueprint().unwrap().pinned(&side)).unwrap();
    world
}

/// A cloth with rigid threads and hinges, large enough for several threads.
fn cloth(config: Config) -> World {
    let bending = Bending::Hinges(Hold::spring(1e-3));
    let cloth = Cloth { columns: 50, rows: 40, bending, ..Cloth::default() };
    let mut world = World::new(config);
    world.add(&cloth.blueprint().unwrap().pinned(&[0, 49])).unwrap();
    world
}

fn positions(world: &World) -> Vec<Vec3> {
    world.particles.xw.iter().map(|row| row.truncate()).collect()
}

/// The largest distance of a particle in one world from itself in the other (m).
fn apart(a: &World, b: &World) -> f32 {
    let pairs = positions(a).into_iter().zip(positions(b));
    pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

#[test]
fn every_solver_stands_at_its_place() {
    for (i, way) in ALL.iter().enumerate() {
        assert_eq!((way.solver as usize, way.solver.way().name), (i, way.name));
        assert!(!way.shows.is_empty());
    }
}

/// How far the solvers are apart after many iterations: in positions, and in multipliers, each as
/// a share of the largest.
fn disagreement(build: impl Fn(Config) -> World, iterations: u32) -> [f32; 2] {
    let solved = |config| {
        let mut world = build(config);
        step(&mut world, FRAME).unwrap();
        world
    };
    let exact = solved(config(Solver::InOrder, iterations));
    let predicted = exact.particles.predicted.iter().map(|row| row.truncate());
    let pushed = positions(&exact).into_iter().zip(predicted).map(|(a, b)| a.distance(b));
    let pushed = pushed.fold(0.0, f32::max);
    let mut worst = [0.0f32; 2];
    for way in ALL {
        for (omega, threads) in [(0.7, 1), (1.0, 2), (1.3, 1)] {
            let world = solved(Config { omega, threads, ..config(way.solver, iterations) });
            worst[0] = worst[0].max(apart(&world, &exact) / pushed);
            for (set, exact) in world.sets.iter().zip(&exact.sets) {
                let largest = exact.lambda.iter().fold(f32::MIN_POSITIVE, |a, b| a.max(b.abs()));
                let off = set.lambda.iter().zip(&exact.lambda).map(|(a, b)| (a - b).abs());
                worst[1] = worst[1].max(off.fold(0.0, f32::max) / largest);
            }
        }
    }
    worst
}

#[test]
fn every_solver_comes_to_the_same_solution_of_a_linear_problem() {
    let [x, lambda] = disagreement(line, 2000);
    assert!(x < 1e-5 && lambda < 1e-5, "apart by {x} in positions, {lambda} in multipliers");
}

/// Where links turn while they are solved, multipliers act along the gradients at which they were
/// found. So the way to the solution shows in it, but only to second order: a tenth of the motion
/// has a tenth of the disagreement, as a share.
#[test]
fn every_solver_comes_to_the_same_pose_of_a_jelly_to_first_order() {
    let sag = |share: f32| {
        let gravity = Vec3::NEG_Y * 9.81 * share;
        disagreement(|config| jelly(Config { gravity, ..config }), 5000)
    };
    let (whole, tenth) = (sag(1.0), sag(0.1));
    assert!(whole[0] < 0.005 && whole[1] < 0.05, "{whole:?}");
    for (whole, tenth) in whole.into_iter().zip(tenth) {
        assert!(tenth < 0.2 * whole, "{tenth} and {whole}: not of second order");
    }
}

#[test]
fn a_single_constraint_is_corrected_by_omega() {
    for way in ALL {
        for method in [Method::Xpbd, Method::Pbd] {
            for omega in [0.5, 1.0, 1.5] {
                let config = Config { omega, method, gravity: Vec3::ZERO, ..config(way.solver, 1) };
                let mut world = World::new(config);
                let mut body = Blueprint::default();
                let ids = [body.particle(Vec3::ZERO, 1.0), body.particle(Vec3::X, 3.0)];
                body.join_with_rest(&distance::KIND, &ids, &[0.5], Hold::RIGID).unwrap();
                world.add(&body).unwrap();
                step(&mut world, FRAME).unwrap();
                // Of the 0.5 m, the light one goes three quarters.
                let x = [0, 1].map(|i| world.particles.position(i).x);
                let right = [0.375 * omega, 1.0 - 0.125 * omega];
                for (x, right) in x.into_iter().zip(right) {
                    assert!((x - right).abs() < 1e-6, "{}, {omega}: {x}, not {right}", way.name);
                }
            }
        }
    }
}

#[test]
fn only_the_unordered_solver_depends_on_threads() {
    for way in ALL.iter().filter(|way| way.solver != Solver::Unordered) {
        let run = |threads| {
            let mut world = cloth(Config { threads, ..config(way.solver, 6) });
            (0..5).for_each(|_| step(&mut world, FRAME).unwrap());
            world.hash()
        };
        let alone = run(1);
        for threads in [2, 3, 8] {
            assert_eq!(run(threads), alone, "{}: {threads} threads differ from 1", way.name);
        }
    }
}

#[test]
fn a_race_with_one_runner_is_in_order() {
    let hash = |solver| {
        let mut world = cloth(config(solver, 2));
        (0..5).for_each(|_| step(&mut world, FRAME).unwrap());
        world.hash()
    };
    assert_eq!(hash(Solver::Unordered), hash(Solver::InOrder));
}

#[test]
fn a_race_of_many_runners_still_converges() {
    let residual = |solver, threads| {
        let mut world = cloth(Config { threads, ..config(solver, 100) });
        step(&mut world, FRAME).unwrap();
        world.constraints().iter().map(|set| world.residual(set)).fold(0.0, f64::max)
    };
    let (race, order) = (residual(Solver::Unordered, 4), residual(Solver::InOrder, 1));
    assert!(race < 2.0 * order, "racing leaves {race}, in order {order}");
}

#[test]
fn averaging_makes_no_momentum() {
    for solver in [Solver::Jacobi, Solver::Chebyshev] {
        // Corners have 3 links, the middle 8: averages of whole corrections would not balance.
        let config = Config { gravity: Vec3::ZERO, ..config(solver, 20) };
        let mut world = cloth(config);
        [0, 49].into_iter().for_each(|i| world.particles.unpin(i));
        for i in 0..world.particles.len() {
            let x = world.particles.position(i);
            world.particles.set_position(i, x * Vec3::new(1.5, 1.0, 0.8));
        }
        step(&mut world, FRAME).unwrap();
        let speeds = (0..world.particles.len()).map(|i| world.particles.velocity(i).length());
        let mass: f32 = world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum();
        let all = f64::from(speeds.fold(0.0, f32::max) * mass);
        let net = momentum::linear(&world).length();
        assert!(all > 0.1 && net < 1e-6 * all, "{net} of {all} kg m/s");
    }
}

#[test]
fn what_only_pushes_does_not_pull() {
    for way in ALL {
        let mut world = World::new(Config { gravity: Vec3::ZERO, ..config(way.solver, 30) });
        let mut body = Blueprint::default();
        let ids = [0.0, 1.0, 1.2, 3.0].map(|x| body.particle(Vec3::X * x, 1.0));
        for pair in ids.windows(2) {
            body.join_with_rest(&distance::MIN_KIND, pair, &[0.5], Hold::RIGID).unwrap();
        }
        world.add(&body).unwrap();
        step(&mut world, FRAME).unwrap();
        let x = [0, 1, 2, 3].map(|i| world.particles.position(i).x);
        let right = [0.0, 0.85, 1.35, 3.0];
        let off = x.iter().zip(right).map(|(x, right)| (x - right).abs()).fold(0.0, f32::max);
        assert!(off < 1e-6, "{}: {x:?}, not {right:?}", way.name);
    }
}

#[test]
fn solvers_change_and_bodies_come_and_go_between_steps() {
    let mut world = cloth(config(Solver::Jacobi, 4));
    let mut added = Vec::new();
    for frame in 0..30 {
        world.config.solver = ALL[frame % ALL.len()].solver;
        step(&mut world, FRAME).unwrap();
        if frame % 4 == 1 {
            added.push(world.add(&TetBox::default().blueprint().unwrap()).unwrap());
        } else if frame % 4 == 3 {
            world.remove(added.pop().unwrap()).unwrap();
        }
    }
    assert_eq!(world.quarantine, []);
    assert!(positions(&world).iter().all(|x| x.length() < 10.0));
}
