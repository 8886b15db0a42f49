//! Links that break, sheets that tear, and shapes that are bent for good.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::constraint::{bend, distance, neo_hookean};
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::material::Solid;
use pliant::material::presets::Material;
use pliant::mesh::body::{Recipe, Stock, Way};
use pliant::mesh::repair::Repair;
use pliant::mesh::solids::torus::torus;
use pliant::mesh::{Resolution, TetMesh};
use pliant::region::matched::{self, Match};
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Bending, Cloth, ElasticBody, Lattice, Model, Rope};
use pliant::tear::Strength;
use pliant::{Blueprint, Config, Hold, Precision, World, look, step};

const FRAME: f32 = 1.0 / 60.0;

fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}

/// A rope of ten links that hangs still from its first particle.
fn hanging_rope() -> World {
    let rope = Rope { segments: 10, stretch: Hold::spring(1e4), ..Rope::default() };
    let down = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let config = Config { damping: 20.0, precision: Precision::Carried, ..Config::default() };
    let mut world = World::new(config);
    let rope = rope.blueprint().unwrap().placed(down, Vec3::ZERO);
    world.add(&rope.pinned(&[0])).unwrap();
    for _ in 0..120 {
        step(&mut world, FRAME).unwrap();
    }
    world
}

fn set_strength(world: &mut World, strength: Strength) {
    let links = world.constraints_of_mut(&distance::KIND).unwrap();
    (0..links.len()).for_each(|number| links.set_strength(number, strength).unwrap());
}

#[test]
fn a_rope_breaks_at_its_top_link_when_its_weight_exceeds_the_limit() {
    // Without the half segment at the pin.
    let weight = 0.07 * (1.0 - 0.5 / 10.0) * 9.81;
    for (limit, bodies) in [(1.03 * weight, 1), (0.97 * weight, 2)] {
        let mut world = hanging_rope();
        let m = mass(&world);
        set_strength(&mut world, Strength { break_force: limit, ..Strength::default() });
        for _ in 0..60 {
            step(&mut world, FRAME).unwrap();
            world.check().unwrap();
        }
        assert_eq!(world.bodies().count(), bodies, "{limit} N, the rope weighs {weight} N");
        assert_eq!(mass(&world), m);
        let counts: Vec<usize> = world.bodies().map(|(_, body)| body.range().len()).collect();
        let expected: &[usize] = if bodies == 1 { &[11] } else { &[10, 1] };
        assert_eq!(counts, expected, "the top link, and no other");
    }
}

#[test]
fn a_rope_breaks_when_it_is_stretched_too_far() {
    let mut world = hanging_rope();
    set_strength(&mut world, Strength { break_strain: 0.05, ..Strength::default() });
    world.particles.pin(10);
    let links = world.constraints_of(&distance::KIND).unwrap().len();
    // Pulled slowly and solved well, so that all links are stretched alike: after one iteration a
    // substep, those of one colour are stretched three times as far as those of the other.
    world.config.iterations = 20;
    let mut frames = 0;
    while world.constraints_of(&distance::KIND).unwrap().len() == links {
        world.particles.set_velocity(10, -Vec3::Y * 0.05);
        step(&mut world, FRAME).unwrap();
        frames += 1;
        assert!(frames < 120, "it does not break");
    }
    world.check().unwrap();
    assert_eq!(world.constraints_of(&distance::KIND).unwrap().len(), links - 1);
    assert_eq!(world.bodies().count(), 2);
    let pulled = 0.05 * FRAME * frames as f32;
    assert!((pulled - 0.05).abs() < 0.003, "a rope of 1 m breaks when pulled by {pulled} m");
}

