//! Regions: shape matching, balloons and limits, alone and inside a world.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::glam::{DVec3, Quat, UVec3, Vec3};
use pliant::measure::{energy, momentum, strain, volume};
use pliant::region::matched::{self, Match, Mode, Volume};
use pliant::region::{balloon, cones, strain_limit};
use pliant::shapes::balloon::{Balloon, Inside, sphere};
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Bending, Cloth, Lattice, Rope, TetBox};
use pliant::{
    Blueprint, BodyId, Collider, Config, Hold, Method, Precision, World, WorldError, step,
};

const FRAME: f32 = 1.0 / 60.0;

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        step(world, FRAME).unwrap();
    }
}

/// Numbers that look random, from −1 to 1.
fn noise(seed: &mut u32) -> f32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*seed >> 8) as f32 / (1 << 23) as f32 - 1.0
}

fn cube(regions: Regions, shape: Match) -> Blueprint {
    let particles = Lattice { counts: UVec3::splat(4), ..Lattice::default() }.blueprint().unwrap();
    Matched { particles, regions, shape }.blueprint().unwrap()
}

/// A world without gravity, and one body in it.
fn floating(body: &Blueprint) -> (World, BodyId) {
    let mut world = World::new(Config { gravity: Vec3::ZERO, threads: 1, ..Config::default() });
    let id = world.add(body).unwrap();
    (world, id)
}

/// The root mean square distance of the body from its rest pose, turned and moved as fits best, over
/// the size of the rest pose.
fn misfit(world: &World, rest: &[Vec3]) -> f32 {
    // The best rigid fit, found by the shape matching of another world: one rigid step without
    // motion moves every particle to its goal.
    let mut body = Blueprint { positions: rest.to_vec(), ..Blueprint::default() };
    body.masses = vec![1.0; rest.len()];
    let all: Vec<u32> = (0..rest.len() as u32).collect();
    body.gather(&Match::RIGID.region(&all)).unwrap();
    let (mut fitted, _) = floating(&body);
    fitted.config.substeps = 1;
    for i in 0..rest.len() {
        fitted.particles.set_position(i, world.particles.position(i));
    }
    step(&mut fitted, FRAME).unwrap();
    let off = |i: usize| world.particles.position(i).distance_squared(fitted.particles.position(i));
    let middle = rest.iter().sum::<Vec3>() / rest.len() as f32;
    let size: f32 = rest.iter().map(|x| x.distance_squared(middle)).sum();
    ((0..rest.len()).map(off).sum::<f32>() / size).sqrt()
}

/// Kinds of shape matching that must all recover.
fn shapes() -> Vec<(&'static str, Regions, Match)> {
    let soft = Match { hold: Hold { compliance: 1e-4, ..Hold::RIGID }, ..Match::default() };
    let quadratic = Match { mode: Mode::Quadratic, ..soft };
    vec![
        ("rigid", Regions::Whole, Match::RIGID),
        ("linear", Regions::Whole, soft),
        ("linear, free volume", Regions::Whole, Match { volume: Volume::Free, ..soft }),
        ("quadratic", Regions::Whole, quadratic),
        ("by regions", Regions::Around(0.045), Match::RIGID),
        ("by linear regions", Regions::Around(0.045), Match { beta: 0.3, ..soft }),
    ]
}

type Spoil = fn(Vec3) -> Vec3;

#[test]
fn flattened_collapsed_and_inverted_bodies_return_to_their_shape() {
    let spoil: [(&str, Spoil); 5] = [
        ("in a plane", |x| Vec3::new(x.x, 0.0, x.z)),
        ("on a line", |x| Vec3::new(x.x, 0.0, 0.0)),
        ("in a point", |_| Vec3::ZERO),
        ("inside out", |x| -x),
        ("mirrored", |x| Vec3::new(x.x, -x.y, x.z)),
    ];
    for (name, regions, shape) in shapes() {
        for (what, spoil) in spoil {
            let body = cube(regions, shape);
            let (mut world, _) = floating(&body);
            world.config.damping = 2.0;
            for i in 0..world.particles.len() {
                let x = world.particles.position(i);
                world.particles.set_position(i, spoil(x));
            }
            run(&mut world, 300);
            let off = misfit(&world, &body.positions);
            assert!(off < 1e-3, "{name}, {what}: {off} of its size off");
            assert_eq!(world.quarantine, []);
        }
    }
}

