//! Bad numbers at the border: typed errors or defined behaviour, never a panic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::constraint::{ALL, Constraint, Kind, anchor, bend, distance, volume};
use pliant::glam::{Quat, Vec3, Vec4};
use pliant::lanes::{Real, V3};
use pliant::shapes::{Cloth, TetBox};
use pliant::{
    Blueprint, Collider, Config, Force, Hold, SnapshotError, StepError, World, WorldError, step,
};

const FRAME: f32 = 1.0 / 60.0;
const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn pair() -> Blueprint {
    let mut body = Blueprint::default();
    body.particle(Vec3::ZERO, 1.0);
    body.particle(Vec3::X, 1.0);
    body
}

fn small_cloth() -> Blueprint {
    Cloth { columns: 5, rows: 5, ..Cloth::default() }.blueprint().unwrap()
}

fn is_finite(world: &World) -> bool {
    world.particles.xw.iter().chain(&world.particles.v).all(|row| row.is_finite())
}

#[test]
fn an_empty_world_steps() {
    let mut world = World::default();
    step(&mut world, FRAME).unwrap();
    world.add(&Blueprint::default()).unwrap();
    step(&mut world, FRAME).unwrap();
    assert!((world.time - f64::from(2.0 * FRAME)).abs() < 1e-9);
}

#[test]
fn one_particle_without_constraints_falls() {
    let mut world = World::default();
    let mut body = Blueprint::default();
    body.particle(Vec3::ZERO, 2.0);
    world.add(&body).unwrap();
    step(&mut world, FRAME).unwrap();
    assert!(world.particles.position(0).y < 0.0);
}

#[test]
fn coincident_particles_and_zero_rest_lengths_stay_finite() {
    for kind in ALL {
        let mut body = Blueprint::default();
        let particles: Vec<u32> =
            (0..kind.particles).map(|_| body.particle(Vec3::ONE, 1.0)).collect();
        body.join(kind, &particles, Hold::RIGID).unwrap();
        let mut world = World::default();
        world.add(&body).unwrap();
        for _ in 0..10 {
            step(&mut world, FRAME).unwrap();
        }
        assert!(is_finite(&world), "{}", kind.name);
        assert_eq!(world.quarantine, [], "{}", kind.name);
    }
}

#[test]
fn a_rest_length_of_zero_pulls_two_particles_together() {
    let mut body = pair();
    body.join_with_rest(&distance::KIND, &[0, 1], &[0.0], Hold::RIGID).unwrap();
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    world.add(&body).unwrap();
    step(&mut world, FRAME).unwrap();
    assert!(world.particles.position(0).distance(world.particles.position(1)) < 1e-6);
}

#[test]
fn masses_must_be_positive_and_finite() {
    for mass in [0.0, -1.0, 1e-45].into_iter().chain(BAD) {
        let mut body = pair();
        body.masses[1] = mass;
        let error = World::default().add(&body).unwrap_err();
        assert!(matches!(error, WorldError::BadNumber { what: "mass", .. }), "{mass}: {error}");
        assert!(error.to_string().contains("pin"), "{error}");
    }
    let mut body = pair();
    body.masses.pop();
    let error = World::default().add(&body).unwrap_err();
    assert!(matches!(error, WorldError::WrongCount { expected: 2, found: 1, .. }), "{error}");
}

#[test]
fn positions_and_radii_must_be_finite() {
    for bad in BAD {
        let mut body = pair();
        body.positions[0].z = bad;
        assert!(World::default().add(&body).is_err());
        let mut body = pair();
        body.radius = bad;
        assert!(World::default().add(&body).is_err());
    }
}