#[test]
fn a_cloth_that_is_pulled_apart_tears_in_two_and_loses_nothing() {
    let cloth = Cloth {
        columns: 12,
        rows: 8,
        bending: Bending::Free,
        stretch: Hold::spring(500.0),
        shear: Some(Hold::spring(100.0)),
        ..Cloth::default()
    };
    let strength = Strength { break_strain: 0.25, ..Strength::default() };
    let blueprint = cloth.blueprint().unwrap().of_strength(strength).unwrap();
    let sides: Vec<u32> = (0..8).flat_map(|row| [row * 12, row * 12 + 11]).collect();
    let mut world = World::new(Config { damping: 2.0, gravity: Vec3::ZERO, ..Config::default() });
    world.add(&blueprint.pinned(&sides)).unwrap();
    let (m, triangles) = (mass(&world), world.triangles().len());
    for frame in 0..240 {
        for i in 0..world.particles.len() {
            if world.particles.pinned[i] {
                let away = world.particles.position(i).x.signum() * 0.12;
                world.particles.set_velocity(i, Vec3::X * away);
            }
        }
        step(&mut world, FRAME).unwrap();
        world.check().unwrap_or_else(|broken| panic!("frame {frame}: {broken}"));
        assert_eq!(world.quarantine, []);
    }
    assert!((mass(&world) / m - 1.0).abs() < 1e-6, "{m} kg became {} kg", mass(&world));
    assert_eq!(world.triangles().len(), triangles);
    let sides = |right: bool| {
        world.bodies().find(|(_, body)| {
            body.range().any(|i| {
                world.particles.pinned[i] && (world.particles.position(i).x > 0.0) == right
            })
        })
    };
    let (left, right) = (sides(false).unwrap().0, sides(true).unwrap().0);
    assert_ne!(left, right, "both sides still hang together");
}

/// Two particles that are held, a link of 1 m between them, stretched by 10 %.
fn pulled(strength: Strength, length: f32) -> World {
    let mut body = Blueprint::default();
    body.particle(Vec3::ZERO, 1.0);
    body.particle(Vec3::X, 1.0);
    body.join(&distance::KIND, &[0, 1], Hold::spring(1e3)).unwrap();
    // Plain precision leaves 0.09 m/s² unseen at 1 m, which is 20 µm of this spring.
    let precision = Precision::Carried;
    let mut world = World::new(Config { gravity: Vec3::ZERO, precision, ..Config::default() });
    world.add(&body.of_strength(strength).unwrap().pinned(&[0, 1])).unwrap();
    world.particles.set_position(1, Vec3::X * length);
    world
}

fn kept(world: &World) -> f32 {
    world.constraints_of(&distance::KIND).unwrap().plastic_strain(0)
}

#[test]
fn what_is_left_of_a_pull_is_its_strain_less_the_yield_strain() {
    let yields = Strength { yield_strain: 0.02, ..Strength::default() };
    let cases = [
        (yields, 1.1, 0.08),
        (yields, 0.9, -0.08),
        (yields, 1.02, 0.0),
        (Strength { hardening: 0.5, ..yields }, 1.1, 0.08 / 1.5),
        (Strength { most_plastic: 0.03, ..yields }, 1.1, 0.03),
        (Strength::default(), 1.1, 0.0),
    ];
    for (strength, length, expected) in cases {
        let mut world = pulled(strength, length);
        for _ in 0..3 {
            step(&mut world, FRAME).unwrap();
        }
        let found = kept(&world);
        assert!((found - expected).abs() < 1e-6, "{strength:?}: {found}, not {expected}");
        // Let go, it comes to rest at its new length; damped so that it does not swing and yield again.
        world.particles.unpin(1);
        world.config.damping = 100.0;
        for _ in 0..240 {
            step(&mut world, FRAME).unwrap();
        }
        let length = world.particles.position(1).distance(world.particles.position(0));
        assert!((length - 1.0 - expected).abs() < 1e-5, "{length} m, not {} m", 1.0 + expected);
        let same = World::restore(&world.save()).unwrap();
        assert_eq!((same.hash(), kept(&same)), (world.hash(), kept(&world)));
    }
}

#[test]
fn what_is_left_of_a_fold_is_its_angle_less_the_yield_angle() {
    let yields = Strength { yield_strain: 0.2, ..Strength::default() };
    let cases = [
        (yields, 0.9f32, 0.7f32),
        (yields, -0.9, -0.7),
        (yields, 0.15, 0.0),
        (Strength { hardening: 0.5, ..yields }, 0.9, 0.7 / 1.5),
        (Strength { most_plastic: 0.3, ..yields }, 0.9, 0.3),
        (Strength::default(), 0.9, 0.0),
    ];
    for (strength, angle, expected) in cases {
        let mut body = Blueprint::default();
        let turned = |angle: f32| Quat::from_rotation_x(-angle) * Vec3::Z;
        let flat = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.0, -1.0), Vec3::new(0.5, 0.0, 1.0)];
        for x in flat {
            body.particle(x, 1.0);
        }
        body.join(&bend::KIND, &[0, 1, 2, 3], Hold::spring(10.0)).unwrap();
        let precision = Precision::Carried;
        let mut world = World::new(Config { gravity: Vec3::ZERO, precision, ..Config::default() });
        world.add(&body.of_folding(strength).unwrap().pinned(&[0, 1, 2, 3])).unwrap();
        // The free corner is turned about the edge.
        world.particles.set_position(3, turned(angle) + Vec3::X * 0.5);
        for _ in 0..3 {
            step(&mut world, FRAME).unwrap();
        }
        let hinges = world.constraints_of(&bend::KIND).unwrap();
        let (found, rest) = (hinges.plastic_strain(0), hinges.rest(0).next().unwrap());
        assert!(
            (found.abs() - expected.abs()).abs() < 1e-5,
            "{strength:?}: {found}, not {expected}"
        );
        assert_eq!(found, rest, "flat when it was made");
        world.particles.unpin(3);
        world.config.damping = 6.0; // about critical: the hinge swings at √10 rad/s
        for _ in 0..240 {
            step(&mut world, FRAME).unwrap();
        }
        let off = world.particles.position(3).with_x(0.0).angle_between(turned(expected));
        assert!(off < 1e-3, "{strength:?}: {off} rad from {expected} rad");
    }
}

