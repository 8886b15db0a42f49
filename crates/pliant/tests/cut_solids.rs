//! Cuts through solids: tetrahedra, lattices and matched particles.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use pliant::constraint::distance;
use pliant::glam::{DVec3, Quat, UVec3, Vec3};
use pliant::mesh::body::{Recipe, Stock, Way};
use pliant::mesh::repair::Repair;
use pliant::mesh::solids::{liver::liver, torus::torus};
use pliant::mesh::{Resolution, TetMesh, TriMesh};
use pliant::region::matched::Match;
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Lattice, TetBox};
use pliant::testing::Random;
use pliant::{Blade, Blueprint, BodyId, Collider, Config, World, look, step};

const FRAME: f32 = 1.0 / 60.0;

fn world_of(blueprint: &Blueprint) -> (World, BodyId) {
    let mut world = World::default();
    let id = world.add(blueprint).unwrap();
    (world, id)
}

fn skinned(surface: &TriMesh, way: Way) -> Blueprint {
    let stock = Stock::new(surface, &TetMesh::default(), &Repair::default()).unwrap();
    stock.body(&Recipe { way, material: None }).unwrap().blueprint
}

/// One of every sort of solid, with the length of its cells (m).
fn solids() -> Vec<(&'static str, Blueprint, f32)> {
    let (liver, torus) = (liver(16).unwrap(), torus(0.35, 0.15, 16));
    let count = Resolution::Count(1500);
    vec![
        ("tetrahedra", TetBox::default().blueprint().unwrap(), 0.02),
        ("liver of tetrahedra", skinned(&liver, Way::Tets(count)), 0.1),
        ("ring of tetrahedra", skinned(&torus, Way::Tets(count)), 0.05),
        ("lattice", Lattice::default().blueprint().unwrap(), 0.025),
        ("liver of links", skinned(&liver, Way::Lattice(count)), 0.08),
        ("ring of links", skinned(&torus, Way::Lattice(count)), 0.05),
    ]
}

fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}

fn surfaces(world: &World) -> Vec<TriMesh> {
    world.bodies().filter_map(|(_, body)| look::surface(world, body)).collect()
}

fn volume(world: &World) -> f64 {
    surfaces(world).iter().map(TriMesh::volume).sum()
}

/// Every side has one triangle on each side of it.
fn assert_closed(what: &str, world: &World) {
    for surface in surfaces(world) {
        let mut sides: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for &[a, b, c] in &surface.triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                *sides.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
        let open = sides.iter().filter(|(_, sum)| **sum != 0).count();
        assert_eq!(open, 0, "{what}: sides of {} that are open", sides.len());
    }
}

/// Corners of triangles that a cut has laid open (m).
fn laid_open(world: &World) -> Vec<DVec3> {
    let mut found = Vec::new();
    for (_, body) in world.bodies() {
        let (Some(skin), Some(surface)) = (&body.skin, look::surface(world, body)) else {
            continue;
        };
        let inner = (0..).zip(&surface.triangles).filter(|(t, _)| skin.is_inner(*t));
        let corners = inner.flat_map(|(_, corners)| corners);
        found.extend(corners.map(|&v| surface.positions[v as usize].as_dvec3()));
    }
    found
}

fn assert_same(what: &str, before: f64, after: f64) {
    assert!((after / before - 1.0).abs() < 1e-6, "{what}: {before} became {after}");
}

fn run(what: &str, world: &mut World, steps: usize) {
    for _ in 0..steps {
        step(world, FRAME).unwrap();
        assert_eq!(world.quarantine, [], "{what}");
    }
    world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
}

