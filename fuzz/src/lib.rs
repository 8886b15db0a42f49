//! What every fuzz target does with the bytes that it is given.

use std::path::Path;

use pliant::mesh::repair::{Repair, RepairError, repair, repair_tets};
use pliant_io::mesh::{Format, Source, read_bytes};
use pliant_io::scene::Scene;

/// Particles up to which a scene is simulated: more take longer than they teach.
const FEW: usize = 3000;

/// Reads `bytes` as a scene, and if it is one of few particles, takes some frames of it.
///
/// # Panics
/// If what comes out is not finite.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut scene) = Scene::parse("fuzz.toml", text) else { return };
    let _ = scene.quicken();
    let again = Scene::parse("again.toml", &scene.resolved());
    assert!(again.is_ok(), "what was resolved is no scene: {:?}", again.err());
    if text.len() > 4096 || text.contains("count") || text.contains("cell") {
        return; // anything from one particle to millions
    }
    let Ok(mut play) = scene.build() else { return };
    if play.world.particles.len() > FEW || play.world.config.substeps > 50 {
        return;
    }
    play.world.config.iterations = 1;
    for _ in 0..3 {
        play.advance().expect("settings were checked");
    }
    assert!(play.world.particles.xw.iter().all(|row| row.is_finite()), "not finite");
}

/// Reads `bytes` as a file of that ending, beside a copy of itself, and repairs what comes out.
///
/// # Panics
/// If something is read that makes no sense.
pub fn mesh(extension: &str, bytes: &[u8]) {
    let path = Path::new("fuzz").with_extension(extension);
    let Ok(format) = Format::of(&path) else { panic!("no format has the ending {extension}") };
    let beside = |_: &str| Ok(bytes.to_vec());
    let Ok(imported) = read_bytes(format, &Source { name: &path, bytes, beside: &beside }) else {
        return;
    };
    let how = Repair { fill_holes: 9, ..Repair::default() };
    let surface = repair(&imported.skin().mesh, &how).map(drop);
    let tets = repair_tets(&imported.tets).map(drop);
    for outcome in [surface, tets] {
        assert!(matches!(outcome, Ok(()) | Err(RepairError::TooFar { .. })), "{outcome:?}");
    }
}