#[test]
fn creep_takes_its_time_whatever_the_step() {
    let strength = Strength { yield_strain: 0.02, creep: 3.0, ..Strength::default() };
    for steps in [30, 120] {
        let mut world = pulled(strength, 1.1);
        for _ in 0..steps {
            step(&mut world, 0.5 / steps as f32).unwrap();
        }
        let expected = 0.08 * (1.0 - 0.223_130_16); // exp(−3/s · 0.5 s)
        assert!((kept(&world) - expected).abs() < 1e-5, "{} not {expected}", kept(&world));
    }
}

#[test]
fn strengths_that_are_no_numbers_are_refused() {
    let bad = [
        Strength { break_strain: f32::NAN, ..Strength::default() },
        Strength { break_force: -1.0, ..Strength::default() },
        Strength { hardening: f32::INFINITY, ..Strength::default() },
    ];
    for strength in bad {
        assert!(Rope::default().blueprint().unwrap().of_strength(strength).is_err());
    }
}

/// Strengths, and what stays of a strain of 0.1.
fn yielding() -> [(Strength, f32); 5] {
    let yields = Strength { yield_strain: 0.02, ..Strength::default() };
    [
        (yields, 0.08),
        (Strength { yield_strain: 0.11, ..yields }, 0.0),
        (Strength { hardening: 0.5, ..yields }, 0.08 / 1.5),
        (Strength { most_plastic: 0.03, ..yields }, 0.03),
        (Strength::default(), 0.0),
    ]
}

/// Pulls a body at the origin by a logarithmic strain along x that keeps its volume, holds it, and lets
/// it come to rest. Returns the world, and its first four particles are at the origin and on the axes.
fn pulled_and_let_go(body: &Blueprint, strain: f32, damping: f32) -> World {
    let precision = Precision::Carried;
    let mut world = World::new(Config { gravity: Vec3::ZERO, precision, ..Config::default() });
    let all: Vec<u32> = (0..body.positions.len() as u32).collect();
    world.add(&body.clone().pinned(&all)).unwrap();
    let stretch = Vec3::new(strain, -strain / 2.0, -strain / 2.0).exp();
    for (i, &x) in body.positions.iter().enumerate() {
        world.particles.set_position(i, x * stretch);
    }
    for _ in 0..3 {
        step(&mut world, FRAME).unwrap();
    }
    all.iter().for_each(|&i| world.particles.unpin(i as usize));
    // It must not swing, and yield again.
    world.config.damping = damping;
    for _ in 0..400 {
        step(&mut world, FRAME).unwrap();
    }
    world
}

/// Lengths from the first particle to the next three (m).
fn extents(world: &World) -> [f32; 3] {
    [1, 2, 3].map(|i| world.particles.position(0).distance(world.particles.position(i)))
}

fn assert_flown(what: &str, world: &World, expected: f32) {
    let [x, y, z] = Vec3::from_array(extents(world)).ln().to_array();
    for (found, expected) in [(x, expected), (y, -expected / 2.0), (z, -expected / 2.0)] {
        assert!((found - expected).abs() < 2e-4, "{what}: strain {found} is left, not {expected}");
    }
    assert!((x + y + z).abs() < 1e-4, "{what}: volume e^{} of that at rest", x + y + z);
    let same = World::restore(&world.save()).unwrap();
    assert_eq!(same.hash(), world.hash(), "{what}");
}