#[test]
fn a_plane_cuts_every_solid_in_two_and_closes_both_on_itself() {
    for (what, blueprint, cell) in solids() {
        let (mut world, id) = world_of(&blueprint);
        let (m, v) = (mass(&world), volume(&world));
        let (point, normal) = (Vec3::new(0.003, 0.0, 0.001), Vec3::new(1.0, 0.1, 0.2));
        let cut = world.cut(&Blade::plane(point, normal).unwrap()).unwrap();
        world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
        assert_eq!(cut.bodies, [id], "{what}");
        assert_eq!(world.bodies().count(), 2, "{what}");
        assert_same(&format!("{what}: mass (kg)"), m, mass(&world));
        assert_same(&format!("{what}: volume (m³)"), v, volume(&world));
        assert_closed(what, &world);
        let normal = normal.as_dvec3().normalize_or_zero();
        let off = laid_open(&world).into_iter().map(|x| (x - point.as_dvec3()).dot(normal).abs());
        let off: Vec<f64> = off.collect();
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        assert!(off.len() > 20 && mean < 1e-3 * f64::from(cell), "{what}: {mean} m off the blade");
        let alone = |mut world: World| {
            world.config.gravity = Vec3::ZERO;
            run(what, &mut world, 20);
            let fastest = world.particles.v.iter().map(|v| v.truncate().length());
            fastest.fold(0f32, f32::max)
        };
        let fastest = alone(world);
        assert!(fastest < 1e-2, "{what}: {fastest} m/s after a cut at rest");
    }
}

#[test]
fn planes_that_cross_leave_four_pieces_that_hang_together_no_more() {
    for (what, blueprint, _) in solids().into_iter().filter(|(what, ..)| !what.contains("ring")) {
        let (mut world, _) = world_of(&blueprint);
        let (m, v) = (mass(&world), volume(&world));
        // Neither passes through particles, and they meet within tetrahedra.
        for normal in [Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.13, 0.05, -1.0)] {
            world.cut(&Blade::plane(Vec3::new(0.003, 0.0, 0.001), normal).unwrap()).unwrap();
            world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
        }
        assert_eq!(world.bodies().count(), 4, "{what}");
        assert_same(&format!("{what}: mass (kg)"), m, mass(&world));
        assert_same(&format!("{what}: volume (m³)"), v, volume(&world));
        assert_closed(what, &world);
        world.config.gravity = Vec3::ZERO;
        run(what, &mut world, 20);
        let fastest = world.particles.v.iter().map(|v| v.truncate().length());
        let fastest = fastest.fold(0f32, f32::max);
        assert!(fastest < 1e-2, "{what}: {fastest} m/s after cuts at rest");
    }
}

#[test]
fn pieces_of_a_solid_fall_apart() {
    for (what, blueprint, _) in solids() {
        let mut world = World::new(Config::default());
        let lowest = blueprint.positions.iter().map(|x| x.y).fold(f32::MAX, f32::min);
        let height = blueprint.positions.iter().map(|x| x.y).fold(f32::MIN, f32::max) - lowest;
        world.colliders.push(Collider::plane(Vec3::Y * (lowest - 0.1), Vec3::Y).unwrap());
        world.add(&blueprint).unwrap();
        let blade = Blade::plane(Vec3::X * 0.004, Vec3::new(1.0, 0.0, 0.01)).unwrap();
        let pieces: Vec<BodyId> = [world.cut(&blade).unwrap()]
            .iter()
            .flat_map(|cut| cut.bodies.iter().chain(&cut.changes.bodies))
            .copied()
            .collect();
        assert_eq!(pieces.len(), 2, "{what}");
        for i in world.body(pieces[1]).unwrap().range() {
            world.particles.set_velocity(i, Vec3::X * height);
        }
        run(what, &mut world, 40);
        let middle = |id: BodyId| {
            let x: Vec<Vec3> = world.positions(id).unwrap().collect();
            x.iter().sum::<Vec3>() / x.len() as f32
        };
        let apart = middle(pieces[0]).distance(middle(pieces[1]));
        assert!(apart > 0.3 * height, "{what}: {apart} m apart");
    }
}

#[test]
fn a_blade_that_ends_inside_leaves_one_closed_body() {
    for (what, blueprint, _) in solids() {
        let (mut world, id) = world_of(&blueprint);
        let (m, v) = (mass(&world), volume(&world));
        let high = blueprint.positions.iter().fold(Vec3::MIN, |high, x| high.max(*x));
        let low = blueprint.positions.iter().fold(Vec3::MAX, |low, x| low.min(*x));
        // From above, half-way down.
        let reach = (high.y - low.y) / 2.0;
        let highest = |a: &&Vec3, b: &&Vec3| a.y.total_cmp(&b.y);
        let top = *blueprint.positions.iter().max_by(highest).unwrap();
        let across = Vec3::new(top.z, 0.0, -top.x) + Vec3::new(1e-3, 0.0, 1e-4);
        let blade = Blade::disc(top * 0.999, across, reach).unwrap();
        let cut = world.cut(&blade).unwrap();
        world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
        assert_eq!((cut.bodies.as_slice(), world.bodies().count()), (&[id][..], 1), "{what}");
        assert_same(&format!("{what}: mass (kg)"), m, mass(&world));
        assert_same(&format!("{what}: volume (m³)"), v, volume(&world));
        assert_closed(what, &world);
        run(what, &mut world, 20);
    }
}