#[test]
fn a_rigid_motion_is_a_fixed_point() {
    let mut seed = 1;
    for (name, regions, shape) in shapes() {
        for k in 0..20 {
            let axis = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed));
            let angle = if k % 2 == 0 { std::f32::consts::PI } else { 3.0 * noise(&mut seed) };
            let turn = Quat::from_axis_angle(axis.normalize_or(Vec3::X), angle);
            let body = cube(regions, shape).placed(turn, Vec3::splat(0.3));
            let (mut world, _) = floating(&body);
            step(&mut world, FRAME).unwrap();
            let moved = |i: usize| world.particles.position(i).distance(body.positions[i]);
            let most = (0..body.positions.len()).map(moved).fold(0.0, f32::max);
            assert!(most < 1e-6, "{name}: moved {most} m after a turn by {angle}");
        }
    }
}

#[test]
fn regions_make_no_momentum_however_they_overlap() {
    for (name, regions, shape) in shapes() {
        for iterations in [1, 3] {
            let mut body = cube(regions, shape);
            let mut seed = 7;
            body.masses.iter_mut().for_each(|m| *m *= 1.5 + noise(&mut seed));
            let (mut world, _) = floating(&body);
            (world.config.iterations, world.config.substeps) = (iterations, 1);
            for i in 0..world.particles.len() {
                let off = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * 0.02;
                world.particles.set_position(i, world.particles.position(i) + off);
            }
            step(&mut world, FRAME).unwrap();
            let total: f64 = (0..world.particles.len())
                .map(|i| f64::from(world.particles.velocity(i).length() * body.masses[i]))
                .sum();
            let about: f64 = total * 0.04;
            let (linear, angular) = (momentum::linear(&world), momentum::angular(&world));
            assert!(linear.length() < 1e-5 * total, "{name}: {linear} of {total} kg m/s");
            // Of several iterations each keeps it about its own positions, not about the first.
            assert!(
                iterations > 1 || angular.length() < 1e-5 * about,
                "{name}: {angular} of {about} kg m²/s"
            );
        }
    }
}

#[test]
fn flat_straight_and_single_rest_shapes_are_held_without_nan() {
    let rest: [(&str, Vec<Vec3>); 4] = [
        ("flat", (0..9).map(|i| Vec3::new((i % 3) as f32, (i / 3) as f32, 0.0) * 0.1).collect()),
        ("straight", (0..4).map(|i| Vec3::X * 0.1 * i as f32).collect()),
        ("coincident", vec![Vec3::ONE; 4]),
        ("single", vec![Vec3::ONE]),
    ];
    for (what, rest) in rest {
        for (name, _, shape) in shapes() {
            let mut body = Blueprint::default();
            let turn = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(1.0);
            let all: Vec<u32> = rest.iter().map(|&x| body.particle(turn * x, 1.0)).collect();
            body.gather(&shape.region(&all)).unwrap();
            let (mut world, _) = floating(&body);
            world.config.damping = 5.0;
            let mut seed = 3;
            for i in 0..rest.len() {
                let off = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * 0.02;
                world.particles.set_position(i, body.positions[i] + off);
            }
            run(&mut world, 300);
            assert_eq!(world.quarantine, [], "{name}, {what}");
            let off = if what == "single" || what == "coincident" {
                let x = world.particles.position(0);
                (0..rest.len()).map(|i| world.particles.position(i).distance(x)).fold(0.0, f32::max)
            } else {
                misfit(&world, &body.positions)
            };
            assert!(off < 2e-3, "{name}, {what}: {off}");
        }
    }
}

