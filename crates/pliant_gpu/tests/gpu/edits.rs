//! What is changed between two steps reaches the GPU, and what is not keeps what the GPU made of it.

use std::sync::Arc;

use pliant::collider::Motion;
use pliant::collider::motion::{Blend, Drag, End, Key, Track};
use pliant::constraint::distance;
use pliant::force::wind::Wind;
use pliant::glam::{Quat, Vec3};
use pliant::scenes::Scene;
use pliant::shapes::{Cloth, Rope};
use pliant::tear::Strength;
use pliant::testing::nudge;
use pliant::{Blueprint, Collider, Hold, World, step};
use pliant_gpu::{Gpu, GpuWorld};

use crate::common::{copy, departure, find_gpu};
use crate::parity::CHAOS;

const FRAME: f32 = 1.0 / 60.0;

fn cloth(place: Vec3) -> Blueprint {
    let cloth = Cloth { columns: 12, rows: 12, spacing: [0.1; 2], ..Cloth::default() };
    let pins = cloth.corners();
    cloth.blueprint().unwrap().pinned(&pins[..2]).placed(Quat::IDENTITY, place)
}

/// Three cloths side by side.
fn cloths() -> World {
    let mut world = World::default();
    for k in 0..3 {
        world.add(&cloth(Vec3::X * 3.0 * k as f32)).unwrap();
    }
    world
}

/// Whether the world is read from the GPU before it is changed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Read,
    Unread,
}

/// Steps, a change and more steps, on CPU and GPU; how far apart they are then, of the size, beyond what
/// a nudge makes of the same on the CPU.
fn departure_after(
    gpu: &Arc<Gpu>,
    mut here: World,
    before: Before,
    change: impl Fn(&mut World),
    push: impl Fn(&mut GpuWorld, &mut World),
) -> f32 {
    let nudged = [1, 2, 3].map(|seed| {
        let mut world = copy(&here);
        nudge(&mut world, seed);
        changed(&mut world, &change);
        world
    });
    let mut there = copy(&here);
    let mut on_gpu = GpuWorld::new(gpu, &mut there).unwrap();
    on_gpu.steps(8, FRAME).unwrap();
    if before == Before::Read {
        on_gpu.read_into(&mut there).unwrap();
    }
    change(&mut there);
    push(&mut on_gpu, &mut there);
    on_gpu.steps(8, FRAME).unwrap();
    on_gpu.read_into(&mut there).unwrap();

    let mut without = copy(&here);
    changed(&mut here, &change);
    changed(&mut without, |_| {});
    let [off, size] = departure(&there, &here);
    if without.particles.len() == here.particles.len() {
        let [effect, _] = departure(&without, &here);
        assert!(effect > 1e-3 * size, "the change makes a difference of {effect} m only");
    }
    let chaos = nudged.iter().map(|world| departure(world, &here)[0]).fold(0.0, f32::max);
    (off - CHAOS * chaos) / size
}

/// Steps, a change and more steps on the CPU.
fn changed(world: &mut World, change: impl Fn(&mut World)) {
    (0..8).for_each(|_| step(world, FRAME).unwrap());
    change(world);
    (0..8).for_each(|_| step(world, FRAME).unwrap());
}

fn push(on_gpu: &mut GpuWorld, world: &mut World) {
    on_gpu.push(world).unwrap();
}

