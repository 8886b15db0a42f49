//! Results for other programs: every frame of a run, in the formats that they read without plug-ins.
//!
//! ```no_run
//! use pliant::{World, step};
//! use pliant_io::export::{Frame, Target, create};
//!
//! let mut world = World::default();
//! let target = Target { folder: "out".into(), name: "cloth".into(), fps: 60.0 };
//! let mut usd = create("usd", &target)?;
//! for _ in 0..120 {
//!     usd.frame(&Frame::of(&world))?;
//!     step(&mut world, 1.0 / 60.0)?;
//! }
//! println!("{}", usd.finish()?.hint);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing half written is taken for whole: formats to which frames are appended raise their count
//! after the frame is on the disk; all others appear under their names when they are complete.

mod error;
mod frame;
mod gltf;
mod mdd;
mod npz;
mod obj;
mod pc2;
mod ply;
mod recording;
mod spool;
mod usd;
mod vtk;

#[cfg(test)]
mod tests;

pub use error::ExportError;
pub use frame::{Attribute, Cells, Frame, Part};
pub use recording::Recording;

use std::path::PathBuf;

use error::at;

/// A format in which a run can be written.
pub struct Format {
    /// Its name, as after `--export`.
    pub name: &'static str,
    /// One sentence: who reads it, and what it holds.
    pub about: &'static str,
    create: fn(&Target) -> Result<Box<dyn Writer>, ExportError>,
}

/// Every format, in alphabetical order.
pub const FORMATS: &[Format] = &[
    gltf::FORMAT,
    mdd::FORMAT,
    npz::FORMAT,
    obj::FORMAT,
    pc2::FORMAT,
    ply::FORMAT,
    recording::FORMAT,
    usd::FORMAT,
    vtk::FORMAT,
];

/// Where the files go.
#[derive(Clone, Debug)]
pub struct Target {
    /// The folder; it is made if it is not there.
    pub folder: PathBuf,
    /// How the files begin.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
}

/// Takes frames, one after the other.
pub trait Writer {
    /// Adds a frame.
    ///
    /// # Errors
    /// If the system refuses to write, or the format cannot hold the frame; what was written before
    /// stays readable.
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError>;

    /// Completes the files.
    ///
    /// # Errors
    /// If the system refuses to write.
    fn finish(self: Box<Self>) -> Result<Written, ExportError>;
}

/// What has been written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files to open; those of a sequence are not all listed.
    pub files: Vec<PathBuf>,
    /// How to open them, for people.
    pub hint: String,
}

/// Starts files of the format of that name.
///
/// # Errors
/// If there is no such format, or the folder cannot be made.
pub fn create(format: &str, target: &Target) -> Result<Box<dyn Writer>, ExportError> {
    let unknown = || ExportError::UnknownFormat { name: format.to_owned() };
    let format = FORMATS.iter().find(|known| known.name == format).ok_or_else(unknown)?;
    std::fs::create_dir_all(&target.folder).map_err(at(&target.folder))?;
    (format.create)(target)
}

impl Target {
    /// The file that begins with the target's name and ends like that.
    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.name))
    }

    /// The file of one part.
    fn path_of(&self, part: &str, ending: &str) -> PathBuf {
        self.path(&format!("_{part}{ending}"))
    }

    /// The file of one frame.
    fn path_at(&self, frame: usize, ending: &str) -> PathBuf {
        self.path(&format!("_{frame:05}{ending}"))
    }
}