#[test]
fn indices_must_exist_and_differ() {
    let mut body = pair();
    for index in [2, 1 << 31, u32::MAX] {
        let error = body.join(&distance::KIND, &[0, index], Hold::RIGID).unwrap_err();
        assert_eq!(
            error,
            WorldError::MissingParticle { user: "distance", index, count: 2 },
            "{error}"
        );
        assert!(error.to_string().contains("counted from 1"), "{error}");
    }
    let error = body.join(&distance::KIND, &[1, 1], Hold::RIGID).unwrap_err();
    assert_eq!(error, WorldError::RepeatedParticle { kind: "distance", particle: 1 });
    assert!(body.join(&volume::KIND, &[0, 1], Hold::RIGID).is_err());
    body.triangles.push([0, 1, 2]);
    let mut world = World::default();
    assert!(world.add(&body).is_err());
    assert!(world.particles.is_empty() && world.bodies().next().is_none(), "half a body was added");
    let mut body = pair();
    body.pins.push(7);
    assert!(world.add(&body).is_err());
    assert!(world.join(&distance::KIND, &[0, 1], Hold::RIGID).is_err());
}

/// Another kind that calls itself a distance.
struct Impostor;

impl Constraint<1, 1> for Impostor {
    const NAME: &'static str = "distance";
    const SHOWS: &'static str = "is not a distance";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = None;

    fn eval<R: Real>([x]: [V3<R>; 1], [rest]: [R; 1]) -> (R, [V3<R>; 1]) {
        (x.x - rest, [V3 { x: rest.lit(1.0), y: rest.lit(0.0), z: rest.lit(0.0) }])
    }

    fn rest([x]: [V3<f64>; 1]) -> [f64; 1] {
        [x.x]
    }
}

#[test]
fn a_kind_that_takes_the_name_of_another_is_refused() {
    static IMPOSTOR: Kind = Kind::of::<Impostor, 1, 1>();
    let mut body = pair();
    body.join(&IMPOSTOR, &[0], Hold::RIGID).unwrap();
    let taken = WorldError::NameTaken { name: "distance" };
    assert_eq!(body.join(&distance::KIND, &[0, 1], Hold::RIGID).unwrap_err(), taken);
    let mut world = World::default();
    assert_eq!(world.add(&body).unwrap_err(), taken);
    assert!(world.particles.is_empty(), "half a body was added");
    world.add(&pair()).unwrap();
    assert_eq!(world.join(&IMPOSTOR, &[0], Hold::RIGID).unwrap_err(), taken);
}

#[test]
fn numbers_of_a_hold_must_be_in_range() {
    let mut body = pair();
    for bad in BAD.into_iter().chain([-1.0]) {
        for hold in [
            Hold { compliance: bad, ..Hold::RIGID },
            Hold { damping: bad, ..Hold::RIGID },
            Hold { stiffness: bad, ..Hold::RIGID },
        ] {
            assert!(body.join(&distance::KIND, &[0, 1], hold).is_err(), "{hold:?}");
        }
        assert!(
            bad == -1.0
                || body.join_with_rest(&distance::KIND, &[0, 1], &[bad], Hold::RIGID).is_err()
        );
    }
    // Stiffness 0 N/m is no spring at all: its compliance is infinite.
    assert!(body.join(&distance::KIND, &[0, 1], Hold::spring(0.0)).is_err());
    assert!(body.sets.iter().all(|set| set.is_empty()));
}

#[test]
fn duplicate_constraints_are_solved_one_after_the_other() {
    let mut body = pair();
    for _ in 0..100 {
        body.join(&distance::KIND, &[0, 1], Hold::RIGID).unwrap();
    }
    let mut world = World::default();
    world.add(&body).unwrap();
    step(&mut world, FRAME).unwrap();
    let links = world.constraints().iter().find(|set| !set.is_empty()).unwrap();
    assert_eq!(links.colors(), 100);
    assert!(is_finite(&world));
}

#[test]
fn time_steps_out_of_range_are_refused_and_change_nothing() {
    let mut world = World::default();
    world.add(&small_cloth()).unwrap();
    let hash = world.hash();
    for dt in BAD.into_iter().chain([-1.0]) {
        let error = step(&mut world, dt).unwrap_err();
        assert!(matches!(error, StepError::TimeStep { .. }), "{error}");
    }
    step(&mut world, 0.0).unwrap();
    assert_eq!((world.hash(), world.time), (hash, 0.0));
    for dt in [1e-12, 10.0] {
        step(&mut world, dt).unwrap();
        assert!(is_finite(&world), "dt = {dt}");
    }
}

