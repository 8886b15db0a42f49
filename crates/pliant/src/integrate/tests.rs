//! Bodies under forces: what integrators must not do, and how they live among the others.

use super::*;
use crate::constraint::{anchor, distance};
use crate::shapes::{Lattice, Rope};
use crate::testing::Random;
use crate::{Blueprint, BodyId, Collider, Config, Hold, World, step};
use glam::Vec3;

const FRAME: f32 = 1.0 / 60.0;

/// Springs between every two of `count` particles in random places, with random motions.
fn tangle(count: usize, damping: f64) -> (Vec<f64>, Springs<f64>, State<f64>) {
    let mut random = Random::new(7);
    let mut vector = |edge| V3::from(random.vector(edge).as_dvec3());
    let state = State {
        x: (0..count).map(|_| vector(1.0)).collect(),
        v: (0..count).map(|_| vector(0.5)).collect(),
    };
    let mut springs = Springs::default();
    for (i, j) in (0..count as u32).flat_map(|j| (0..j).map(move |i| (i, j))) {
        springs.ends.push([i, j]);
        springs.rest.push(0.2 + 0.1 * f64::from(i + j));
        springs.stiffness.push(100.0 + 10.0 * f64::from(i));
        springs.damping.push(damping);
    }
    ((0..count).map(|i| 1.0 / (1.0 + i as f64)).collect(), springs, state)
}

#[test]
fn springs_make_no_momentum() {
    let (w, springs, start) = tangle(6, 0.5);
    let pull = vec![zero(); 6];
    let system = System { w: &w, pull: &pull, springs: &springs };
    let momentum = |state: &State<f64>| {
        (0..6).fold([zero(); 2], |[linear, angular], i| {
            let p = state.v[i] * (1.0 / w[i]);
            [linear + p, angular + state.x[i].cross(p)]
        })
    };
    for integrator in ALL {
        let mut state = start.clone();
        let mut work = Work::default();
        let [before, turning] = momentum(&start);
        (0..100).for_each(|_| integrator.step(&system, &mut state, 1e-3, &mut work));
        let [after, turned] = momentum(&state);
        assert!((after - before).length() < 1e-12, "{integrator:?}: {before:?} became {after:?}");
        // Angular momentum only as well as the method follows the motion.
        let off = (turned - turning).length() / turning.length();
        let allowed = if integrator.order == 1 { 0.05 } else { 1e-4 };
        assert!(off < allowed, "{integrator:?}: angular momentum off by {off}");
    }
}

#[test]
fn the_implicit_matrix_is_the_derivative_of_stretched_springs() {
    // All springs stretched: nothing is clamped, and K is exact.
    let (w, mut springs, state) = tangle(5, 0.3);
    springs.rest.iter_mut().for_each(|rest| *rest = 1e-3);
    let pull = vec![zero(); 5];
    let system = System { w: &w, pull: &pull, springs: &springs };
    let (h, eps) = (0.1, 1e-6);
    let mut linear = implicit_euler::Linear::default();
    let mut random = Random::new(8);
    let direction: Vec<V3<f64>> = (0..5).map(|_| V3::from(random.vector(1.0).as_dvec3())).collect();
    let mut image = vec![zero(); 5];
    linear.build(&system, &state, h);
    linear.apply_stiffness(&springs, &direction, &mut image);
    let at = |by: f64| {
        let mut moved = State { x: state.x.clone(), v: vec![zero(); 5] };
        add(&mut moved.x, by, &direction);
        let mut a = vec![zero(); 5];
        system.accelerations(&moved, &mut a);
        a
    };
    let (plus, minus) = (at(eps), at(-eps));
    for i in 0..5 {
        let numeric = (plus[i] - minus[i]) * (-h * h / (2.0 * eps * w[i]));
        let error = (numeric - image[i]).length() / image[i].length();
        assert!(error < 1e-6, "particle {i}: {numeric:?}, but the matrix says {:?}", image[i]);
    }
}

#[test]
fn compressed_springs_leave_the_implicit_matrix_positive() {
    let (w, mut springs, state) = tangle(5, 0.0);
    springs.rest.iter_mut().for_each(|rest| *rest *= 10.0);
    let pull = vec![zero(); 5];
    let system = System { w: &w, pull: &pull, springs: &springs };
    let mut linear = implicit_euler::Linear::default();
    linear.build(&system, &state, 1.0);
    let mut random = Random::new(9);
    for _ in 0..200 {
        let p: Vec<V3<f64>> = (0..5).map(|_| V3::from(random.vector(1.0).as_dvec3())).collect();
        let mut image = vec![zero(); 5];
        linear.apply_stiffness(&springs, &p, &mut image);
        let energy: f64 = p.iter().zip(&image).map(|(&p, &q)| p.dot(q)).sum();
        assert!(energy >= -1e-9, "pᵀ K p is {energy}");
    }
}

/// A world with one body of springs.
fn world(body: &Blueprint, stepping: Stepping) -> (World, BodyId) {
    let mut world = World::new(Config { threads: 1, ..Config::default() });
    let id = world.add(&body.clone().stepped(stepping)).unwrap();
    (world, id)
}

fn forces(name: &str) -> Stepping {
    Stepping::find(name).unwrap()
}

#[test]
fn every_stepping_has_its_name() {
    assert_eq!(forces("constraints"), Stepping::Constraints);
    for integrator in ALL {
        assert_eq!(forces(integrator.name), Stepping::Forces(integrator));
    }
    assert_eq!(Stepping::find("euler"), None);
}