/// Ways to change a world, by name.
type Change = (&'static str, fn(&mut World));

const CHANGES: &[Change] = &[
    ("a particle is dragged", |world| {
        world.particles.set_position(140, Vec3::new(0.3, -0.3, 0.8));
        world.particles.set_velocity(140, Vec3::Z);
    }),
    ("gravity turns", |world| world.config.gravity = Vec3::new(9.0, 3.0, 0.0)),
    ("more iterations", |world| {
        (world.config.substeps, world.config.iterations) = (2, 3);
        world.config.gravity *= -1.0;
    }),
    ("a cloth gets soft and shorter", |world| {
        let links = world.constraints_of_mut(&distance::KIND).unwrap();
        for number in 0..links.len() / 3 {
            let rest = links.rest(number).next().unwrap();
            links.set_hold(number, Hold::spring(100.0)).unwrap();
            links.set_rest(number, &[0.9 * rest]).unwrap();
        }
    }),
    ("a ball comes", |world| {
        let mut ball = Collider::sphere(Vec3::new(0.0, -0.9, 0.4), 0.4).unwrap();
        ball.velocity = Vec3::Y * 4.0;
        world.colliders.push(ball);
    }),
    ("wind rises", |world| {
        let wind = Wind { velocity: Vec3::Z * 20.0, density: 5.0, ..Wind::default() };
        world.forces.push(wind.into());
    }),
    ("a cloth is added", |world| {
        world.add(&cloth(Vec3::Y * 2.0)).unwrap();
    }),
    ("a cloth is removed", |world| {
        let id = world.bodies().nth(1).unwrap().0;
        world.remove(id).unwrap();
    }),
    ("one cloth goes, two come, one is dragged", |world| {
        let id = world.bodies().next().unwrap().0;
        world.remove(id).unwrap();
        world.add(&cloth(Vec3::Y * 2.0)).unwrap();
        world.add(&cloth(Vec3::Y * 4.0)).unwrap();
        world.particles.set_position(140, Vec3::new(0.3, -0.3, 0.8));
    }),
];

#[test]
fn every_change_reaches_the_gpu() {
    let Some(gpu) = find_gpu() else { return };
    for (what, change) in CHANGES {
        for before in [Before::Read, Before::Unread] {
            println!("{what}, {before:?}");
            let off = departure_after(&gpu, cloths(), before, change, push);
            assert!(off < 1e-4, "{what}, {before:?}: {off:.1e} of the size off");
        }
    }
}

#[test]
fn what_is_pinned_stays_where_the_gpu_has_brought_it() {
    let Some(gpu) = find_gpu() else { return };
    let swap = |world: &mut World| {
        world.particles.pin(143);
        world.particles.unpin(0);
    };
    for before in [Before::Read, Before::Unread] {
        for way in [push, |on_gpu: &mut GpuWorld, world: &mut World| {
            on_gpu.push_moves(world).unwrap();
        }] {
            let off = departure_after(&gpu, cloths(), before, swap, way);
            assert!(off < 1e-4, "{before:?}: {off:.1e} of the size off");
        }
    }
}

#[test]
fn a_mouse_drags_particles_and_colliders() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = cloths();
    world.colliders.push(Collider::sphere(Vec3::new(0.0, -3.0, 0.3), 0.4).unwrap());
    let drag = |world: &mut World| {
        world.particles.set_position(140, Vec3::new(0.3, -0.3, 0.8));
        world.colliders[0].position = Vec3::new(0.0, -0.6, 0.3);
    };
    let way = |on_gpu: &mut GpuWorld, world: &mut World| on_gpu.push_moves(world).unwrap();
    for before in [Before::Read, Before::Unread] {
        let off = departure_after(&gpu, copy(&world), before, drag, way);
        assert!(off < 1e-4, "{before:?}: {off:.1e} of the size off");
    }
}

#[test]
fn a_push_of_nothing_changes_no_bit() {
    let Some(gpu) = find_gpu() else { return };
    let run = |every: u32| {
        let mut world = (Scene::find("balloon").unwrap().build)(10).unwrap();
        let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
        for number in 0..12 {
            on_gpu.step(FRAME).unwrap();
            if number % every == 0 {
                on_gpu.push(&mut world).unwrap();
            }
        }
        on_gpu.read_into(&mut world).unwrap();
        world.hash()
    };
    assert_eq!(run(100), run(1));
}

#[test]
fn a_snapshot_goes_on_where_the_gpu_was() {
    let Some(gpu) = find_gpu() else { return };
    for name in ["balloon", "squeezed_cube", "flag"] {
        let mut world = (Scene::find(name).unwrap().build)(8).unwrap();
        let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
        on_gpu.steps(10, FRAME).unwrap();
        on_gpu.read_into(&mut world).unwrap();
        let mut restored = World::restore(&world.save()).unwrap();
        let mut again = GpuWorld::new(&gpu, &mut restored).unwrap();
        for there in [&mut on_gpu, &mut again] {
            there.steps(10, FRAME).unwrap();
        }
        on_gpu.read_into(&mut world).unwrap();
        again.read_into(&mut restored).unwrap();
        assert_eq!(world.hash(), restored.hash(), "{name}");
        assert_eq!(world.time, restored.time, "{name}");
    }
}

#[test]
fn results_arrive_while_the_gpu_goes_on() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = cloths();
    let mut then = copy(&world);
    let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
    on_gpu.steps(5, FRAME).unwrap();
    let reading = on_gpu.request().unwrap();
    on_gpu.steps(5, FRAME).unwrap();
    while !reading.is_ready() {
        std::thread::yield_now();
    }
    on_gpu.take(&reading, &mut world).unwrap();
    (0..5).for_each(|_| step(&mut then, FRAME).unwrap());
    let [off, size] = departure(&world, &then);
    assert!(off < 1e-4 * size, "{off} m off");
    assert_eq!(world.time, then.time);

    // What is changed now meets the five steps that came after.
    world.particles.set_velocity(140, Vec3::Z * 5.0);
    on_gpu.push(&mut world).unwrap();
    on_gpu.read_into(&mut world).unwrap();
    (0..5).for_each(|_| step(&mut then, FRAME).unwrap());
    assert_eq!(world.particles.velocity(140), Vec3::Z * 5.0);
    assert_eq!(world.time, then.time);
    let [off, size] = departure(&world, &then);
    assert!(off < 1e-4 * size, "{off} m off");
}