#[test]
fn tetrahedra_keep_their_strain_less_the_yield_strain_and_their_volume() {
    let mesh = TetMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        tets: vec![[0, 1, 2, 3]],
    };
    let body = ElasticBody { mesh, ..ElasticBody::default() }.blueprint().unwrap();
    for (strength, expected) in yielding() {
        let body = body.clone().of_strength(strength).unwrap();
        let world = pulled_and_let_go(&body, 0.1, 20.0);
        let kept = world.constraints_of(&neo_hookean::KIND).unwrap().plastic_strain(0);
        assert!((kept - expected).abs() < 1e-6, "{strength:?}: kept {kept}, not {expected}");
        assert_flown(&format!("{strength:?}"), &world, expected);
    }
}

#[test]
fn matched_shapes_keep_their_strain_less_the_yield_strain_and_their_volume() {
    let mut body = Blueprint::default();
    let corner = |k: u32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
    for k in [0, 1, 2, 4, 3, 5, 6, 7] {
        body.particle(corner(k), 1.0);
    }
    let members: Vec<u32> = (0..8).collect();
    body.gather(&Match::default().region(&members)).unwrap();
    for (strength, expected) in yielding() {
        let body = body.clone().of_strength(strength).unwrap();
        let world = pulled_and_let_go(&body, 0.1, 130.0);
        let kept = world.regions_of(&matched::KIND).unwrap().plastic_strain(0);
        assert!((kept - expected).abs() < 1e-5, "{strength:?}: kept {kept}, not {expected}");
        assert_flown(&format!("{strength:?}"), &world, expected);
    }
}

const SOFT: Solid =
    Solid { young: 1e5, poisson: 0.3, density: 1000.0, damping: pliant::material::Damping::NONE };

/// A bar along x of 0.6 m by 0.2 m by 0.2 m.
fn bars() -> Vec<(&'static str, Blueprint)> {
    let mesh = TetMesh::block(UVec3::new(6, 2, 2), Vec3::new(0.6, 0.2, 0.2));
    let tets = ElasticBody { mesh, material: SOFT, ..ElasticBody::default() };
    let (counts, spacing) = (UVec3::new(7, 3, 3), 0.1);
    let lattice = Lattice { counts, spacing, ..Lattice::default() }.blueprint().unwrap();
    let regions = Regions::Around(0.15);
    let particles = lattice.clone();
    let matched = Matched { particles, regions, shape: Match::default() }.blueprint().unwrap();
    vec![("tetrahedra", tets.blueprint().unwrap()), ("lattice", lattice), ("matched", matched)]
}

/// Pulls the ends of a bar apart at this speed (m/s) each, until it parts or for so many frames. Returns its
/// length then (m).
fn pull_apart(world: &mut World, speed: f32, frames: usize) -> Option<f32> {
    let reach = |world: &World| {
        let x = (0..world.particles.len()).filter(|&i| world.particles.pinned[i]);
        let x: Vec<f32> = x.map(|i| world.particles.position(i).x).collect();
        x.iter().fold(f32::MIN, |a, b| a.max(*b)) - x.iter().fold(f32::MAX, |a, b| a.min(*b))
    };
    for frame in 0..frames {
        for i in 0..world.particles.len() {
            if !world.particles.pinned[i] {
                continue;
            }
            let away = world.particles.position(i).x.signum() * speed;
            world.particles.set_velocity(i, Vec3::X * away);
        }
        let length = reach(world);
        step(world, FRAME).unwrap();
        world.check().unwrap_or_else(|broken| panic!("frame {frame}: {broken}"));
        assert_eq!(world.quarantine, []);
        if parted(world) {
            return Some(length);
        }
    }
    None
}

/// Whether what is pinned on the left and what is pinned on the right are different bodies.
fn parted(world: &World) -> bool {
    let side = |right: bool| {
        let of = |i: &usize| {
            world.particles.pinned[*i] && (world.particles.position(*i).x > 0.0) == right
        };
        (0..world.particles.len()).find(of).map(|i| world.particles.body[i])
    };
    side(true) != side(false)
}

fn pinned_at_ends(body: Blueprint) -> Blueprint {
    let far = body.positions.iter().map(|x| x.x.abs()).fold(0f32, f32::max);
    let ends = (0..).zip(&body.positions).filter(|(_, x)| x.x.abs() > far - 1e-3);
    let ends: Vec<u32> = ends.map(|(i, _)| i).collect();
    body.pinned(&ends)
}

fn volume(world: &World) -> f64 {
    let surfaces = world.bodies().filter_map(|(_, body)| look::surface(world, body));
    surfaces.map(|surface| surface.volume()).sum()
}

fn quiet() -> World {
    World::new(Config { gravity: Vec3::ZERO, damping: 5.0, ..Config::default() })
}

