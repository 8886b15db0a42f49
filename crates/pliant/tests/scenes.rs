//! Every scene holds what it promises, and is the same on any number of threads and after a save.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use pliant::glam::Vec3;
use pliant::scenes::{ALL, Scene};
use pliant::{World, step};

const FRAME: f32 = 1.0 / 60.0;

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        step(world, FRAME).unwrap();
    }
}

fn build(scene: &Scene, threads: u32) -> World {
    let mut world = (scene.build)(scene.test_size).unwrap();
    world.config.threads = threads;
    world
}

#[test]
fn every_scene_holds_what_it_promises() {
    let failures: Vec<String> = ALL
        .iter()
        .filter_map(|scene| {
            let mut world = build(scene, 1);
            run(&mut world, (scene.seconds / FRAME) as u32);
            assert_eq!(world.quarantine, [], "{}", scene.name);
            let xw = &world.particles.xw;
            let middle = xw.iter().map(|row| row.truncate()).sum::<Vec3>() / xw.len() as f32;
            let [low, high] = (scene.stage)(scene.test_size);
            assert!(middle.cmpge(low).all() && middle.cmple(high).all(), "{}: left", scene.name);
            let failure = (scene.check)(&world).err()?;
            Some(format!("{}: {failure}", scene.name))
        })
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Fewer, in several builds and processes, are compared by `cargo xtask test --only determinism`.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn two_hundred_frames_hash_alike_on_any_number_of_threads_and_after_a_save() {
    for scene in ALL {
        let mut world = build(scene, 1);
        run(&mut world, 100);
        let saved = world.save();
        run(&mut world, 100);
        let hash = world.hash();
        for threads in [2, 3, 8] {
            let mut world = build(scene, threads);
            run(&mut world, 200);
            assert_eq!(world.hash(), hash, "{}: {threads} threads differ from 1", scene.name);
        }
        let mut restored = World::restore(&saved).unwrap();
        assert_eq!(restored.save(), saved, "{}: saving what was restored", scene.name);
        restored.config.threads = 2;
        run(&mut restored, 100);
        assert_eq!(restored.hash(), hash, "{}: restored midway", scene.name);
    }
}

#[test]
fn the_hash_sees_a_single_bit() {
    let mut world = build(ALL[0], 1);
    let hash = world.hash();
    let last = world.particles.v.len() - 1;
    world.particles.v[last].z = f32::from_bits(1);
    assert_ne!(world.hash(), hash);
}

#[test]
fn a_body_far_away_changes_nothing() {
    let scene = Scene::find("hanging_cloth").unwrap();
    let (mut alone, mut accompanied) = (build(scene, 1), build(scene, 1));
    let far = pliant::shapes::TetBox::default().blueprint().unwrap();
    let far = far.placed(Default::default(), Vec3::X * 1e4);
    accompanied.add(&far).unwrap();
    run(&mut alone, 120);
    run(&mut accompanied, 120);
    let count = alone.particles.len();
    assert_eq!(alone.particles.xw, accompanied.particles.xw[..count]);
}