/// Blades that meet vertices, edges and faces exactly, or nothing.
#[test]
fn degenerate_blades_break_no_solid_and_lose_nothing() {
    let plane = |x: Vec3, n: Vec3| Blade::plane(x, n).unwrap();
    let blades = [
        ("through vertices", plane(Vec3::splat(0.01), Vec3::X), 2),
        ("along diagonals", plane(Vec3::splat(0.01), Vec3::new(1.0, 1.0, 0.0)), 2),
        ("just beside vertices", plane(Vec3::splat(0.01 + 1e-7), Vec3::Y), 2),
        ("along a face", plane(Vec3::splat(0.05), Vec3::X), 1),
        ("through a corner", plane(Vec3::splat(0.05), Vec3::ONE), 1),
        ("outside", plane(Vec3::splat(1.0), Vec3::X), 1),
        ("of no length", Blade::triangles(&[[Vec3::ZERO; 3]]).unwrap(), 1),
        ("inside", Blade::disc(Vec3::splat(0.001), Vec3::X, 0.03).unwrap(), 1),
    ];
    let lattice = Lattice { counts: UVec3::splat(6), spacing: 0.02, ..Lattice::default() };
    for body in [TetBox::default().blueprint().unwrap(), lattice.blueprint().unwrap()] {
        for (what, blade, pieces) in &blades {
            let what = format!("{} {what}", body.name);
            let (mut world, _) = world_of(&body);
            let (m, v) = (mass(&world), volume(&world));
            for _ in 0..2 {
                world.cut(blade).unwrap();
                world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
                assert_eq!(world.bodies().count(), *pieces, "{what}");
                assert_same(&what, m, mass(&world));
                assert_same(&what, v, volume(&world));
                assert_closed(&what, &world);
            }
            run(&what, &mut world, 10);
        }
    }
}

#[test]
fn links_that_cross_the_blade_go_and_no_others() {
    let (mut world, _) = world_of(&Lattice::default().blueprint().unwrap());
    let links = |world: &World| world.constraints_of(&distance::KIND).unwrap().len();
    let before = links(&world);
    world.cut(&Blade::plane(Vec3::splat(0.01), Vec3::X).unwrap()).unwrap();
    // Five by five particles on each side: one link straight, four across edges and four across cells.
    let across = 25 + 4 * 20 + 4 * 16;
    assert_eq!(before - links(&world), across);
}

#[test]
fn matched_particles_fall_apart_into_matched_pieces() {
    let counts = UVec3::new(8, 4, 4);
    for regions in [Regions::Whole, Regions::Around(0.04)] {
        let particles = Lattice { counts, ..Lattice::default() }.blueprint().unwrap();
        let body = Matched { particles, regions, shape: Match::default() };
        let (mut world, id) = world_of(&body.blueprint().unwrap());
        let (m, v) = (mass(&world), volume(&world));
        let count = |world: &World| world.regions().iter().map(|set| set.len()).sum::<usize>();
        let before = count(&world);
        let cut = world.cut(&Blade::plane(Vec3::X * 0.03, Vec3::X).unwrap()).unwrap();
        world.check().unwrap();
        assert_eq!((cut.bodies.as_slice(), world.bodies().count()), (&[id][..], 2), "{regions:?}");
        assert_same("mass (kg)", m, mass(&world));
        assert_same("volume (m³)", v, volume(&world));
        assert_closed("matched", &world);
        let crossed = if regions == Regions::Whole { 1 } else { 2 * 16 };
        assert!(count(&world) >= before + crossed, "{} of {before}", count(&world));
        let members = world.regions().iter().flat_map(|set| (0..set.len()).map(|n| set.members(n)));
        for members in members {
            let body = |i: &u32| world.particles.body[*i as usize];
            assert!(members.iter().all(|i| body(i) == body(&members[0])), "{regions:?}");
        }
        run("matched", &mut world, 30);
    }
}

