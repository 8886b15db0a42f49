//! Bodies keep apart from each other and from themselves, with the friction and bounce they have.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::contact::{By, Touch};
use pliant::glam::{DVec3, Quat, UVec3, Vec3};
use pliant::measure::elastic;
use pliant::region::matched::{Match, Mode};
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Cloth, Lattice, Rope, Shell, TetBox};
use pliant::testing::{Random, particles_inside};
use pliant::{Blueprint, BodyId, Config, Hold, World, step};

const FRAME: f32 = 1.0 / 60.0;
const G: f32 = 9.81;

fn world() -> World {
    World::new(Config { threads: 1, ..Config::default() })
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / FRAME).round() as u32 {
        step(world, FRAME).unwrap();
    }
    assert_eq!(world.quarantine, []);
}

fn middle(world: &World, body: BodyId) -> Vec3 {
    let count = world.body(body).unwrap().range().len() as f32;
    world.positions(body).unwrap().sum::<Vec3>() / count
}

fn throw(world: &mut World, body: BodyId, velocity: Vec3) {
    for i in world.body(body).unwrap().range() {
        world.particles.set_velocity(i, velocity);
    }
}

/// Every kind of body, about 10 cm wide, with its name.
fn kinds() -> Vec<(&'static str, Blueprint)> {
    let (columns, radius) = (5, 0.004);
    let cloth = Cloth { columns, rows: columns, radius, ..Cloth::default() };
    let lattice = Lattice { counts: UVec3::splat(4), radius, ..Lattice::default() };
    let tets = TetBox { counts: UVec3::splat(4), radius, ..TetBox::default() };
    let rope = Rope { segments: 5, length: 0.1, radius, ..Rope::default() };
    let matched = |shape| {
        let particles = lattice.blueprint().unwrap();
        Matched { particles, regions: Regions::Whole, shape }.blueprint().unwrap()
    };
    vec![
        ("cloth", cloth.blueprint().unwrap()),
        ("lattice", lattice.blueprint().unwrap()),
        ("tets", tets.blueprint().unwrap()),
        (
            "matched",
            matched(Match { mode: Mode::Linear, beta: 0.3, hold: Hold::RIGID, ..Match::default() }),
        ),
        ("rope", rope.blueprint().unwrap().placed(Quat::IDENTITY, Vec3::X * -0.05)),
        ("rigid", matched(Match::RIGID)),
    ]
}

/// Half the height of a body, and the point below which it would have gone through (m).
fn extent(body: &Blueprint) -> [f32; 2] {
    let y = body.positions.iter().map(|x| x.y);
    [y.clone().fold(f32::MAX, f32::min), y.fold(f32::MIN, f32::max)]
}

#[test]
fn every_two_kinds_of_bodies_keep_apart() {
    for (lower_name, lower) in kinds() {
        for (upper_name, upper) in kinds() {
            let mut world = world();
            let all: Vec<u32> = (0..lower.positions.len() as u32).collect();
            let below = lower.clone().pinned(&all).touching(Touch::OTHERS);
            world.add(&below).unwrap();
            // Across, so that two ropes cross.
            let turn = Quat::from_rotation_y(1.3);
            let gap = 0.02 + 2.0 * lower.radius;
            let lift = extent(&lower)[1] - extent(&upper)[0] + gap;
            let above = upper.clone().touching(Touch::OTHERS).placed(turn, Vec3::Y * lift);
            let above = world.add(&above).unwrap();
            run(&mut world, 0.12); // falls by 7 cm if nothing is there, 4 cm below where it rests
            let rest = extent(&lower)[1] + (extent(&upper)[1] - extent(&upper)[0]) / 2.0;
            let y = middle(&world, above).y;
            assert!(
                y > rest - 0.02,
                "{upper_name} on {lower_name}: its middle is at {y} m, at rest it would be {rest} m"
            );
        }
    }
}

