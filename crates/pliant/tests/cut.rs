//! Cuts: what is kept, what comes loose, and that every world stays whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use pliant::constraint::{anchor, distance};
use pliant::contact::Touch;
use pliant::force::wind::Wind;
use pliant::glam::{DVec3, Quat, Vec3};
use pliant::shapes::balloon::Balloon;
use pliant::shapes::{Bending, Cloth, Rope};
use pliant::testing::Random;
use pliant::{Blade, Blueprint, BodyId, Collider, Config, Hold, World, look, step};

const FRAME: f32 = 1.0 / 60.0;
/// Distance of neighbours in the cloths below (m).
const CELL: f32 = 0.05;

fn cloth(size: u32, bending: Bending) -> Cloth {
    Cloth { columns: size, rows: size, spacing: [CELL; 2], bending, ..Cloth::default() }
}

fn world_of(blueprint: &Blueprint) -> (World, BodyId) {
    let mut world = World::default();
    let id = world.add(blueprint).unwrap();
    (world, id)
}

/// The mass of all particles (kg).
fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}

fn surfaces(world: &World) -> impl Iterator<Item = pliant::mesh::TriMesh> + '_ {
    world.bodies().filter_map(|(_, body)| look::surface(world, body))
}

/// The area of all that is seen (m²).
fn area(world: &World) -> f64 {
    let of = |surface: pliant::mesh::TriMesh| -> f64 {
        let corner = |i: u32| surface.positions[i as usize].as_dvec3();
        let twice = |t: &[u32; 3]| {
            let [a, b, c] = t.map(corner);
            (b - a).cross(c - a).length()
        };
        surface.triangles.iter().map(twice).sum::<f64>() / 2.0
    };
    surfaces(world).map(of).sum()
}

/// Vertices of visible edges that one triangle only has (m).
fn border(world: &World) -> Vec<DVec3> {
    let mut found = Vec::new();
    for surface in surfaces(world) {
        let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for &[a, b, c] in &surface.triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                *sides.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
        let ends = sides.into_iter().filter(|(_, count)| *count == 1).flat_map(|(side, _)| side);
        found.extend(ends.map(|i| surface.positions[i as usize].as_dvec3()));
    }
    found
}

fn assert_same(what: &str, before: f64, after: f64) {
    assert!((after / before - 1.0).abs() < 1e-6, "{what}: {before} became {after}");
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        step(world, FRAME).unwrap();
        assert_eq!(world.quarantine, []);
    }
    world.check().unwrap();
}

#[test]
fn a_plane_cuts_a_cloth_in_two_along_itself() {
    for bending in [Bending::Free, Bending::Links(Hold::spring(1.0)), Bending::Hinges(Hold::RIGID)]
    {
        let (mut world, id) = world_of(&cloth(21, bending).blueprint().unwrap());
        let (m, a) = (mass(&world), area(&world));
        let normal = Vec3::new(1.0, 0.0, 0.3).normalize_or_zero();
        let point = Vec3::new(0.013, 0.0, 0.0);
        let cut = world.cut(&Blade::plane(point, normal).unwrap()).unwrap();
        assert_eq!((cut.bodies.as_slice(), cut.uncut.len()), (&[id][..], 0));
        assert_eq!(cut.changes.bodies.len(), 1, "one piece comes loose");
        world.check().unwrap();
        assert_same("mass (kg)", m, mass(&world));
        assert_same("area (m²)", a, area(&world));
        let half = f64::from(CELL) * 10.0 - 1e-4;
        let inner = |x: &&DVec3| x.x.abs() < half && x.z.abs() < half;
        let all = border(&world);
        let off: Vec<f64> = all
            .iter()
            .filter(inner)
            .map(|&x| (x - point.as_dvec3()).dot(normal.as_dvec3()).abs())
            .collect();
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        assert!(off.len() > 60, "{} vertices along the cut", off.len());
        assert!(mean < 1e-3 * f64::from(CELL), "the cut is {mean} m off the blade");
        run(&mut world, 30);
    }
}

#[test]
fn what_is_cut_off_falls_and_what_is_pinned_stays() {
    let shape = cloth(21, Bending::Links(Hold::spring(1.0)));
    let pins: Vec<u32> = (0..21).map(|row| row * 21).collect();
    let (mut world, id) = world_of(&shape.blueprint().unwrap().pinned(&pins));
    // Within the column of the pins: what is left of the pinned part are pieces of elements.
    let blade = Blade::plane(Vec3::new(-0.48, 0.0, 0.0), Vec3::X).unwrap();
    let cut = world.cut(&blade).unwrap();
    let pieces: Vec<BodyId> = cut.bodies.iter().chain(&cut.changes.bodies).copied().collect();
    assert_eq!(pieces.len(), 2);
    run(&mut world, 60);
    let lowest = |id: BodyId| world.positions(id).unwrap().map(|x| x.y).fold(f32::MAX, f32::min);
    let heights = [lowest(id), lowest(cut.changes.bodies[0])];
    assert!(heights[0] < -4.0, "the large piece is at {} m after 1 s", heights[0]);
    assert!(heights[1] > -0.1, "the strip at the pins is at {} m", heights[1]);
}

