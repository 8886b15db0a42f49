//! Solids that are cut while something else happens to them: pinned, blown at, in contact, folded onto
//! themselves, dragged. They stay finite, come to rest, and do the same on any number of threads and
//! after saving.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::constraint::anchor;
use pliant::contact::Touch;
use pliant::force::wind::Wind;
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::region::matched::Match;
use pliant::shapes::matched::{Matched, Regions};
use pliant::shapes::{Lattice, TetBox};
use pliant::{Blade, Blueprint, BodyId, Collider, Config, Hold, World, step};

const FRAME: f32 = 1.0 / 60.0;

/// Frames before each cut, in which it is busy.
const BUSY: usize = 8;

/// Frames in which it must come to rest when it is left alone.
const ALONE: usize = 600;

/// Frames in a row that it must be at rest.
const QUIET: usize = 60;

/// Kinetic energy per mass at rest (J/kg), at most: that of 1 cm/s.
const AT_REST: f64 = 5e-5;

/// One of each sort of solid, 8 cm wide.
fn solids() -> Vec<(&'static str, Blueprint)> {
    let counts = UVec3::splat(5);
    let tets = TetBox { counts, spacing: 0.02, ..TetBox::default() };
    let lattice = || Lattice { counts, spacing: 0.02, ..Lattice::default() }.blueprint().unwrap();
    let regions = Regions::Around(0.03);
    // Regions of 3 cm that vibrate with 10 Hz, as they do if nothing is said, are crushed by what is above
    // them: such a body lies flat on the floor, cut or not.
    let omega = 40.0 * std::f32::consts::TAU;
    let hold = Hold { compliance: 1.0 / (omega * omega), ..Hold::RIGID };
    let shape = Match { hold, ..Match::default() };
    let matched = Matched { particles: lattice(), regions, shape };
    vec![
        ("tetrahedra", tets.blueprint().unwrap()),
        ("lattice", lattice()),
        ("matched", matched.blueprint().unwrap()),
    ]
}

/// What happens to a solid while it is cut.
struct Situation {
    name: &'static str,
    /// Puts the solid there.
    begin: fn(&mut World, &Blueprint) -> BodyId,
    /// What goes on in every frame, given its number.
    go_on: fn(&mut World, usize),
}

const SITUATIONS: &[Situation] = &[
    Situation { name: "pinned", begin: pinned, go_on: |_, _| {} },
    Situation { name: "in the wind", begin: in_the_wind, go_on: |_, _| {} },
    Situation { name: "in contact", begin: in_contact, go_on: |_, _| {} },
    Situation { name: "touching itself", begin: touching_itself, go_on: |_, _| {} },
    Situation { name: "dragged", begin: dragged, go_on: drag },
];

fn pinned(world: &mut World, body: &Blueprint) -> BodyId {
    let top = body.positions.iter().map(|x| x.y).fold(f32::MIN, f32::max);
    let pins: Vec<u32> =
        (0..).zip(&body.positions).filter(|(_, x)| x.y > top - 1e-3).map(|(i, _)| i).collect();
    world.add(&body.clone().placed(Quat::IDENTITY, Vec3::Y * 0.1).pinned(&pins)).unwrap()
}

fn in_the_wind(world: &mut World, body: &Blueprint) -> BodyId {
    let id = world.add(&body.clone().placed(Quat::IDENTITY, Vec3::Y * 0.05)).unwrap();
    let wind = Wind { velocity: Vec3::new(3.0, 0.0, 1.0), ..Wind::default() };
    let wind = wind.on(world.body(id).unwrap());
    world.forces.push(wind);
    id
}

/// One on the other.
fn in_contact(world: &mut World, body: &Blueprint) -> BodyId {
    let body = body.clone().touching(Touch::OTHERS);
    let id = world.add(&body.clone().placed(Quat::IDENTITY, Vec3::Y * 0.045)).unwrap();
    world.add(&body.placed(Quat::from_rotation_y(0.3), Vec3::Y * 0.14)).unwrap();
    id
}