/// Two bodies as one: the second is `lift` above the first.
fn doubled(body: &Blueprint, lift: f32, turn: Quat) -> Blueprint {
    let first = body.positions.len() as u32;
    let upper = body.clone().placed(turn, Vec3::Y * lift);
    let mut both = Blueprint { sets: Vec::new(), regions: Vec::new(), ..body.clone() };
    both.positions.extend(upper.positions);
    both.masses.extend(upper.masses);
    both.triangles.extend(upper.triangles.iter().map(|t| t.map(|i| first + i)));
    for offset in [0, first] {
        for set in &body.sets {
            for number in 0..set.len() {
                let ids: Vec<u32> = set.particles(number).iter().map(|i| i + offset).collect();
                let rest: Vec<f32> = set.rest(number).collect();
                both.join_with_rest(set.kind(), &ids, &rest, set.hold(number)).unwrap();
            }
        }
        if !body.regions.is_empty() {
            let members: Vec<u32> = (offset..offset + first).collect();
            both.gather(&Match::RIGID.region(&members)).unwrap();
        }
    }
    both
}

#[test]
fn every_soft_kind_keeps_apart_from_itself() {
    for (name, body) in kinds().into_iter().filter(|(name, _)| *name != "rigid") {
        let count = body.positions.len() as u32;
        let height = extent(&body)[1] - extent(&body)[0];
        let lift = height + 2.0 * body.radius + 0.02;
        let pins: Vec<u32> = (0..count).collect();
        let mut fallen = [0.0; 2];
        for (touch, fallen) in [Touch::ALL, Touch::OTHERS].into_iter().zip(&mut fallen) {
            let both =
                doubled(&body, lift, Quat::from_rotation_y(1.3)).pinned(&pins).touching(touch);
            let mut world = world();
            let id = world.add(&both).unwrap();
            run(&mut world, 0.12);
            let upper = world.positions(id).unwrap().skip(count as usize);
            *fallen = lift - upper.map(|x| x.y).sum::<f32>() / count as f32
                + (extent(&body)[0] + extent(&body)[1]) / 2.0;
        }
        let [with, without] = fallen;
        assert!(without > 0.05, "{name}: fell {without} m without contact; the test shows nothing");
        assert!(with < 0.04, "{name}: fell {with} m onto itself, 0.02 m were free");
    }
}

#[test]
fn particles_as_balls_keep_apart_from_all_others() {
    for (name, lower) in kinds() {
        let mut world = world();
        let all: Vec<u32> = (0..lower.positions.len() as u32).collect();
        world.add(&lower.clone().pinned(&all).touching(Touch::OTHERS)).unwrap();
        let balls = Lattice { counts: UVec3::splat(4), radius: 0.0125, ..Lattice::default() };
        let touch = Touch { by: By::Particles, ..Touch::OTHERS };
        let place = Vec3::new(0.003, extent(&lower)[1] + 0.08, 0.002);
        let balls = balls.blueprint().unwrap().touching(touch).placed(Quat::IDENTITY, place);
        let balls = world.add(&balls).unwrap();
        run(&mut world, 0.12);
        let sunk = place.y - middle(&world, balls).y;
        assert!(sunk < 0.05, "balls on {name}: sank {sunk} m");
    }
}

#[test]
fn a_cloth_at_50_m_per_s_stops_on_a_thin_sheet() {
    for turn in [Quat::IDENTITY, Quat::from_rotation_y(0.4), Quat::from_rotation_z(0.3)] {
        let mut world = world();
        let sheet = Cloth { columns: 31, rows: 31, radius: 0.002, ..Cloth::default() };
        let pins: Vec<u32> = (0..31 * 31).collect();
        world.add(&sheet.blueprint().unwrap().pinned(&pins).touching(Touch::OTHERS)).unwrap();
        let cloth = Cloth { columns: 11, rows: 11, radius: 0.002, ..Cloth::default() };
        let cloth = cloth.blueprint().unwrap().touching(Touch::OTHERS);
        let cloth = world.add(&cloth.placed(turn, Vec3::Y * 0.3)).unwrap();
        throw(&mut world, cloth, Vec3::new(3.0, -50.0, 1.0));
        for _ in 0..5 {
            run(&mut world, FRAME);
            let low = world.positions(cloth).unwrap().map(|x| x.y).fold(f32::MAX, f32::min);
            assert!(low > 0.0, "it is {low} m above the sheet");
        }
    }
}