#[test]
fn two_cuts_make_four_pieces_and_many_cuts_lose_nothing() {
    let (mut world, _) =
        world_of(&cloth(11, Bending::Links(Hold::spring(1.0))).blueprint().unwrap());
    let (m, a) = (mass(&world), area(&world));
    for (k, normal) in [Vec3::X, Vec3::Z].into_iter().enumerate() {
        world.cut(&Blade::plane(Vec3::splat(0.011), normal).unwrap()).unwrap();
        world.check().unwrap();
        assert_eq!(world.bodies().count(), 2 << k);
    }
    // Through the same elements again, near the first cuts and across them.
    for k in 0..20 {
        let turn = Quat::from_rotation_y(k as f32 * 0.37);
        let point = Vec3::new(0.003, 0.0, 0.002) * k as f32;
        world.cut(&Blade::plane(point, turn * Vec3::X).unwrap()).unwrap();
        world.check().unwrap_or_else(|broken| panic!("cut {k}: {broken}"));
        assert_same("mass (kg)", m, mass(&world));
        assert_same("area (m²)", a, area(&world));
    }
    assert!(world.bodies().count() > 100, "{} pieces", world.bodies().count());
    run(&mut world, 30);
}

#[test]
fn a_slit_opens_in_the_middle_and_does_not_come_apart() {
    let (mut world, id) = world_of(&cloth(21, Bending::Free).blueprint().unwrap());
    let (m, a) = (mass(&world), area(&world));
    let slit = [-0.2, 0.21].map(|x| [Vec3::new(x, 1.0, 0.013), Vec3::new(x, -1.0, 0.013)]);
    let cut = world.cut(&Blade::sweep(&slit).unwrap()).unwrap();
    world.check().unwrap();
    assert_eq!((cut.bodies.as_slice(), world.bodies().count()), (&[id][..], 1));
    assert_same("mass (kg)", m, mass(&world));
    assert_same("area (m²)", a, area(&world));
    let inner = border(&world).iter().filter(|x| x.x.abs() < 0.4 && x.z.abs() < 0.4).count();
    assert!(inner > 20, "{inner} vertices at the slit");
    // The same blade again, now with nothing to cut.
    let particles = world.particles.len();
    world.cut(&Blade::sweep(&slit).unwrap()).unwrap();
    world.check().unwrap();
    assert_eq!(world.particles.len(), particles);
    run(&mut world, 30);
}

#[test]
fn a_stroke_that_goes_on_where_it_stopped_cuts_through() {
    let (mut world, _) = world_of(&cloth(11, Bending::Free).blueprint().unwrap());
    let edge = |x: f32| [Vec3::new(x, 1.0, 0.012), Vec3::new(x, -1.0, 0.012)];
    // Every stroke begins before the last one ended, as a tool that follows the mouse does.
    for k in 0..12 {
        let (from, to) = (-0.3 + 0.05 * k as f32 - 0.06, -0.3 + 0.05 * (k + 1) as f32);
        world.cut(&Blade::sweep(&[edge(from), edge(to)]).unwrap()).unwrap();
        world.check().unwrap();
    }
    assert_eq!(world.bodies().count(), 2);
}

/// Blades that meet vertices, edges and faces exactly, or nothing.
#[test]
fn degenerate_blades_break_nothing_and_lose_nothing() {
    let point = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let plane = |x: Vec3, n: Vec3| Blade::plane(x, n).unwrap();
    let triangle = |corners: [Vec3; 3]| Blade::triangles(&[corners]).unwrap();
    let corner = point(-0.25, -0.25);
    let blades = [
        ("through a column of vertices", plane(Vec3::ZERO, Vec3::X), 2),
        ("along the diagonals", plane(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)), 2),
        ("just beside the vertices", plane(point(1e-7, 0.0), Vec3::X), 2),
        ("along the border", plane(corner, Vec3::X), 1),
        ("through a corner", plane(corner, Vec3::new(1.0, 0.0, 1.0)), 1),
        ("in the plane of the cloth", plane(Vec3::ZERO, Vec3::Y), 1),
        ("outside", plane(point(3.0, 0.0), Vec3::X), 1),
        ("of no length", triangle([Vec3::ZERO; 3]), 1),
        ("of no area", triangle([-Vec3::Y, Vec3::ZERO, Vec3::Y]), 1),
        ("nothing", Blade::sweep(&[[Vec3::ZERO, Vec3::Y]]).unwrap(), 1),
        ("in one element", triangle([point(0.01, 0.01), Vec3::Y, -Vec3::Y]), 1),
        ("a disc", Blade::disc(Vec3::ZERO, Vec3::X, 0.1).unwrap(), 1),
    ];
    for (what, blade, pieces) in blades {
        let (mut world, _) =
            world_of(&cloth(11, Bending::Links(Hold::spring(1.0))).blueprint().unwrap());
        let (m, a) = (mass(&world), area(&world));
        for _ in 0..2 {
            world.cut(&blade).unwrap();
            world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
            assert_eq!(world.bodies().count(), pieces, "{what}");
            assert_same(what, m, mass(&world));
            assert_same(what, a, area(&world));
        }
        run(&mut world, 20);
    }
}