/// Two particles that vibrate along x, 1 m apart at rest, stretched by 0.2 m; the stretch after
/// each of `steps` steps (m).
fn vibration(world: &mut World, shape: Match, steps: u32) -> Vec<f64> {
    let mut body = Blueprint::default();
    body.particle(Vec3::X * -0.5, 1.0);
    body.particle(Vec3::X * 0.5, 1.0);
    body.gather(&shape.region(&[0, 1])).unwrap();
    world.config.gravity = Vec3::ZERO;
    world.add(&body).unwrap();
    world.particles.set_position(0, Vec3::X * -0.6);
    world.particles.set_position(1, Vec3::X * 0.6);
    (0..steps)
        .map(|_| {
            step(world, FRAME).unwrap();
            f64::from(world.particles.position(1).x - world.particles.position(0).x) - 1.0
        })
        .collect()
}

#[test]
fn compliance_is_a_frequency_whatever_the_substeps_and_iterations() {
    // 2 Hz. Backward Euler slows it down: ω h is 0.0105 with 20 substeps.
    let omega = 2.0 * std::f64::consts::TAU;
    let compliance = (1.0 / (omega * omega)) as f32;
    for mode in [Mode::Rigid, Mode::Linear, Mode::Quadratic] {
        for (substeps, iterations) in [(20, 1), (20, 4), (80, 1)] {
            let mut world = World::new(Config { substeps, iterations, ..Config::default() });
            let hold = Hold { compliance, ..Hold::RIGID };
            let shape = Match { mode, beta: 0.0, hold, ..Match::default() };
            let stretch = vibration(&mut world, shape, 60);
            // The second time that it comes through zero is 3/4 of a period: 0.375 s.
            let zeros: Vec<f64> = (1..60)
                .filter(|&k| (stretch[k - 1] > 0.0) != (stretch[k] > 0.0))
                .map(|k| k as f64 + stretch[k - 1] / (stretch[k - 1] - stretch[k]))
                .collect();
            let period = (zeros[2] - zeros[0]) / 60.0;
            assert!(
                (period * 2.0 - 1.0).abs() < 2e-3,
                "{mode:?}, {substeps} substeps, {iterations} iterations: period {period} s, not 0.5"
            );
        }
    }
}

#[test]
fn under_pbd_a_step_leaves_one_minus_alpha_whatever_the_rounds() {
    // A frame of iterations alone: velocities do not come between.
    for iterations in [1, 2, 7, 50] {
        let config = Config { method: Method::Pbd, substeps: 1, iterations, ..Config::default() };
        let hold = Hold { stiffness: 0.3, ..Hold::RIGID };
        let stretch = vibration(&mut World::new(config), Match { hold, ..Match::RIGID }, 1)[0];
        assert!((stretch / 0.2 - 0.7).abs() < 1e-5, "{iterations} iterations leave {stretch} m");
    }
}

#[test]
fn a_pinned_shape_hangs_by_its_pins_and_swings() {
    let mut body = cube(Regions::Whole, Match::RIGID);
    body.pins = vec![0];
    let mut world = World::default();
    world.add(&body).unwrap();
    let pin = world.particles.position(0);
    let reach = body.positions.iter().map(|x| x.distance(body.positions[0])).fold(0.0, f32::max);
    run(&mut world, 120);
    assert_eq!(world.particles.position(0), pin);
    let off = misfit(&world, &body.positions);
    assert!(off < 1e-3, "the shape is {off} of its size off");
    let farthest = (0..world.particles.len())
        .map(|i| world.particles.position(i).distance(pin))
        .fold(0.0, f32::max);
    assert!((farthest / reach - 1.0).abs() < 1e-3, "{farthest} m from the pin, not {reach} m");
    let fast = (0..world.particles.len()).map(|i| world.particles.velocity(i).length());
    assert!(fast.fold(0.0, f32::max) > 0.1, "it does not swing");
}