#[test]
fn a_world_that_was_edited_must_be_pushed_before_it_is_read() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = cloths();
    let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
    on_gpu.step(FRAME).unwrap();
    world.add(&cloth(Vec3::Y * 2.0)).unwrap();
    let error = on_gpu.read_into(&mut world).unwrap_err().to_string();
    assert_eq!(
        error,
        "the GPU has 432 particles and the world 576; push the world after editing it"
    );
}

/// A cloth between two balls: one on keyframes, one that turns and is dragged.
fn led() -> World {
    let mut world = World::default();
    world.add(&cloth(Vec3::ZERO)).unwrap();
    let key = |time, x| Key { time, position: x, rotation: Quat::from_rotation_x(time) };
    let keys = [key(0.0, Vec3::new(0.0, -0.6, 0.2)), key(0.3, Vec3::new(0.1, -0.1, 0.4))];
    let track = Track::new(&keys, Blend::Smooth, End::Repeat).unwrap();
    let ball = Collider { friction: 0.8, ..Collider::sphere(Vec3::ZERO, 0.3).unwrap() };
    world.colliders.push(ball.clone().moved(Motion::Track(track)));
    let mut turning = Collider { position: Vec3::new(0.2, -0.32, 0.1), ..ball };
    turning.angular_velocity = Vec3::new(3.0, 0.0, 1.0);
    world.colliders.push(turning);
    world
}

#[test]
fn colliders_that_turn_or_follow_keyframes_move_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let drag = |world: &mut World| {
        let target = Drag::to(Vec3::new(-0.2, 0.2, 0.3), 2.0).unwrap();
        world.colliders[1].motion = Motion::Drag(target);
    };
    for before in [Before::Read, Before::Unread] {
        let off = departure_after(&gpu, led(), before, drag, push);
        assert!(off < 1e-4, "{before:?}: {off:.1e} of the size off");
    }
    let mut there = led();
    let mut here = copy(&there);
    let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
    for _ in 0..10 {
        on_gpu.step_in_slices(FRAME, 3).unwrap();
        step(&mut here, FRAME).unwrap();
    }
    on_gpu.read_into(&mut there).unwrap();
    for (a, b) in there.colliders.iter().zip(&here.colliders) {
        assert_eq!((a.position, a.rotation), (b.position, b.rotation));
        assert_eq!(a.motion, b.motion);
    }
    let [off, size] = departure(&there, &here);
    assert!(off < 1e-4 * size, "{off} m off of {size} m");
}

/// A rope that hangs by its first particle, of links that break or yield under half its weight.
fn weak_rope(strength: impl Fn(f32) -> Strength) -> World {
    let rope = Rope { stretch: Hold::spring(1e3), ..Rope::default() }.blueprint().unwrap();
    let weight = 9.81 * rope.masses.iter().sum::<f32>();
    let mut world = World::default();
    world.add(&rope.of_strength(strength(0.5 * weight)).unwrap().pinned(&[0])).unwrap();
    world
}

#[test]
fn what_bears_too_much_breaks_or_yields_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let breaks = |force| Strength { break_force: force, ..Strength::default() };
    let yields = |_| Strength { yield_strain: 1e-3, creep: 10.0, ..Strength::default() };
    for (what, mut here) in [("breaks", weak_rope(breaks)), ("yields", weak_rope(yields))] {
        let mut there = copy(&here);
        let links = |world: &World| world.constraints_of(&distance::KIND).unwrap().len();
        let length = |world: &World| -> f32 {
            let set = world.constraints_of(&distance::KIND).unwrap();
            (0..set.len()).filter_map(|number| set.rest(number).next()).sum()
        };
        let before = (links(&here), length(&here));
        let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
        for _ in 0..30 {
            on_gpu.push(&mut there).unwrap();
            on_gpu.step(FRAME).unwrap();
            on_gpu.read_into(&mut there).unwrap();
            step(&mut here, FRAME).unwrap();
        }
        assert_ne!((links(&here), length(&here)), before, "it {what} on the CPU");
        assert_eq!(links(&there), links(&here), "{what}");
        assert!((length(&there) / length(&here) - 1.0).abs() < 1e-4, "{what}");
        let [off, size] = departure(&there, &here);
        assert!(off < 1e-3 * size, "{what}: {off} m off of {size} m");
    }
}