#[test]
fn a_hanging_rope_is_as_long_whatever_moves_it() {
    let stretch = Hold::spring(2e3).damped(2.0);
    let rope = Rope { segments: 10, linear_density: 1.0, stretch, ..Rope::default() };
    // Links carry what hangs below them: Σ m g / k, the last particle half a link.
    let law: f32 = (1..=10).map(|below| (below as f32 - 0.5) * 0.1 * 9.81 / 2e3).sum();
    for stepping in std::iter::once("constraints").chain(ALL.iter().map(|i| i.name)) {
        let turn = glam::Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let rope = rope.blueprint().unwrap().placed(turn, Vec3::ZERO).pinned(&[0]);
        let (mut world, id) = world(&rope, forces(stepping));
        (world.config.damping, world.config.substeps) = (2.0, 40);
        (0..600).for_each(|_| step(&mut world, FRAME).unwrap());
        assert_eq!(world.quarantine, [], "{stepping}");
        let lowest = world.positions(id).unwrap().map(|x| x.y).fold(f32::MAX, f32::min);
        let off = (-lowest - 1.0) / law - 1.0;
        assert!(off.abs() < 0.02, "{stepping}: stretched by {} m, not {law}", -lowest - 1.0);
        assert_eq!(world.positions(id).unwrap().next(), Some(Vec3::ZERO), "{stepping}: the pin");
        let links = world.constraints_of(&distance::KIND).unwrap();
        let tension = -links.lambda(0) / (world.substep() * world.substep());
        assert!((tension / 9.32 - 1.0).abs() < 0.05, "{stepping}: {tension} N, not 9.32");
    }
}

#[test]
fn a_body_can_be_switched_while_it_moves_saved_and_restored() {
    let links = Hold::spring(100.0).damped(0.05);
    let block = Lattice { links, ..Lattice::default() }.blueprint().unwrap();
    let (mut world, id) =
        world(&block.placed(glam::Quat::IDENTITY, Vec3::Y * 0.1), Stepping::default());
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    for stepping in ["rk4", "constraints", "implicit_euler", "verlet"] {
        let before = world.hash();
        world.set_stepping(id, forces(stepping)).unwrap();
        assert_ne!(world.hash(), before, "{stepping}: the hash sees the switch");
        (0..20).for_each(|_| step(&mut world, FRAME).unwrap());
        let mut restored = World::restore(&world.save()).unwrap();
        assert_eq!(restored.save(), world.save(), "{stepping}");
        restored.config.threads = 3;
        (0..10).for_each(|_| step(&mut restored, FRAME).unwrap());
        (0..10).for_each(|_| step(&mut world, FRAME).unwrap());
        assert_eq!(restored.hash(), world.hash(), "{stepping}");
        assert_eq!(world.quarantine, [], "{stepping}");
        let low = world.positions(id).unwrap().map(|x| x.y).fold(f32::MAX, f32::min);
        assert!(low > 0.01, "{stepping}: {low} m in a floor that keeps 0.0125 m");
    }
    let stale = BodyId { index: id.index, generation: id.generation + 1 };
    assert!(world.set_stepping(stale, Stepping::default()).is_err());
}

#[test]
fn what_is_no_spring_still_holds_a_body_under_forces() {
    let mut body = Blueprint::default();
    let [a, b, c] = [0.0, 1.0, 2.0].map(|x| body.particle(Vec3::X * x, 1.0));
    body.join(&distance::KIND, &[a, b], Hold::RIGID).unwrap();
    body.join(&distance::KIND, &[b, c], Hold::spring(50.0).damped(2.0)).unwrap();
    let (mut world, _) = world(&body, forces("rk4"));
    // As a hand that drags holds it.
    world.join(&anchor::KIND, &[a], Hold::RIGID).unwrap();
    for solver in [crate::Solver::Colored, crate::Solver::InOrder] {
        world.config.solver = solver;
        (0..600).for_each(|_| step(&mut world, FRAME).unwrap());
        let x = |i| world.particles.position(i);
        assert!(x(0).length() < 1e-3, "the anchored particle is at {}", x(0));
        assert!((x(0).distance(x(1)) - 1.0).abs() < 1e-3, "the rigid link has {}", x(0) - x(1));
        let mean = (x(1).distance(x(2)) - 1.0) * 50.0 / 9.81;
        assert!((0.2..4.0).contains(&mean), "the spring carries {mean} kg of about 1 kg");
    }
}

#[test]
fn a_body_under_forces_sticks_to_a_slope_like_any_other() {
    let normal = Vec3::new(-0.3, 1.0, 0.0);
    for stepping in std::iter::once("constraints").chain(ALL.iter().map(|i| i.name)) {
        let mut body = Blueprint::default();
        body.particle(Vec3::ZERO, 1.0);
        let (mut world, _) = world(&body, forces(stepping));
        let slope = Collider::plane(Vec3::ZERO, normal).unwrap();
        world.colliders.push(Collider { friction: 0.5, ..slope });
        (0..120).for_each(|_| step(&mut world, FRAME).unwrap());
        let slid = world.particles.position(0).length();
        assert!(slid < 1e-3, "{stepping}: slid {slid} m in 2 s");
    }
}

#[test]
fn an_integrator_that_explodes_is_quarantined() {
    let stiff = Lattice { links: Hold::spring(1e7), ..Lattice::default() }.blueprint().unwrap();
    let (mut world, id) = world(&stiff, forces("explicit_euler"));
    world.particles.set_velocity(0, Vec3::X);
    for _ in 0..300 {
        step(&mut world, FRAME).unwrap();
    }
    assert!(world.body(id).unwrap().held, "it should have exploded");
    assert!(world.positions(id).unwrap().all(|x| x.is_finite()));
}