#[test]
fn carried_precision_and_threads_give_the_same_shape() {
    let build = |threads, precision| {
        let shape = Match { mode: Mode::Quadratic, ..Match::default() };
        let particles =
            TetBox { counts: UVec3::splat(8), ..TetBox::default() }.blueprint().unwrap();
        let regions = Regions::Around(0.03);
        let body = Matched { particles, regions, shape }.blueprint().unwrap();
        let mut world = World::new(Config { threads, precision, ..Config::default() });
        world.add(&body.placed(Quat::from_rotation_z(0.4), Vec3::Y * 0.1)).unwrap();
        world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
        world
    };
    for precision in [Precision::Plain, Precision::Carried] {
        let (mut one, mut three) = (build(1, precision), build(3, precision));
        run(&mut one, 30);
        run(&mut three, 30);
        assert_eq!(one.hash(), three.hash(), "{precision:?}");
        let mut restored = World::restore(&one.save()).unwrap();
        assert_eq!(restored.save(), one.save());
        run(&mut one, 10);
        run(&mut restored, 10);
        assert_eq!(one.hash(), restored.hash(), "{precision:?}: after a save");
    }
    let (mut plain, mut carried) = (build(1, Precision::Plain), build(1, Precision::Carried));
    run(&mut plain, 30);
    run(&mut carried, 30);
    let mean = |world: &World| {
        let sum: DVec3 = world.particles.xw.iter().map(|row| row.truncate().as_dvec3()).sum();
        sum / world.particles.len() as f64
    };
    let apart = mean(&plain).distance(mean(&carried));
    assert!(apart < 1e-4, "plain and carried precision are {apart} m apart");
}

#[test]
fn regions_survive_the_removal_of_other_bodies_and_go_with_their_own() {
    let mut world = World::default();
    let first = world.add(&cube(Regions::Whole, Match::RIGID)).unwrap();
    let second = world.add(&cube(Regions::Around(0.045), Match::default())).unwrap();
    run(&mut world, 2);
    let shapes = |world: &World| world.regions_of(&matched::KIND).unwrap().len();
    assert_eq!(shapes(&world), 65);
    let rotation = world.regions_of(&matched::KIND).unwrap().state(7);
    world.remove(first).unwrap();
    assert_eq!(shapes(&world), 64);
    let set = world.regions_of(&matched::KIND).unwrap();
    assert_eq!(set.state(6), rotation, "a region forgot what it knew");
    assert!(set.members(0).contains(&0));
    run(&mut world, 2);
    world.remove(second).unwrap();
    assert_eq!(shapes(&world), 0);
    run(&mut world, 1);
}

#[test]
fn bodies_of_one_region_sleep_together() {
    let mut world = World::new(Config { sleep_speed: 0.05, ..Config::default() });
    let mut still = Blueprint::default();
    still.pins = vec![still.particle(Vec3::ZERO, 1.0)];
    let still = world.add(&still).unwrap();
    let mut swinging = Blueprint::default();
    swinging.particle(Vec3::X, 1.0);
    let swinging = world.add(&swinging).unwrap();
    world.gather(&Match::RIGID.region(&[0, 1])).unwrap();
    run(&mut world, 120);
    assert!(!world.body(still).unwrap().asleep && !world.body(swinging).unwrap().asleep);
}