#[test]
fn settings_out_of_range_are_refused_and_change_nothing() {
    let bad = [
        Config { substeps: 0, ..Config::default() },
        Config { substeps: 1_000_000_000, ..Config::default() },
        Config { iterations: 0, ..Config::default() },
        Config { threads: 100_000, ..Config::default() },
        Config { gravity: Vec3::NAN, ..Config::default() },
        Config { damping: f32::INFINITY, ..Config::default() },
        Config { damping: -1.0, ..Config::default() },
    ];
    for config in bad {
        let mut world = World::default();
        world.add(&small_cloth()).unwrap();
        let hash = world.hash();
        world.config = config;
        let error = step(&mut world, FRAME).unwrap_err();
        assert!(matches!(error, StepError::Setting(_)), "{error}");
        assert_eq!((world.hash(), world.time), (hash, 0.0));
    }
}

#[test]
fn colliders_without_a_shape_are_refused() {
    assert!(Collider::plane(Vec3::ZERO, Vec3::ZERO).is_err());
    assert!(Collider::plane(Vec3::NAN, Vec3::Y).is_err());
    for radius in BAD.into_iter().chain([0.0, -1.0]) {
        assert!(Collider::sphere(Vec3::ZERO, radius).is_err(), "{radius}");
    }
    assert!(Collider::sphere(Vec3::NAN, 1.0).is_err());
}

/// Spoils one particle of the first of two bodies; the second must not notice.
fn spoil(what: &str, spoil: impl Fn(&mut World)) {
    let build = || {
        let mut world = World::default();
        let victim = world.add(&small_cloth()).unwrap();
        let far = TetBox::default().blueprint().unwrap();
        world.add(&far.placed(Quat::IDENTITY, Vec3::X * 3.0)).unwrap();
        for _ in 0..3 {
            step(&mut world, FRAME).unwrap();
        }
        (world, victim)
    };
    let (mut world, victim) = build();
    let (mut untouched, _) = build();
    let pose: Vec<Vec3> = world.positions(victim).unwrap().collect();
    spoil(&mut world);
    for _ in 0..5 {
        step(&mut world, FRAME).unwrap();
        step(&mut untouched, FRAME).unwrap();
    }
    assert!(is_finite(&world), "{what}");
    assert_eq!(world.quarantine.len(), 1, "{what}");
    assert_eq!((world.quarantine[0].body, world.quarantine[0].particle), (victim, 7), "{what}");
    assert!(world.body(victim).unwrap().held, "{what}");
    assert_eq!(world.positions(victim).unwrap().collect::<Vec<_>>(), pose, "{what}: last pose");
    assert_eq!(world.particles.xw[25..], untouched.particles.xw[25..], "{what}: the other body");
    world.release(victim).unwrap();
    step(&mut world, FRAME).unwrap();
    assert!(world.quarantine.is_empty() && is_finite(&world), "{what}: after release");
    let now: Vec<Vec3> = world.positions(victim).unwrap().collect();
    assert_ne!(now, pose, "{what}: a released body moves");
}

#[test]
fn a_body_that_is_not_finite_is_put_back_and_held_and_others_do_not_notice() {
    for bad in BAD.into_iter().chain([1e38]) {
        spoil("position", |world| world.particles.xw[7].y = bad);
        spoil("velocity", |world| world.particles.v[7].x = bad);
        spoil("inverse mass", |world| world.particles.inverse_mass[7] = bad);
        spoil("held inverse mass", |world| world.particles.xw[7].w = bad);
    }
    spoil("negative mass", |world| world.particles.xw[7].w = -1.0);
}

#[test]
fn a_force_that_is_not_finite_stops_the_body_it_acts_on_and_no_other() {
    let mut world = World::default();
    let victim = world.add(&small_cloth()).unwrap();
    let other = world.add(&TetBox::default().blueprint().unwrap()).unwrap();
    world.forces.push(Force::point(&[7], Vec3::NAN));
    step(&mut world, FRAME).unwrap();
    assert!(is_finite(&world) && world.body(victim).unwrap().held);
    assert!(!world.body(other).unwrap().held);
    assert_eq!(world.quarantine.len(), 1);
}