#[test]
fn a_slope_that_is_a_body_holds_what_is_rougher_than_its_tangent_and_no_other() {
    for (mu, holds) in [(0.5, true), (0.49, false)] {
        let mut world = World::new(Config { threads: 1, substeps: 60, ..Config::default() });
        let tilt = Quat::from_rotation_arc(Vec3::Y, Vec3::new(-0.5, 1.0, 0.0).normalize_or_zero());
        let touch = Touch { friction: mu, ..Touch::OTHERS };
        let spacing = [0.1; 2];
        let sheet = Cloth { columns: 11, rows: 11, spacing, radius: 0.002, ..Cloth::default() };
        let pins: Vec<u32> = (0..121).collect();
        let sheet = sheet.blueprint().unwrap().pinned(&pins).touching(touch);
        world.add(&sheet.placed(tilt, Vec3::ZERO)).unwrap();
        let mut ball = Blueprint { radius: 0.002, ..Blueprint::default() };
        let start = tilt * Vec3::new(0.013, 0.004, 0.007);
        ball.particle(start, 1.0);
        let ball = world.add(&ball.touching(touch)).unwrap();
        run(&mut world, 1.0);
        let slid = middle(&world, ball).distance(start);
        assert_eq!(slid < 1e-3, holds, "μ = {mu}: slid {slid} m in 1 s");
    }
}

#[test]
fn sliding_stops_after_v_squared_over_two_mu_g_whatever_mass_and_substeps() {
    let v0 = 1.0;
    for mu in [0.2, 0.5] {
        for density in [20.0, 2000.0] {
            for substeps in [5, 20, 80] {
                let mut world = world();
                world.config.substeps = substeps;
                let touch = Touch { friction: mu, ..Touch::OTHERS };
                let sheet = Cloth {
                    columns: 9,
                    rows: 3,
                    spacing: [0.2; 2],
                    radius: 0.002,
                    ..Cloth::default()
                };
                let pins: Vec<u32> = (0..27).collect();
                world.add(&sheet.blueprint().unwrap().pinned(&pins).touching(touch)).unwrap();
                let particles = Lattice {
                    counts: UVec3::new(3, 2, 3),
                    radius: 0.002,
                    density,
                    ..Lattice::default()
                };
                let particles = particles.blueprint().unwrap();
                let block = Matched { particles, regions: Regions::Whole, shape: Match::RIGID };
                let block = block.blueprint().unwrap().touching(touch);
                let place = Vec3::new(-0.5, 0.0165, 0.013);
                let block = world.add(&block.placed(Quat::IDENTITY, place)).unwrap();
                throw(&mut world, block, Vec3::X * v0);
                run(&mut world, 1.2 * v0 / (mu * G) + 0.1);
                let (slid, law) = (middle(&world, block).x - place.x, v0 * v0 / (2.0 * mu * G));
                let tolerance = 0.01 * law + v0 * FRAME / substeps as f32 / 2.0;
                assert!(
                    (slid - law).abs() < tolerance,
                    "μ {mu}, {density} kg/m³, {substeps} substeps: slid {slid} m, v²/2μg is {law} m"
                );
            }
        }
    }
}