#[test]
fn a_region_that_cannot_be_is_refused() {
    let mut body = cube(Regions::Whole, Match::RIGID);
    let mut refused =
        |shape: Match, members: &[u32]| body.gather(&shape.region(members)).unwrap_err();
    let error = refused(Match::RIGID, &[0, 64]);
    assert!(matches!(error, WorldError::MissingParticle { index: 64, .. }), "{error}");
    let error = refused(Match::RIGID, &[0, 1, 0]);
    assert!(matches!(error, WorldError::RepeatedParticle { particle: 0, .. }), "{error}");
    assert!(matches!(refused(Match::RIGID, &[]), WorldError::WrongCount { .. }));
    for beta in [-0.1, 1.1, f32::NAN] {
        let error = refused(Match { beta, ..Match::RIGID }, &[0, 1]);
        assert!(matches!(error, WorldError::BadNumber { what: "beta", .. }), "{error}");
    }
    let damped = Match { hold: Hold::spring(1.0).damped(1.0), ..Match::RIGID };
    assert!(refused(damped, &[0, 1]).to_string().contains("dashpot"));
    let mut region = Match::RIGID.region(&[0, 1]);
    region.params[0] = 0.5;
    let error = body.gather(&region).unwrap_err();
    assert!(matches!(error, WorldError::BadNumber { what: "mode", .. }), "{error}");
    let particles = Blueprint::default();
    let nobody = Matched { particles, regions: Regions::Whole, shape: Match::RIGID };
    assert!(nobody.blueprint().is_err());
    let far = Regions::Around(f32::NAN);
    assert!(Matched { regions: far, ..nobody }.blueprint().is_err());
    let mut world = World::default();
    world.add(&body).unwrap();
    let set = world.regions_of_mut(&matched::KIND).unwrap();
    let error = set.set_param(0, "gamma", 1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shape has no number \"gamma\"; it has mode, beta, keep_volume, explicit"
    );
    assert!(set.set_param(0, "beta", 2.0).is_err());
    set.set_param(0, "beta", 0.25).unwrap();
    assert_eq!(set.params(0).nth(1), Some(0.25));
}

#[test]
fn a_body_that_is_not_finite_leaves_the_regions_of_others_alone() {
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    let victim = world.add(&cube(Regions::Around(0.045), Match::RIGID)).unwrap();
    let other = cube(Regions::Whole, Match::RIGID).placed(Quat::IDENTITY, Vec3::X);
    let other = world.add(&other).unwrap();
    run(&mut world, 2);
    world.particles.v[3].x = f32::NAN;
    run(&mut world, 2);
    assert!(world.body(victim).unwrap().held && !world.body(other).unwrap().held);
    world.release(victim).unwrap();
    run(&mut world, 10);
    assert_eq!(world.quarantine, []);
    let off = misfit(&world, &cube(Regions::Whole, Match::RIGID).positions);
    assert!(off < 1e-3 && off.is_finite(), "after its release it is {off} off");
}

/// Particles of a lattice inside a torus about y, of radii 0.2 m and 0.07 m.
fn torus(spacing: f32) -> Blueprint {
    let mut body = Blueprint::default();
    let (wide, high) = ((0.28 / spacing) as i32, (0.08 / spacing) as i32);
    for z in -wide..=wide {
        for y in -high..=high {
            for x in -wide..=wide {
                let at = Vec3::new(x as f32, y as f32, z as f32) * spacing;
                let from_circle = at.x.hypot(at.z) - 0.2;
                if from_circle.hypot(at.y) <= 0.07 {
                    body.particle(at, 1e-3);
                }
            }
        }
    }
    body
}

#[test]
fn a_scrambled_torus_returns() {
    let shape = Match { mode: Mode::Linear, beta: 0.2, hold: Hold::RIGID, ..Match::default() };
    let regions = Regions::Around(0.15);
    let body = Matched { particles: torus(0.04), regions, shape }.blueprint().unwrap();
    let (mut world, _) = floating(&body);
    (world.config.damping, world.config.substeps) = (1.0, 5);
    let mut seed = 5;
    for i in 0..world.particles.len() {
        let anywhere = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * 0.3;
        world.particles.set_position(i, anywhere);
    }
    assert!(misfit(&world, &body.positions) > 0.5, "it was not scrambled");
    run(&mut world, 300);
    let off = misfit(&world, &body.positions);
    assert!(off < 1e-2, "the torus is {off} of its size off");
}