#[test]
fn a_target_that_is_not_finite_is_refused() {
    let mut world = World::default();
    world.add(&small_cloth()).unwrap();
    let number = world.join(&anchor::KIND, &[3], Hold::RIGID).unwrap();
    for bad in BAD {
        assert!(
            world
                .constraints_of_mut(&anchor::KIND)
                .unwrap()
                .set_rest(number, &[0.0, bad, 0.0])
                .is_err()
        );
    }
    world.constraints_of_mut(&anchor::KIND).unwrap().set_rest(number, &[0.0, 1e9, 0.0]).unwrap();
    step(&mut world, FRAME).unwrap();
    assert!(is_finite(&world));
}

#[test]
fn forces_on_particles_that_do_not_exist_do_nothing() {
    let mut world = World::default();
    world.add(&pair()).unwrap();
    world.forces.push(Force::point(&[99], Vec3::ONE));
    world.forces.push(Force { params: Vec::new(), ..Force::point(&[0], Vec3::ONE) });
    step(&mut world, FRAME).unwrap();
    assert!(is_finite(&world));
}

#[test]
fn handles_outlive_other_bodies_and_not_their_own() {
    let mut world = World::default();
    let first = world.add(&small_cloth()).unwrap();
    let second = world.add(&TetBox::default().blueprint().unwrap()).unwrap();
    world.forces.push(Force::point(&[25, 3], Vec3::ONE));
    world.join(&distance::KIND, &[0, 30], Hold::RIGID).unwrap();
    let third = world.add(&small_cloth()).unwrap();
    step(&mut world, FRAME).unwrap();
    let before: Vec<Vec3> = world.positions(third).unwrap().collect();
    let links = |world: &World| world.constraints().iter().map(|set| set.len()).sum::<usize>();
    let all_links = links(&world);

    let new_id = world.remove(second).unwrap();
    assert_eq!(new_id[3], Some(3));
    assert_eq!(new_id[25], None);
    assert_eq!(new_id.last().copied().flatten(), Some(world.particles.len() as u32 - 1));
    assert_eq!(world.body(second).unwrap_err(), WorldError::NoSuchBody);
    assert_eq!(world.remove(second).unwrap_err(), WorldError::NoSuchBody);
    assert_eq!(world.positions(third).unwrap().collect::<Vec<_>>(), before);
    assert_eq!(world.forces[0].particles, [3]);
    let cloth: usize = small_cloth().sets.iter().map(|set| set.len()).sum();
    assert_eq!(links(&world), 2 * cloth, "of {all_links}");

    let fourth = world.add(&small_cloth()).unwrap();
    assert_ne!(fourth, second, "a new body must not answer to an old handle");
    for _ in 0..3 {
        step(&mut world, FRAME).unwrap();
    }
    assert!(world.body(first).is_ok() && is_finite(&world));
}

#[test]
fn a_snapshot_that_was_tampered_with_is_refused() {
    let mut world = World::default();
    world.add(&small_cloth()).unwrap();
    world.colliders.push(Collider::sphere(Vec3::ZERO, 1.0).unwrap());
    step(&mut world, FRAME).unwrap();
    let good = world.save();
    assert_eq!(World::restore(&good).unwrap().hash(), world.hash());

    assert_eq!(World::restore(b"").unwrap_err(), SnapshotError::NotASnapshot);
    assert_eq!(World::restore(b"solid cube").unwrap_err(), SnapshotError::NotASnapshot);
    for length in 0..good.len() {
        assert!(World::restore(&good[..length]).is_err(), "cut to {length} bytes");
    }
    for byte in 0..good.len() {
        let mut bytes = good.clone();
        bytes[byte] ^= 1 << (byte % 8);
        assert!(World::restore(&bytes).is_err(), "bit {} of byte {byte} flipped", byte % 8);
    }
    let mut newer = good;
    newer[8] = 2;
    let error = World::restore(&newer).unwrap_err();
    assert_eq!(error, SnapshotError::NewerVersion { found: 2 });
    assert!(error.to_string().contains("newer engine"), "{error}");
}

/// FNV-1a as the snapshot uses it: a forger can compute it too.
fn sign(bytes: &mut [u8]) {
    let (body, sum) = bytes.split_last_chunk_mut::<8>().unwrap();
    let hash = body.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    *sum = hash.to_le_bytes();
}