#[test]
fn a_bounce_reaches_e_squared_of_its_height() {
    for e in [0.5, 0.8] {
        let mut world = world();
        let touch = Touch { restitution: e, ..Touch::OTHERS };
        let sheet =
            Cloth { columns: 3, rows: 3, spacing: [0.2; 2], radius: 0.002, ..Cloth::default() };
        let pins: Vec<u32> = (0..9).collect();
        world.add(&sheet.blueprint().unwrap().pinned(&pins).touching(touch)).unwrap();
        let mut ball = Blueprint { radius: 0.002, ..Blueprint::default() };
        ball.particle(Vec3::new(0.01, 1.004, 0.02), 1.0);
        let ball = world.add(&ball.touching(touch)).unwrap();
        let (mut highest, mut bounced) = (0.0f32, false);
        for _ in 0..90 {
            run(&mut world, FRAME);
            let i = world.body(ball).unwrap().range().start;
            bounced |= world.particles.velocity(i).y > 0.0;
            highest =
                highest.max(if bounced { world.particles.position(i).y - 0.004 } else { 0.0 });
        }
        assert!((highest / (e * e) - 1.0).abs() < 0.03, "e = {e}: {highest} m, e² h is {}", e * e);
    }
}

fn momentum(world: &World) -> Vec3 {
    let p = &world.particles;
    (0..p.len()).map(|i| p.velocity(i) / p.inverse_mass[i]).sum()
}

#[test]
fn contact_makes_no_momentum() {
    let mut world = world();
    world.config.gravity = Vec3::ZERO;
    let cube = Lattice { radius: 0.004, ..Lattice::default() }
        .blueprint()
        .unwrap()
        .touching(Touch::OTHERS);
    world.add(&cube).unwrap();
    let turn = Quat::from_rotation_z(0.6) * Quat::from_rotation_x(0.4);
    let other = world.add(&cube.placed(turn, Vec3::new(0.25, 0.03, 0.02))).unwrap();
    throw(&mut world, other, Vec3::X * -3.0);
    let before = momentum(&world);
    run(&mut world, 0.3);
    let (after, speed) = (momentum(&world), world.particles.velocity(0).x);
    assert!(speed < -0.1, "the first cube was not hit: it moves with {speed} m/s");
    assert!((after - before).length() < 1e-3 * before.length(), "{before} became {after} kg m/s");
}

#[test]
fn what_begins_too_near_comes_apart_slowly_and_gains_no_speed() {
    let mut world = world();
    (world.config.gravity, world.config.max_depenetration) = (Vec3::ZERO, 0.05);
    let sheet = Cloth { columns: 3, rows: 3, spacing: [0.2; 2], radius: 0.002, ..Cloth::default() };
    let pins: Vec<u32> = (0..9).collect();
    world.add(&sheet.blueprint().unwrap().pinned(&pins).touching(Touch::OTHERS)).unwrap();
    // It begins 1 mm above the sheet, and ought to be 4 mm above.
    let mut ball = Blueprint { radius: 0.002, ..Blueprint::default() };
    ball.particle(Vec3::new(0.01, 0.001, 0.02), 1.0);
    let ball = world.add(&ball.touching(Touch::OTHERS)).unwrap();
    run(&mut world, FRAME);
    let (y, most) = (middle(&world, ball).y, 0.001 + 0.05 * FRAME);
    assert!(y > 0.0015 && y < 1.001 * most, "after a frame at {y} m, at most {most} m");
    run(&mut world, 1.0);
    let y = middle(&world, ball).y;
    assert!((y - 0.004).abs() < 1e-5, "at {y} m, and ought to stay at 0.004 m");
}