#[test]
fn a_balloon_and_a_solid_surface_make_no_momentum() {
    for inside in
        [Inside::Air { pressure: 1.3, rate: 0.0, hold: Hold::RIGID }, Inside::Solid(Hold::RIGID)]
    {
        let surface = sphere(0.1, 1);
        let mut body = Balloon { surface, inside, ..Balloon::default() }.blueprint().unwrap();
        body.sets.clear();
        let mut seed = 11;
        body.masses.iter_mut().for_each(|m| *m *= 1.5 + noise(&mut seed));
        let (mut world, _) = floating(&body);
        world.config.substeps = 1;
        for i in 0..world.particles.len() {
            let off = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * 0.02;
            world.particles.set_position(i, world.particles.position(i) + off);
        }
        step(&mut world, FRAME).unwrap();
        let total: f64 = (0..world.particles.len())
            .map(|i| f64::from(world.particles.velocity(i).length() * body.masses[i]))
            .sum();
        let (linear, angular) = (momentum::linear(&world), momentum::angular(&world));
        assert!(linear.length() < 1e-5 * total, "{inside:?}: {linear} of {total} kg m/s");
        assert!(angular.length() < 1e-6 * total, "{inside:?}: {angular} of {total} kg m²/s");
    }
}

#[test]
fn a_surface_with_cones_is_a_solid_and_without_them_it_is_not() {
    let landed = |inside, substeps| {
        let stretch = Hold::spring(2e3);
        let surface = sphere(0.1, 2);
        let ball = Balloon { surface, stretch, inside, ..Balloon::default() };
        let rest = ball.surface.volume();
        let body = ball.blueprint().unwrap().placed(Quat::IDENTITY, Vec3::Y * 0.2);
        let mut world = World::new(Config { damping: 1.0, substeps, ..Config::default() });
        world.add(&body).unwrap();
        world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
        run(&mut world, 120);
        volume::enclosed(&world, world.triangles()) / rest
    };
    // One round of Jacobi in a substep leaves what it leaves of any constraint, a share that falls
    // with h².
    let lost = [10, 20, 40].map(|n| 1.0 - landed(Inside::Solid(Hold::RIGID), n));
    assert!(lost[2].abs() < 5e-3, "a solid ball loses {lost:?} of its volume");
    let falls = lost[0] / lost[2];
    assert!((8.0..32.0).contains(&falls), "four times the substeps: {falls} times less, not 16");
    let air = landed(Inside::Air { pressure: 1.0, rate: 0.0, hold: Hold::RIGID }, 20);
    assert!((air - 1.0).abs() < 1e-3, "a balloon has {air} of its volume");
    let empty = landed(Inside::Nothing, 20);
    assert!(1.0 - empty > 5.0 * lost[1], "an empty ball has {empty} of its volume, {lost:?}");
}

#[test]
fn every_cone_keeps_its_own_volume() {
    let inside = Inside::Solid(Hold::RIGID);
    let mut ball = Balloon { inside, ..Balloon::default() }.blueprint().unwrap();
    ball.sets.clear();
    let (mut world, _) = floating(&ball);
    world.config.damping = 5.0;
    let mut seed = 2;
    for i in 0..world.particles.len() {
        let x = world.particles.position(i);
        world.particles.set_position(i, x * (1.0 + 0.2 * noise(&mut seed)));
    }
    let worst = |world: &World| {
        let x = |i: u32| world.particles.position(i as usize);
        let mass: f32 = ball.masses.iter().sum();
        let centre: Vec3 =
            (0..ball.positions.len() as u32).map(|i| x(i) * (ball.masses[i as usize] / mass)).sum();
        let cone = |x: [Vec3; 3]| x[0].cross(x[1]).dot(x[2]);
        let share = |t: &[u32; 3]| {
            cone(t.map(|i| x(i) - centre)) / cone(t.map(|i| ball.positions[i as usize])) - 1.0
        };
        ball.triangles.iter().map(|t| share(t).abs()).fold(0.0, f32::max)
    };
    let before = worst(&world);
    run(&mut world, 120);
    let after = worst(&world);
    assert!(before > 0.2 && after < 1e-2, "the worst cone was off by {before}, is by {after}");
}