/// On its edge, so that the pieces fall on each other.
fn touching_itself(world: &mut World, body: &Blueprint) -> BodyId {
    let tilt = Quat::from_rotation_z(0.7);
    world.add(&body.clone().touching(Touch::ALL).placed(tilt, Vec3::Y * 0.08)).unwrap()
}

fn dragged(world: &mut World, body: &Blueprint) -> BodyId {
    let id = world.add(&body.clone().placed(Quat::IDENTITY, Vec3::Y * 0.06)).unwrap();
    world.join(&anchor::KIND, &[0], Hold::spring(100.0).damped(1.0)).unwrap();
    id
}

/// Pulls to the side at 0.3 m/s.
fn drag(world: &mut World, frame: usize) {
    let anchors = world.constraints_of_mut(&anchor::KIND).unwrap();
    let target = Vec3::new(-0.04 - 0.3 * FRAME * frame as f32, 0.06, -0.04);
    anchors.set_rest(0, &target.to_array()).unwrap();
}

/// Cuts it twice while it is busy, leaves it alone, and returns the world.
fn story(
    situation: &Situation,
    body: &Blueprint,
    threads: u32,
    between: impl Fn(World) -> World,
) -> World {
    let mut world = World::new(Config { threads, damping: 1.0, ..Config::default() });
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    (situation.begin)(&mut world, body);
    for (k, normal) in [Vec3::new(1.0, 0.1, 0.2), Vec3::new(-0.2, 0.1, 1.0)].iter().enumerate() {
        for frame in 0..BUSY {
            (situation.go_on)(&mut world, k * BUSY + frame);
            step(&mut world, FRAME).unwrap();
        }
        let middle = world.particles.xw.iter().map(|row| row.truncate()).sum::<Vec3>()
            / world.particles.len() as f32;
        let cut = world.cut(&Blade::plane(middle, *normal).unwrap()).unwrap();
        assert!(!cut.bodies.is_empty(), "{}: nothing was cut", situation.name);
        world.check().unwrap();
        world = between(world);
    }
    for frame in 0..BUSY {
        (situation.go_on)(&mut world, 2 * BUSY + frame);
        step(&mut world, FRAME).unwrap();
    }
    world
}

fn kinetic_energy_per_mass(world: &World) -> f64 {
    let (mut energy, mut mass) = (0.0, 0.0);
    for (v, &w) in world.particles.v.iter().zip(&world.particles.inverse_mass) {
        let m = 1.0 / f64::from(w);
        energy += 0.5 * m * f64::from(v.truncate().length_squared());
        mass += m;
    }
    energy / mass
}

#[test]
fn solids_that_are_cut_while_busy_come_to_rest() {
    for situation in SITUATIONS {
        for (what, body) in solids() {
            let what = format!("{what} {}", situation.name);
            let mut world = story(situation, &body, 0, |world| world);
            assert!(world.bodies().count() >= 2, "{what}: {} pieces", world.bodies().count());
            world.forces.clear();
            world.config.damping = 4.0;
            let mut quiet = 0;
            for _ in 0..ALONE {
                if quiet == QUIET {
                    break;
                }
                step(&mut world, FRAME).unwrap();
                assert_eq!(world.quarantine, [], "{what}");
                quiet = if kinetic_energy_per_mass(&world) < AT_REST { quiet + 1 } else { 0 };
            }
            world.check().unwrap_or_else(|broken| panic!("{what}: {broken}"));
            let energy = kinetic_energy_per_mass(&world);
            assert_eq!(quiet, QUIET, "{what}: {energy} J/kg after {ALONE} frames");
        }
    }
}

#[test]
fn solids_that_are_cut_while_busy_give_the_same_bits_on_threads_and_after_saving() {
    for situation in SITUATIONS {
        for (what, body) in solids() {
            let what = format!("{what} {}", situation.name);
            let one = story(situation, &body, 1, |world| world).hash();
            assert_eq!(story(situation, &body, 3, |world| world).hash(), one, "{what}: 3 threads");
            let saved = story(situation, &body, 1, |world| World::restore(&world.save()).unwrap());
            assert_eq!(saved.hash(), one, "{what}: saved");
        }
    }
}