#[test]
fn solids_that_begin_in_each_other_come_apart_and_stay_so() {
    let block = TetBox { counts: UVec3::splat(4), radius: 0.003, ..TetBox::default() };
    let block = block.blueprint().unwrap().touching(Touch::OTHERS);
    let [low, high] = extent(&block);
    let size = high - low;
    // By 1 %, by a third, turned so that a corner is deep inside, and by half and more, where the
    // nearest way out is another for every corner.
    let cases =
        [(0.99, 0.0), (0.7, 0.28), (0.7, 0.3), (0.5, 0.89), (0.5, 0.9), (0.5, 0.0), (0.3, 0.2)];
    for (lift, turn) in cases {
        let mut world = world();
        world.config.gravity = Vec3::ZERO;
        let one = world.add(&block).unwrap();
        let turn = Quat::from_rotation_z(turn) * Quat::from_rotation_x(turn);
        let place = Vec3::new(0.04, lift, 0.07) * size;
        let other = world.add(&block.clone().placed(turn, place)).unwrap();
        assert!(
            particles_inside(&world, one, other) + particles_inside(&world, other, one) > 0,
            "{lift}: tangled"
        );
        run(&mut world, 1.0);
        let both = [particles_inside(&world, one, other), particles_inside(&world, other, one)];
        assert_eq!(both, [0, 0], "from {lift}: particles of each that are in the other");
        // In a second they go as far as `max_depenetration` lets them, and no farther.
        let apart = middle(&world, one).distance(middle(&world, other));
        let most = size + world.config.max_depenetration;
        assert!(apart > 0.9 * size && apart < most, "from {lift}: {apart} m apart");
        // As wholes: what bends them by the way is what they touch each other with at the end.
        let bent = elastic::energy(&world);
        assert!(bent < 1e-3, "from {lift}: {bent} J are left in them");
        assert!(world.contact_report().deepest_share < 0.1, "{:?}", world.contact_report());
    }
}

#[test]
fn bodies_of_different_phases_do_not_meet() {
    let mut world = world();
    let cube = Lattice::default().blueprint().unwrap().touching(Touch::OTHERS);
    let pins: Vec<u32> = (0..125).collect();
    world.add(&cube.clone().pinned(&pins)).unwrap();
    let ghost = Blueprint { phase: 2, ..cube.placed(Quat::IDENTITY, Vec3::Y * 0.13) };
    let ghost = world.add(&ghost).unwrap();
    run(&mut world, 0.5);
    assert!(middle(&world, ghost).y < -0.5);
}

#[test]
fn a_sleeper_wakes_when_it_is_hit() {
    let mut world = World::new(Config { threads: 1, sleep_speed: 0.01, ..Config::default() });
    world.config.gravity = Vec3::ZERO;
    let cube = Lattice { radius: 0.004, ..Lattice::default() }
        .blueprint()
        .unwrap()
        .touching(Touch::OTHERS);
    let sleeper = world.add(&cube).unwrap();
    let other = world.add(&cube.placed(Quat::IDENTITY, Vec3::X * 0.5)).unwrap();
    throw(&mut world, other, Vec3::X * -0.5);
    run(&mut world, 0.6);
    assert!(world.body(sleeper).unwrap().asleep, "nothing has happened to it yet");
    run(&mut world, 0.8);
    let x = middle(&world, sleeper).x;
    assert!(!world.body(sleeper).unwrap().asleep && x < -0.01, "hit, it moved by {x} m");
}

/// A triangle and a particle, or two edges, that meet in the middle of a substep by construction:
/// both are where they touch, minus and plus half of their motion.
fn crossing(random: &mut Random, edges: bool) -> ([Vec3; 4], [Vec3; 4]) {
    // Whole numbers of 2⁻¹⁰ m: sums, halves and quarters of them are exact.
    let mut point = |size: f32| (random.vector(1.0) * size * 1024.0).round() / 1024.0;
    let x: [Vec3; 4] = if edges {
        let (a, e, f) = (point(1.0), point(1.0), point(1.0));
        // They cross in the middle of the first and at a quarter of the second.
        [a - e, a + e, a - f, a + f * 3.0]
    } else {
        let (a, b, c) = (point(1.0), point(1.0), point(1.0));
        [(a + b + c + c) / 4.0, a, b, c]
    };
    let motion: [Vec3; 4] = std::array::from_fn(|_| point(0.15));
    (std::array::from_fn(|k| x[k] - motion[k]), motion)
}

/// Six times the volume between the four, in double precision (m³).
fn volume(x: [Vec3; 4], edges: bool) -> f64 {
    let [a, b, c, d] = x.map(|x| x.as_dvec3());
    if edges { (b - a).cross(d - c).dot(a - c) } else { (c - b).cross(d - b).dot(a - b) }
}