#[test]
fn a_flat_balloon_inflates_and_one_in_a_point_does_nothing() {
    let inside =
        Inside::Air { pressure: 1.0, rate: 0.0, hold: Hold { compliance: 1e-9, ..Hold::RIGID } };
    let ball = Balloon { inside, ..Balloon::default() };
    let body = ball.blueprint().unwrap();
    let mut world = World::new(Config { gravity: Vec3::ZERO, damping: 5.0, ..Config::default() });
    world.add(&body).unwrap();
    for i in 0..world.particles.len() {
        let x = world.particles.position(i);
        world.particles.set_position(i, Vec3::new(x.x, 1e-3 * x.y, x.z));
    }
    run(&mut world, 240);
    let ratio = volume::enclosed(&world, world.triangles()) / ball.surface.volume();
    assert!((ratio - 1.0).abs() < 0.01, "the flattened balloon has {ratio} of its volume");
    for i in 0..world.particles.len() {
        world.particles.set_position(i, Vec3::ZERO);
        world.particles.set_velocity(i, Vec3::ZERO);
    }
    run(&mut world, 2);
    assert_eq!(world.quarantine, []);
}

/// The cloth of the strain limit: 60 × 60, heavy, held by two corners, ten times its mass hung from
/// the middle of the far side; one substep and one iteration for a frame.
fn heavy_cloth(limit: Option<f32>) -> (World, u32) {
    let cloth = Cloth {
        columns: 60,
        rows: 60,
        spacing: [1.0 / 59.0; 2],
        areal_density: 1.0,
        bending: Bending::Free,
        ..Cloth::default()
    };
    let mut body = cloth.blueprint().unwrap().pinned(&cloth.corners()[..2]);
    let hung = 59 * 60 + 30;
    body.masses[hung] += 10.0 * body.masses.iter().sum::<f32>();
    if let Some(limit) = limit {
        body = strain_limit::limited(body, limit).unwrap();
    }
    let config = Config { substeps: 1, iterations: 1, threads: 1, ..Config::default() };
    let mut world = World::new(config);
    world.add(&body).unwrap();
    (world, hung as u32)
}

#[test]
fn no_link_exceeds_the_limit_whatever_the_budget_and_the_cloth_still_swings() {
    let limit = 0.1;
    let (mut free, _) = heavy_cloth(None);
    run(&mut free, 60);
    let without = strain::largest(&free);
    assert!(without > 10.0 * f64::from(limit), "without a limit the strain is only {without}");
    let (mut world, hung) = heavy_cloth(Some(limit));
    let (mut lowest, mut farthest, mut reversals, mut before) = (0.0f32, f32::MAX, 0, 0.0);
    for frame in 0..150 {
        step(&mut world, FRAME).unwrap();
        let strain = strain::largest(&world);
        assert!(strain <= f64::from(limit) + 1.1e-3, "frame {frame}: strain {strain}");
        let (x, v) =
            (world.particles.position(hung as usize), world.particles.velocity(hung as usize));
        let energy = energy::kinetic(&world) + energy::gravitational(&world);
        assert!(energy < 1.0, "frame {frame}: it began with 0 J and has {energy} J");
        lowest = lowest.min(x.y);
        farthest = farthest.min(x.z);
        reversals += u32::from(v.z * before < 0.0 && v.z.abs() > 0.05);
        before = if v.z.abs() > 0.05 { v.z } else { before };
    }
    assert!(lowest < -0.9, "the weight only came down to {lowest} m");
    assert!(farthest < -0.6, "the weight swung only to z = {farthest} m; it hangs under −0.5");
    assert!(reversals >= 1, "it does not swing back");
}

#[test]
fn a_limit_holds_without_pins_and_conserves_momentum() {
    let rope = Rope { segments: 30, stretch: Hold::spring(1.0), ..Rope::default() };
    let body = strain_limit::limited(rope.blueprint().unwrap(), 0.05).unwrap();
    let (mut world, _) = floating(&body);
    let mut seed = 9;
    for i in 0..world.particles.len() {
        let v = Vec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * 20.0;
        world.particles.set_velocity(i, v);
    }
    let before = momentum::linear(&world);
    for frame in 0..60 {
        step(&mut world, FRAME).unwrap();
        let strain = strain::largest(&world);
        assert!(strain <= 0.05 + 1.05e-3, "frame {frame}: strain {strain}");
    }
    let after = momentum::linear(&world);
    assert!(before.distance(after) < 1e-3 * before.length(), "{before} became {after}");
}