#[test]
fn blades_that_are_no_numbers_are_refused() {
    assert!(Blade::plane(Vec3::ZERO, Vec3::ZERO).is_err());
    assert!(Blade::plane(Vec3::splat(f32::NAN), Vec3::X).is_err());
    assert!(Blade::disc(Vec3::ZERO, Vec3::X, f32::INFINITY).is_err());
    assert!(Blade::sweep(&[[Vec3::ZERO, Vec3::X], [Vec3::Y, Vec3::splat(f32::NAN)]]).is_err());
}

#[test]
fn a_rope_parts_and_both_ends_keep_their_mass() {
    let rope = Rope { bending: Some(Hold::spring(0.1)), ..Rope::default() };
    let (mut world, id) = world_of(&rope.blueprint().unwrap().pinned(&[0]));
    let m = mass(&world);
    let miss = Blade::disc(Vec3::new(0.5, 2.0, 0.0), Vec3::X, 1.0).unwrap();
    assert_eq!(world.cut(&miss).unwrap(), pliant::Cut::default());
    // Through a particle: one of the links there goes, not both and not none.
    let links = world.constraints_of(&distance::KIND).unwrap().len();
    let x = world.particles.position(20).x;
    let cut = world.cut(&Blade::disc(Vec3::X * x, Vec3::X, 0.1).unwrap()).unwrap();
    world.check().unwrap();
    assert_eq!(world.constraints_of(&distance::KIND).unwrap().len(), links - 1);
    let [other] = cut.changes.bodies.as_slice() else { panic!("{cut:?}") };
    assert_same("mass (kg)", m, mass(&world));
    run(&mut world, 30);
    let top = |id: BodyId| world.positions(id).unwrap().map(|x| x.y).fold(f32::MIN, f32::max);
    // 21 of 41 particles came loose, and the larger piece keeps the handle.
    assert!(top(*other) == 0.0 && top(id) < -1.0, "{} and {}", top(*other), top(id));
}

#[test]
fn a_balloon_that_is_cut_open_loses_its_pressure() {
    let (mut world, id) = world_of(&Balloon::default().blueprint().unwrap());
    let a = area(&world);
    world.cut(&Blade::plane(Vec3::Y * 0.017, Vec3::Y).unwrap()).unwrap();
    world.check().unwrap();
    assert_same("area (m²)", a, area(&world));
    assert_eq!(world.bodies().count(), 2);
    assert!(world.regions().iter().all(|set| set.is_empty()), "{id:?} still has pressure");
    run(&mut world, 20);
}

/// Everything at once: pinned, blown at, dragged, on a floor, asleep or not.
fn busy_world(threads: u32) -> World {
    let mut world = World::new(Config { threads, damping: 1.0, ..Config::default() });
    world.colliders.push(Collider::plane(Vec3::Y * -0.4, Vec3::Y).unwrap());
    let shape = cloth(17, Bending::Links(Hold::spring(0.5)));
    let flag = shape.blueprint().unwrap().pinned(&shape.corners()[..2]);
    let first = world.add(&flag).unwrap();
    let place = Vec3::new(0.2, 0.3, 0.1);
    world.add(&shape.blueprint().unwrap().placed(Quat::from_rotation_x(0.4), place)).unwrap();
    world.add(&Rope::default().blueprint().unwrap().pinned(&[0])).unwrap();
    let wind = Wind { velocity: Vec3::new(1.0, 0.5, 2.0), ..Wind::default() };
    let wind = wind.on(world.body(first).unwrap());
    world.forces.push(wind);
    world.join(&anchor::KIND, &[200], Hold::spring(50.0)).unwrap();
    world
}

/// Steps, cuts, steps, cuts across, steps.
fn story(threads: u32, between: impl FnMut(World) -> World) -> World {
    tell(busy_world(threads), between)
}