#[test]
fn nothing_that_meets_within_a_substep_goes_through() {
    let mut random = Random::new(11);
    let (mut crossed, mut cases) = (0, 0);
    while cases < 400 {
        let edges = cases % 2 == 0;
        let (start, motion) = crossing(&mut random, edges);
        let end = std::array::from_fn(|k| start[k] + motion[k] * 2.0);
        let (before, free) = (volume(start, edges), volume(end, edges));
        if before.abs() < 1e-4 || free.abs() < 1e-4 {
            continue; // nearly flat at the start or at the end: no side to be on
        }
        cases += 1;
        let mut world = world();
        (world.config.gravity, world.config.substeps) = (Vec3::ZERO, 1);
        let parties: [&[usize]; 2] = if edges { [&[0, 1], &[2, 3]] } else { [&[0], &[1, 2, 3]] };
        for party in parties {
            let mut body = Blueprint { radius: 0.002, ..Blueprint::default() };
            party.iter().for_each(|&k| _ = body.particle(start[k], 1.0));
            match party.len() {
                3 => body.triangles.push([0, 1, 2]),
                2 => body
                    .join(&pliant::constraint::distance::KIND, &[0, 1], Hold::spring(1e-6))
                    .unwrap(),
                _ => {}
            }
            world.add(&body.touching(Touch::OTHERS)).unwrap();
        }
        for k in 0..4 {
            world.particles.set_velocity(k, motion[k] * 2.0 / FRAME);
        }
        run(&mut world, FRAME);
        let after = volume(std::array::from_fn(|k| world.particles.position(k)), edges);
        crossed += usize::from(before * free < 0.0);
        let what = if edges { "edges" } else { "vertex and face" };
        assert!(
            before * free > 0.0 || before * after > 0.0,
            "case {cases}, {what} from {start:?} by {motion:?}: volume {before} became {after} m³"
        );
    }
    assert!(crossed > 200, "only {crossed} of {cases} would have changed sides");
}

/// How many edges of the surfaces go through a face that they have no corner in common with.
fn crossings(world: &World) -> usize {
    let x = |i: u32| world.particles.position(i as usize).as_dvec3();
    let edges = pliant::mesh::sides(world.triangles());
    let boxes = |ids: &[u32]| pliant::mesh::Aabb::of(ids.iter().map(|&i| x(i).as_vec3()));
    let faces: Vec<_> = world.triangles().iter().map(|face| (face, boxes(face))).collect();
    let mut found = 0;
    for edge in &edges {
        let around = boxes(edge);
        for (face, _) in faces.iter().filter(|(_, other)| other.overlaps(&around)) {
            let [a, b, c] = face.map(x);
            let [p, q] = edge.map(x);
            let volume = |u: DVec3, v: DVec3, w: DVec3| (u - p).cross(v - p).dot(w - p);
            let sides = [volume(a, b, q), volume(b, c, q), volume(c, a, q)];
            let normal = (b - a).cross(c - a);
            let through = normal.dot(p - a) * normal.dot(q - a) < 0.0;
            let inside = sides.iter().all(|&v| v > 0.0) || sides.iter().all(|&v| v < 0.0);
            let apart = !edge.iter().any(|i| face.contains(i));
            found += usize::from(apart && through && inside);
        }
    }
    found
}

#[test]
fn a_cloth_dragged_through_itself_and_back_is_never_crossed() {
    let mut world = World::new(Config { threads: 1, damping: 1.0, ..Config::default() });
    let cloth = Cloth { columns: 21, rows: 21, radius: 0.003, ..Cloth::default() };
    let hanging = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let [left, right, _, corner] = cloth.corners();
    let blueprint = cloth.blueprint().unwrap().pinned(&[left, right, corner]);
    world.add(&blueprint.touching(Touch::ALL).placed(hanging, Vec3::ZERO)).unwrap();
    // The lower corner goes around to the front, through the middle of the cloth, and back.
    let legs = [Vec3::Z * 0.2, Vec3::new(-0.25, 0.2, 0.0), Vec3::Z * -0.4, Vec3::Z * 0.4];
    for leg in legs {
        world.particles.set_velocity(corner as usize, leg / 0.5);
        for _ in 0..30 {
            run(&mut world, FRAME);
            let (count, time) = (crossings(&world), world.time);
            assert_eq!(count, 0, "after {time} s");
        }
    }
}