#[test]
fn cuts_of_solids_give_the_same_bits_on_any_number_of_threads_and_after_saving() {
    let story = |threads: u32, between: &dyn Fn(World) -> World| {
        let mut world = World::new(Config { threads, ..Config::default() });
        world.colliders.push(Collider::plane(Vec3::Y * -0.5, Vec3::Y).unwrap());
        for (k, (_, body, _)) in solids().into_iter().enumerate() {
            world.add(&body.placed(Quat::IDENTITY, Vec3::X * k as f32 * 1.5)).unwrap();
        }
        for (k, normal) in [Vec3::Z, Vec3::new(0.1, 1.0, 0.0)].into_iter().enumerate() {
            run("all", &mut world, 3);
            let height = -0.02 * k as f32;
            world.cut(&Blade::plane(Vec3::splat(height), normal).unwrap()).unwrap();
            world.check().unwrap();
            world = between(world);
            world.weld_along(&[Vec3::ZERO, Vec3::X * 4.0], 0.2).unwrap();
            world.check().unwrap();
        }
        run("all", &mut world, 5);
        world.hash()
    };
    let one = story(1, &|world| world);
    assert_eq!(story(3, &|world| world), one, "3 threads");
    assert_eq!(story(1, &|world| World::restore(&world.save()).unwrap()), one, "saved");
}

#[test]
fn random_cuts_keep_every_solid_whole() {
    [3, 8, 16].into_iter().for_each(random_cuts);
}

/// `PLIANT_SEEDS=1..20 cargo test --release -p pliant --test cut_solids -- --ignored`: from the first to
/// the one before the last, each a thousand edits.
#[test]
#[ignore = "takes minutes"]
fn random_cuts_of_many_seeds_keep_every_solid_whole() {
    let wanted = std::env::var("PLIANT_SEEDS").unwrap_or("1..20".into());
    let (first, end) = wanted.split_once("..").unwrap();
    let failed: Vec<u64> = (first.parse().unwrap()..end.parse().unwrap())
        .filter(|&seed| std::panic::catch_unwind(|| random_cuts(seed)).is_err())
        .collect();
    assert!(failed.is_empty(), "seeds {failed:?}");
}

fn random_cuts(seed: u64) {
    let mut random = Random::new(seed);
    let lattice = Lattice { counts: UVec3::splat(4), ..Lattice::default() }.blueprint().unwrap();
    let cube = TetBox { counts: UVec3::splat(4), ..TetBox::default() }.blueprint().unwrap();
    let mut world = World::default();
    let mut cuts = 0;
    for number in 0..1000 {
        let bodies: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        match (random.unit() * 10.0) as u32 {
            0..=6 if !bodies.is_empty() => {
                let any = (random.unit() * (world.particles.len() - 1) as f32) as usize;
                let middle = world.particles.position(any);
                let corners = [0.0; 3].map(|_: f32| middle + random.vector(0.12));
                let (m, v) = (mass(&world), volume(&world));
                cuts += world.cut(&Blade::triangles(&[corners]).unwrap()).unwrap().bodies.len();
                assert_same(&format!("edit {number}: mass (kg)"), m, mass(&world));
                assert_same(&format!("edit {number}: volume (m³)"), v, volume(&world));
                assert_closed(&format!("edit {number}"), &world);
            }
            7 if !bodies.is_empty() && random.unit() < 0.5 => {
                let any = (random.unit() * (world.particles.len() - 1) as f32) as usize;
                let m = mass(&world);
                world.weld_along(&[world.particles.position(any)], 0.03).unwrap();
                assert_same(&format!("edit {number}: mass (kg)"), m, mass(&world));
                assert_closed(&format!("edit {number}"), &world);
            }
            7 if bodies.len() > 8 => {
                world.remove(bodies[(random.unit() * (bodies.len() - 1) as f32) as usize]).unwrap();
            }
            8 => run("random", &mut world, 1),
            _ if bodies.len() < 30 => {
                let body = if random.unit() < 0.5 { &cube } else { &lattice };
                let (turn, place) = (random.unit(), random.vector(0.6));
                world.add(&body.clone().placed(Quat::from_rotation_x(turn), place)).unwrap();
            }
            _ => {}
        }
        world.check().unwrap_or_else(|broken| panic!("edit {number}: {broken}"));
    }
    assert!(cuts > 200, "{cuts} bodies were cut");
}