fn tell(mut world: World, mut between: impl FnMut(World) -> World) -> World {
    run(&mut world, 10);
    for (k, normal) in [Vec3::new(1.0, 0.0, 0.2), Vec3::new(-0.2, 0.1, 1.0)].into_iter().enumerate()
    {
        world.cut(&Blade::plane(Vec3::splat(0.03), normal).unwrap()).unwrap();
        world.check().unwrap();
        world = between(world);
        run(&mut world, 15 + 10 * k);
    }
    world
}

#[test]
fn cuts_give_the_same_bits_on_any_number_of_threads_and_after_saving() {
    let one = story(1, |world| world).hash();
    for threads in [2, 3, 8] {
        assert_eq!(story(threads, |world| world).hash(), one, "{threads} threads");
    }
    assert_eq!(story(1, |world| World::restore(&world.save()).unwrap()).hash(), one, "saved");
}

/// Ghosts of the elements lie over each other after a cut; that must not blow anything up.
#[test]
fn cloths_that_touch_each_other_and_themselves_are_cut_alike() {
    let touching = |threads: u32| {
        let mut world = busy_world(threads);
        let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        ids.into_iter().for_each(|id| world.set_touch(id, Touch::ALL).unwrap());
        world
    };
    let one = tell(touching(1), |world| world);
    let fastest = one.particles.v.iter().map(|v| v.truncate().length()).fold(0f32, f32::max);
    assert!(fastest < 20.0, "{fastest} m/s");
    assert_eq!(tell(touching(3), |world| world).hash(), one.hash(), "3 threads");
    let saved = tell(touching(1), |world| World::restore(&world.save()).unwrap());
    assert_eq!(saved.hash(), one.hash(), "saved");
}

#[test]
fn what_is_cut_while_busy_comes_to_rest() {
    let mut world = story(0, |world| world);
    world.forces.clear();
    world.config.damping = 4.0;
    run(&mut world, 400);
    let fastest = world.particles.v.iter().map(|v| v.truncate().length()).fold(0f32, f32::max);
    assert!(fastest < 0.5, "{fastest} m/s after 7 s");
}

#[test]
fn a_thousand_random_edits_keep_every_world_whole() {
    random_edits(7);
}

/// `PLIANT_SEEDS=1..21 cargo test --release -p pliant --test cut -- --ignored`: from the first to the one
/// before the last, each a thousand edits.
#[test]
#[ignore = "takes minutes"]
fn random_edits_of_many_seeds_keep_every_world_whole() {
    let wanted = std::env::var("PLIANT_SEEDS").unwrap_or("1..21".into());
    let (first, end) = wanted.split_once("..").unwrap();
    let failed: Vec<u64> = (first.parse().unwrap()..end.parse().unwrap())
        .filter(|&seed| std::panic::catch_unwind(|| random_edits(seed)).is_err())
        .collect();
    assert!(failed.is_empty(), "seeds {failed:?}");
}

fn random_edits(seed: u64) {
    let mut random = Random::new(seed);
    let mut world = busy_world(1);
    let mut cuts = 0;
    for number in 0..1000 {
        let bodies: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        let m = mass(&world);
        match (random.unit() * 10.0) as u32 {
            0..=5 => {
                let middle = world
                    .particles
                    .position((random.unit() * (world.particles.len() - 1) as f32) as usize);
                let corners = [0.0; 3].map(|_: f32| middle + random.vector(0.3));
                let a = area(&world);
                let cut = world.cut(&Blade::triangles(&[corners]).unwrap()).unwrap();
                cuts += cut.bodies.len();
                assert_same("mass (kg)", m, mass(&world));
                assert_same("area (m²)", a, area(&world));
            }
            6 => {
                let shape = cloth(6, Bending::Hinges(Hold::spring(1e-3)));
                let place = random.vector(0.6);
                world
                    .add(&shape.blueprint().unwrap().placed(Quat::from_rotation_y(1.0), place))
                    .unwrap();
            }
            7 if bodies.len() > 6 => {
                let id = bodies[(random.unit() * (bodies.len() - 1) as f32) as usize];
                world.remove(id).unwrap();
                assert!(world.body(id).is_err(), "{id:?} is gone");
            }
            8 if random.unit() < 0.5 => {
                let any = (random.unit() * (world.particles.len() - 1) as f32) as usize;
                world.weld_along(&[world.particles.position(any)], 0.08).unwrap();
                assert_same("mass (kg)", m, mass(&world));
            }
            8 => {
                let [a, b] = [random.unit(), random.unit()]
                    .map(|r| (r * (world.particles.len() - 1) as f32) as u32);
                if a != b {
                    world.join(&distance::KIND, &[a, b], Hold::spring(1.0)).unwrap();
                }
            }
            _ => run(&mut world, 1),
        }
        world.check().unwrap_or_else(|broken| panic!("edit {number}: {broken}"));
    }
    assert!(cuts > 200, "{cuts} bodies were cut");
    run(&mut world, 5);
}