#[test]
fn a_cloth_that_folds_onto_itself_is_not_crossed() {
    let mut world = (pliant::scenes::folding::SCENE.build)(16).unwrap();
    world.config.threads = 1;
    for _ in 0..8 {
        run(&mut world, 10.0 * FRAME);
        let (count, time) = (crossings(&world), world.time);
        assert_eq!(count, 0, "after {time} s");
    }
}

#[test]
fn a_shirt_that_folds_onto_itself_is_not_crossed() {
    let mesh = pliant::mesh::solids::shirt::shirt(40).unwrap();
    let (stretch, bending) = (Hold::spring(2e3), Some(Hold::spring(2e-4)));
    let shirt = Shell { mesh, areal_density: 0.18, radius: 0.004, stretch, bending };
    let shirt = shirt.blueprint().unwrap().touching(Touch::ALL);
    let config = Config { threads: 1, damping: 1.0, iterations: 6, ..Config::default() };
    let mut world = World::new(config);
    world.colliders.push(pliant::Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    world.add(&shirt.placed(Quat::IDENTITY, Vec3::Y * 0.1)).unwrap();
    let mut touched = 0;
    for _ in 0..24 {
        run(&mut world, 5.0 * FRAME);
        let (count, time) = (crossings(&world), world.time);
        assert_eq!(count, 0, "after {time} s");
        touched = touched.max(world.contact_report().contacts);
    }
    assert!(touched > 30, "{touched} contacts at most");
}

#[test]
fn where_bodies_touch_is_between_them_and_on_the_floor_below_them() {
    let mut world = world();
    world.colliders.push(pliant::Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    let radius = 0.004;
    let cube = TetBox { counts: UVec3::splat(3), radius, ..TetBox::default() }.blueprint().unwrap();
    let edge = |pick: fn(f32, f32) -> f32| cube.positions.iter().map(|x| x.y).reduce(pick).unwrap();
    let (low, high) = (edge(f32::min), edge(f32::max));
    let all: Vec<u32> = (0..cube.positions.len() as u32).collect();
    let lower = cube.clone().pinned(&all).touching(Touch::OTHERS);
    world.add(&lower.placed(Quat::IDENTITY, Vec3::Y * (1.0 - high))).unwrap();
    let upper = cube.touching(Touch::OTHERS);
    let above = 1.0 + 2.0 * radius + 1e-3 - low;
    world.add(&upper.placed(Quat::IDENTITY, Vec3::Y * above)).unwrap();
    let cloth = Cloth { columns: 3, rows: 3, radius, ..Cloth::default() }.blueprint().unwrap();
    world.add(&cloth.placed(Quat::IDENTITY, Vec3::new(2.0, 1e-3 + radius, 0.0))).unwrap();
    assert_eq!(world.touching(), []);
    run(&mut world, 0.1);
    let [mut floor, mut between] = [0, 0];
    for place in world.touching() {
        assert!(place.normal.y.abs() > 0.99, "{place:?}");
        floor += usize::from((place.at.y - radius).abs() < 1e-3);
        between += usize::from((place.at.y - 1.0 - radius).abs() < 1e-3);
        assert!(floor + between > 0, "{place:?}");
    }
    assert!(floor >= 4 && between >= 4, "{floor} on the floor, {between} between the cubes");
    let links = world.constraints_of(&pliant::constraint::distance::KIND).unwrap();
    let colors: Vec<usize> = (0..links.len()).filter_map(|k| links.color(k)).collect();
    assert_eq!((colors.len(), colors.iter().max()), (links.len(), Some(&(links.colors() - 1))));
}