#[test]
fn a_forged_snapshot_never_panics_and_never_gives_a_world_that_does() {
    let mut world = World::default();
    world.add(&small_cloth()).unwrap();
    world.forces.push(Force::point(&[1], Vec3::X));
    step(&mut world, FRAME).unwrap();
    let good = world.save();
    let mut survivors = 0;
    let mut state = 1u32;
    for _ in 0..10_000 {
        let mut bytes = good.clone();
        for _ in 0..2 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = 12 + state as usize % (bytes.len() - 20);
            bytes[at] ^= (state >> 24) as u8;
        }
        sign(&mut bytes);
        if let Ok(mut world) = World::restore(&bytes) {
            survivors += 1;
            let _ = step(&mut world, FRAME);
        }
    }
    assert!(survivors > 100, "only {survivors} of the forgeries reached the step");
}

#[test]
fn a_sleeping_body_lies_still_until_something_disturbs_it() {
    let config = Config { sleep_speed: 0.05, damping: 2.0, ..Config::default() };
    let mut world = World::new(config);
    let body =
        world.add(&TetBox { radius: 0.01, ..TetBox::default() }.blueprint().unwrap()).unwrap();
    world.colliders.push(Collider::plane(Vec3::NEG_Y * 0.1, Vec3::Y).unwrap());
    let mut frames = 0;
    while !world.body(body).unwrap().asleep {
        step(&mut world, FRAME).unwrap();
        frames += 1;
        assert!(frames < 1200, "still awake after {frames} frames");
    }
    let hash = world.hash();
    step(&mut world, FRAME).unwrap();
    assert_eq!(world.hash(), hash, "a sleeping body moved");
    assert!(World::restore(&world.save()).unwrap().body(body).unwrap().asleep);

    world.particles.v[0] = Vec4::new(0.0, 1.0, 0.0, 0.0);
    step(&mut world, FRAME).unwrap();
    assert!(!world.body(body).unwrap().asleep, "a push did not wake it");
    for _ in 0..600 {
        step(&mut world, FRAME).unwrap();
    }
    assert!(world.body(body).unwrap().asleep);
    world.particles.unpin(0);
    step(&mut world, FRAME).unwrap();
    assert!(!world.body(body).unwrap().asleep, "a particle was freed and it did not wake");
    for _ in 0..600 {
        step(&mut world, FRAME).unwrap();
    }
    assert!(world.body(body).unwrap().asleep);
    world.config.gravity = Vec3::X;
    step(&mut world, FRAME).unwrap();
    assert!(!world.body(body).unwrap().asleep, "gravity changed and it did not wake");
}

#[test]
fn bodies_that_are_tied_together_sleep_together() {
    let mut world = World::new(Config { sleep_speed: 0.05, ..Config::default() });
    let mut still = pair();
    still.pins = vec![0, 1];
    let still = world.add(&still).unwrap();
    let mut pendulum = Blueprint::default();
    pendulum.particle(Vec3::new(0.5, 0.5, 0.0), 1.0);
    let pendulum = world.add(&pendulum).unwrap();
    world.join(&distance::KIND, &[1, 2], Hold::RIGID).unwrap();
    for _ in 0..120 {
        step(&mut world, FRAME).unwrap();
    }
    assert!(!world.body(still).unwrap().asleep && !world.body(pendulum).unwrap().asleep);
}

#[test]
fn hinges_of_a_fold_do_not_jump_through_a_half_turn() {
    // Two triangles folded flat onto each other, a little past the half turn.
    let mut body = Blueprint::default();
    for x in [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.5, 1.0, 1e-3)] {
        body.particle(x, 1.0);
    }
    body.join_with_rest(&bend::KIND, &[0, 1, 2, 3], &[std::f32::consts::PI - 1e-3], Hold::RIGID)
        .unwrap();
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    world.add(&body).unwrap();
    step(&mut world, FRAME).unwrap();
    let moved = world.particles.position(2).distance(Vec3::new(0.5, 1.0, 0.0));
    assert!(moved < 0.01, "the fold sprang {moved} m");
}
