//! Nothing to do, too much to do, numbers that explode, bodies that sleep, a device that is lost.

use std::sync::Arc;

use pliant::glam::Vec3;
use pliant::scenes::Scene;
use pliant::shapes::Cloth;
use pliant::{Blueprint, Collider, Config, Force, World, step};
use pliant_gpu::{Choice, Gpu, GpuError, GpuWorld};

use crate::common::{copy, departure, find_gpu};

const FRAME: f32 = 1.0 / 60.0;

/// Takes steps on the GPU and reads the result.
fn run(gpu: &Arc<Gpu>, world: &mut World, steps: u32) {
    let mut on_gpu = GpuWorld::new(gpu, world).unwrap();
    on_gpu.steps(steps, FRAME).unwrap();
    on_gpu.read_into(world).unwrap();
}

#[test]
fn a_world_without_particles_passes_its_time_and_moves_its_colliders() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = World::default();
    run(&gpu, &mut world, 3);
    assert_eq!(world.time, 3.0 * f64::from(FRAME));
    let mut ball = Collider::sphere(Vec3::ZERO, 1.0).unwrap();
    ball.velocity = Vec3::X;
    world.colliders.push(ball);
    let mut here = copy(&world);
    run(&gpu, &mut world, 3);
    (0..3).for_each(|_| step(&mut here, FRAME).unwrap());
    assert_eq!(world.colliders[0].position, here.colliders[0].position);
    assert!(world.colliders[0].position.x > 0.04);
}

#[test]
fn a_step_of_no_time_moves_nothing_and_a_bad_one_is_refused() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = (Scene::find("hanging_cloth").unwrap().build)(8).unwrap();
    let before = world.hash();
    let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
    on_gpu.step(0.0).unwrap();
    on_gpu.read_into(&mut world).unwrap();
    assert_eq!(world.hash(), before);
    for dt in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(on_gpu.step(dt), Err(GpuError::Step(_))), "{dt}");
    }
    world.config.substeps = 0;
    assert!(matches!(on_gpu.push(&mut world), Err(GpuError::Step(_))));
}

#[test]
fn a_world_above_the_limits_is_refused_with_the_number_needed() {
    let Some(_) = find_gpu() else { return };
    let choice = Choice { largest_buffer: Some(100_000), ..Choice::default() };
    let gpu = Gpu::find(&choice).unwrap();
    let mut world = (Scene::find("hanging_cloth").unwrap().build)(100).unwrap();
    let before = world.hash();
    let error = GpuWorld::new(&gpu, &mut world).unwrap_err();
    // 39 402 links of two particles.
    let expected =
        GpuError::TooLarge { what: "particles of constraints", needed: 39_402 * 8, limit: 100_000 };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("315216 bytes"), "{error}");
    assert_eq!(world.hash(), before);
    let mut small = (Scene::find("hanging_cloth").unwrap().build)(20).unwrap();
    run(&gpu, &mut small, 2);
    assert!(small.time > 0.0);
}

#[test]
fn an_adapter_that_is_not_there_is_named_with_those_that_are() {
    let Some(gpu) = find_gpu() else { return };
    let choice = Choice { name: Some("Voodoo 2".into()), ..Choice::default() };
    let error = Gpu::find(&choice).unwrap_err().to_string();
    assert!(error.contains("Voodoo 2") && error.contains(gpu.name()), "{error}");
}

#[test]
fn a_lost_device_is_reported_and_the_world_goes_on_elsewhere() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = (Scene::find("hanging_cloth").unwrap().build)(10).unwrap();
    let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
    on_gpu.steps(3, FRAME).unwrap();
    on_gpu.read_into(&mut world).unwrap();
    let kept = world.hash();
    gpu.destroy();
    let lost = |result: Result<(), GpuError>| {
        assert!(matches!(result, Err(GpuError::Lost { .. })), "{result:?}");
    };
    lost(on_gpu.step(FRAME));
    lost(on_gpu.push(&mut world));
    on_gpu.request().map(|_| ()).map_or_else(|error| lost(Err(error)), |()| panic!("it was read"));
    lost(GpuWorld::new(&gpu, &mut world).map(|_| ()));
    assert_eq!(world.hash(), kept, "what was read before is still there");
    let Some(gpu) = find_gpu() else { return };
    run(&gpu, &mut world, 1);
    step(&mut world, FRAME).unwrap();
}