#[test]
fn solids_that_are_pulled_apart_break_in_two_and_lose_nothing() {
    for (what, body) in bars() {
        let strength = Strength { break_strain: 0.3, ..Strength::default() };
        let mut world = quiet();
        world.add(&pinned_at_ends(body.of_strength(strength).unwrap())).unwrap();
        let m = mass(&world);
        let length = pull_apart(&mut world, 0.2, 120).expect(what);
        assert!((0.6..1.0).contains(&length), "{what} breaks when {length} m long");
        assert!((mass(&world) / m - 1.0).abs() < 1e-6, "{what}");
        assert!(volume(&world) > 0.5 * 0.6 * 0.2 * 0.2, "{what}: {} m³ are seen", volume(&world));
        for _ in 0..60 {
            step(&mut world, FRAME).unwrap();
            assert_eq!(world.quarantine, [], "{what}");
        }
        world.check().unwrap();
    }
}

#[test]
fn tetrahedra_break_when_stress_exceeds_the_limit() {
    // A bar that gets narrower cannot do so at its ends, and is a twelfth stiffer for it.
    for (poisson, off) in [(0.0, 0.03), (0.3, 0.1)] {
        let mesh = TetMesh::block(UVec3::new(6, 2, 2), Vec3::new(0.6, 0.2, 0.2));
        let material = Solid { poisson, ..SOFT };
        let body = ElasticBody { mesh, material, ..ElasticBody::default() }.blueprint().unwrap();
        // The pull on a cube of a tetrahedron's volume, a sixth of a cell, at a strain of 3 %.
        let area = 0.1 * 0.1 * 0.302_853_44; // (⅙)^⅔ of a cell's face
        let break_force = 0.03 * material.young * area;
        let mut world = quiet();
        world.config.substeps = 40;
        // The middle only: at the ends the stress is higher.
        let middle = Strength { break_force, ..Strength::default() };
        let paint = |x: Vec3| if x.x.abs() < 0.1 { middle } else { Strength::default() };
        world.add(&pinned_at_ends(body.painted(paint).unwrap())).unwrap();
        let length = pull_apart(&mut world, 0.005, 240).unwrap();
        let strain = length / 0.6 - 1.0;
        assert!((strain / 0.03 - 1.0).abs() < off, "breaks at a strain of {strain}");
    }
}

#[test]
fn a_ring_that_is_pulled_is_torn_in_two() {
    let surface = torus(0.35, 0.12, 12);
    let stock = Stock::new(&surface, &TetMesh::default(), &Repair::default()).unwrap();
    let cells = [0.1, 0.08].map(Resolution::Cell);
    for way in cells.map(Way::Tets).into_iter().chain(cells.map(Way::Lattice)) {
        let recipe = Recipe { way, material: Some(Material::Solid(SOFT)) };
        let body = stock.body(&recipe).unwrap().blueprint;
        let body = body.of_strength(Strength { break_strain: 0.4, ..Strength::default() }).unwrap();
        let held = (0..).zip(&body.positions).filter(|(_, x)| x.x.abs() > 0.3 && x.z.abs() < 0.1);
        let held: Vec<u32> = held.map(|(i, _)| i).collect();
        let mut world = quiet();
        world.add(&body.pinned(&held)).unwrap();
        let m = mass(&world);
        let v = volume(&world);
        let length = pull_apart(&mut world, 0.2, 400);
        assert!(length.is_some(), "{way:?}: the ring holds");
        assert!((mass(&world) / m - 1.0).abs() < 1e-6, "{way:?}");
        assert!(volume(&world) > 0.5 * v, "{way:?}: {} of {v} m³ are seen", volume(&world));
    }
}

/// Saint Venant and Kirchhoff's tetrahedra have no strength that anything looks at.
#[test]
fn a_strength_that_nothing_of_a_body_has_is_refused() {
    let weak = Strength { break_strain: 0.1, ..Strength::default() };
    let cube = |model| {
        let mesh = TetMesh::block(UVec3::splat(2), Vec3::splat(0.2));
        ElasticBody { mesh, model, ..ElasticBody::default() }.blueprint().unwrap()
    };
    let stiff = cube(Model::SaintVenantKirchhoff);
    let refused = stiff.clone().of_strength(weak).unwrap_err();
    assert!(refused.to_string().contains("neo-Hookean"), "{refused}");
    stiff.of_strength(Strength::default()).unwrap();
    cube(Model::NeoHookean).of_strength(weak).unwrap();
}
