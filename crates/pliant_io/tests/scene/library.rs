//! The scenes that come with the program hold what they promise.

use std::collections::BTreeSet;

use pliant::World;
use pliant_io::scene::library::{ALL, Entry};
use pliant_io::scene::{Play, Scene};

/// The coarse version of a scene.
fn quick(entry: &Entry) -> Play {
    let mut scene = Scene::parse(entry.name, entry.text).unwrap_or_else(|e| panic!("{e}"));
    scene.quicken().unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn every_scene_holds_what_it_promises() {
    let mut failures = Vec::new();
    for entry in ALL {
        let mut play = quick(entry);
        play.world.config.threads = 1;
        assert!(play.last_check() > 0, "{} promises nothing", entry.name);
        while play.frame() < play.last_check() {
            play.advance().unwrap();
            let broken = play.check().into_iter().filter(|check| !check.holds);
            failures.extend(broken.map(|check| format!("{}: {}", entry.name, check.says)));
        }
        assert_eq!(play.world.quarantine, [], "{}", entry.name);
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// 600 frames, in several builds and processes, are compared by `cargo xtask test --only
/// determinism`.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn sixty_frames_hash_alike_on_any_number_of_threads_and_after_a_save() {
    for entry in ALL {
        let run = |play: &mut Play, threads: u32, frames: u32| {
            play.world.config.threads = threads;
            for _ in 0..frames {
                play.advance().unwrap();
            }
        };
        let mut play = quick(entry);
        run(&mut play, 1, 30);
        let saved = play.world.save();
        run(&mut play, 1, 30);
        let hash = play.world.hash();
        let mut threaded = quick(entry);
        run(&mut threaded, 3, 60);
        assert_eq!(threaded.world.hash(), hash, "{}: 3 threads differ from 1", entry.name);
        let mut resumed = quick(entry);
        let world = World::restore(&saved).unwrap();
        assert_eq!(world.save(), saved, "{}: saving what was restored", entry.name);
        resumed.resume(world, 30);
        run(&mut resumed, 2, 30);
        assert_eq!(resumed.world.hash(), hash, "{}: resumed midway", entry.name);
    }
}

#[test]
fn the_library_is_the_folder_and_every_scene_says_what_it_shows() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let files: BTreeSet<String> =
        files.filter_map(|name| Some(name.to_str()?.strip_suffix(".toml")?.to_owned())).collect();
    let listed: BTreeSet<String> = ALL.iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(files, listed, "scenes/*.toml and library::ALL");
    for entry in ALL {
        let scene = Scene::parse(entry.name, entry.text).unwrap();
        let shows = scene.shows();
        assert!(shows.len() > 20 && !shows.ends_with('.'), "{}: {shows:?}", entry.name);
        assert!(entry.text.starts_with("#:schema ./schema.json\n"), "{}", entry.name);
    }
}