/// Two small cloths, of which forces tear the first apart after a while.
fn exploding() -> World {
    let mut world = World::default();
    for k in 0..2 {
        let cloth = Cloth { columns: 6, rows: 6, ..Cloth::default() };
        let place = Vec3::X * 2.0 * k as f32;
        let body = cloth.blueprint().unwrap().placed(pliant::glam::Quat::IDENTITY, place);
        world.add(&body).unwrap();
    }
    // Beyond what is taken for finite: 1e18 m/s.
    world.forces.push(Force::point(&[17], Vec3::Y * 1e20));
    world
}

#[test]
fn what_explodes_is_put_aside_as_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let mut there = exploding();
    let mut here = copy(&there);
    run(&gpu, &mut there, 5);
    (0..5).for_each(|_| step(&mut here, FRAME).unwrap());
    assert_eq!(here.quarantine.len(), 1);
    assert_eq!(there.quarantine, here.quarantine);
    let held = |world: &World| world.bodies().map(|(_, body)| body.held).collect::<Vec<_>>();
    assert_eq!(held(&there), [true, false]);
    let [off, _] = departure(&there, &here);
    assert!(off < 1e-5, "{off} m off");
    assert!(there.particles.xw[..36].iter().all(|row| row.w == 0.0 && row.y == 0.0));

    // Once released it moves again.
    there.forces.clear();
    let id = there.bodies().next().unwrap().0;
    there.release(id).unwrap();
    run(&gpu, &mut there, 5);
    assert!(there.quarantine.is_empty());
    assert!(there.particles.position(0).y < -0.01);
}

#[test]
fn a_world_that_is_not_finite_when_it_is_pushed_is_put_aside_too() {
    let Some(gpu) = find_gpu() else { return };
    let mut world = exploding();
    world.forces.clear();
    let mut on_gpu = GpuWorld::new(&gpu, &mut world).unwrap();
    on_gpu.step(FRAME).unwrap();
    on_gpu.read_into(&mut world).unwrap();
    world.particles.v[3].x = f32::NAN;
    world.particles.inverse_mass[4] = f32::INFINITY;
    on_gpu.push(&mut world).unwrap();
    on_gpu.steps(3, FRAME).unwrap();
    on_gpu.read_into(&mut world).unwrap();
    assert_eq!(world.quarantine.len(), 1);
    assert!(world.particles.xw.iter().all(|row| row.is_finite()));
    assert!(world.particles.position(40).y < -0.001, "the other falls");
}

/// Particles that fall on a floor from several heights and stay there, each a body; the first two
/// are tied together.
fn sleepers() -> World {
    let config = Config { sleep_speed: 0.02, sleep_after: 0.25, ..Config::default() };
    let mut world = World::new(config);
    for k in 0..4 {
        let mut body = Blueprint::default();
        body.particle(Vec3::new(k as f32, 0.02 + 0.3 * k as f32, 0.0), 1.0);
        world.add(&body).unwrap();
    }
    let tether = &pliant::constraint::tether::KIND;
    world.join_with_rest(tether, &[0, 1], &[5.0], pliant::Hold::RIGID).unwrap();
    world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
    world
}

fn asleep(world: &World) -> Vec<bool> {
    world.bodies().map(|(_, body)| body.asleep).collect()
}

#[test]
fn bodies_sleep_and_wake_when_they_do_on_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let mut there = sleepers();
    let mut here = copy(&there);
    let mut on_gpu = GpuWorld::new(&gpu, &mut there).unwrap();
    let mut seen = Vec::new();
    for frame in 0..180 {
        let change: Option<fn(&mut World)> = match frame {
            60 => Some(|world| world.particles.set_velocity(1, Vec3::Y)),
            120 => Some(|world| world.config.gravity.x = 0.1),
            150 => Some(|world| world.colliders[0].velocity = Vec3::Y * 0.1),
            _ => None,
        };
        if let Some(change) = change {
            change(&mut here);
            change(&mut there);
            on_gpu.push(&mut there).unwrap();
        }
        step(&mut here, FRAME).unwrap();
        on_gpu.step(FRAME).unwrap();
        on_gpu.read_into(&mut there).unwrap();
        assert_eq!(asleep(&there), asleep(&here), "frame {frame}");
        let [off, _] = departure(&there, &here);
        assert!(off < 1e-5, "frame {frame}: {off} m off");
        if seen.last() != Some(&asleep(&here)) {
            seen.push(asleep(&here));
        }
    }
    assert!(seen.contains(&vec![true; 4]), "all slept once: {seen:?}");
    assert!(seen.contains(&vec![false, false, true, true]), "two woke together: {seen:?}");
    assert_eq!(seen.last(), Some(&vec![false; 4]), "a moving floor wakes all: {seen:?}");
}
