//! What every fuzz target does with the bytes that it is given.

use std::path::Path;

use pliant::mesh::repair::{Repair, RepairError, repair, repair_tets};
use pliant_io::mesh::{Format, Source, read_bytes};

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