#[test]
fn pins_that_are_dragged_too_far_apart_spread_the_excess() {
    let rope = Rope { segments: 30, ..Rope::default() };
    let body = strain_limit::limited(rope.blueprint().unwrap().pinned(&[0, 30]), 0.05).unwrap();
    let mut world = World::default();
    world.add(&body).unwrap();
    world.particles.set_velocity(30, Vec3::X);
    run(&mut world, 60);
    assert_eq!(world.quarantine, []);
    let strain = strain::largest(&world);
    assert!((0.9..1.5).contains(&strain), "2 m of a rope of 1 m: largest strain {strain}");
    world.particles.set_velocity(30, Vec3::NEG_X);
    run(&mut world, 66);
    world.particles.set_velocity(30, Vec3::ZERO);
    run(&mut world, 30);
    let strain = strain::largest(&world);
    assert!(strain <= 0.05 + 1.05e-3, "back together the strain is {strain}");
}

#[test]
fn regions_of_every_kind_survive_a_save_and_forgery_is_refused() {
    let mut world = World::default();
    let ball = Balloon { surface: sphere(0.1, 0), ..Balloon::default() };
    world.add(&ball.blueprint().unwrap()).unwrap();
    let solid = Balloon { inside: Inside::Solid(Hold::RIGID), ..ball };
    world.add(&solid.blueprint().unwrap()).unwrap();
    let particles = Lattice { counts: UVec3::splat(2), ..Lattice::default() }.blueprint().unwrap();
    let shape = Match { mode: Mode::Quadratic, ..Match::default() };
    let regions = Regions::Around(0.03);
    world.add(&Matched { particles, regions, shape }.blueprint().unwrap()).unwrap();
    let rope = Rope { segments: 6, ..Rope::default() }.blueprint().unwrap().pinned(&[0]);
    world.add(&strain_limit::limited(rope, 0.1).unwrap()).unwrap();
    for kind in pliant::region::ALL {
        assert!(!world.regions_of(kind).unwrap().is_empty(), "no {}", kind.name);
    }
    run(&mut world, 3);
    let good = world.save();
    let mut restored = World::restore(&good).unwrap();
    assert_eq!(restored.save(), good);
    run(&mut world, 5);
    run(&mut restored, 5);
    assert_eq!(world.hash(), restored.hash());
    let (mut state, mut survivors) = (1u32, 0);
    for _ in 0..2_000 {
        let mut bytes = good.clone();
        for _ in 0..2 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = 12 + state as usize % (bytes.len() - 20);
            bytes[at] ^= (state >> 24) as u8;
        }
        let (body, sum) = bytes.split_last_chunk_mut::<8>().unwrap();
        let hash = body.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        *sum = hash.to_le_bytes();
        if let Ok(mut world) = World::restore(&bytes) {
            survivors += 1;
            let _ = step(&mut world, FRAME);
        }
    }
    assert!(survivors > 100, "only {survivors} forgeries reached the step");
}

#[test]
fn parts_of_a_region_must_be_its_own() {
    let mut body = cube(Regions::Whole, Match::RIGID);
    let mut region = strain_limit::region(&[([0, 1], 0.1), ([1, 2], 0.1)]);
    region.members.pop();
    let error = body.gather(&region).unwrap_err();
    assert_eq!(error, WorldError::NoMember { kind: "strain_limit", particle: 2 });
    let error = body.gather(&strain_limit::region(&[([0, 1], -0.1)])).unwrap_err();
    assert!(matches!(error, WorldError::BadNumber { what: "greatest length", .. }), "{error}");
    assert!(strain_limit::limited(body.clone(), f32::NAN).is_err());
    let open = balloon::region(&[[0, 1, 2]], [1.0, 0.0], Hold::RIGID);
    assert!(matches!(body.gather(&open).unwrap_err(), WorldError::OpenSurface { .. }));
    assert!(body.gather(&cones::region(&[[0, 1, 2]], Hold::RIGID)).is_err());
}
