//! Films: pictures one after the other, in any of several formats.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pliant::raster::Image;

use super::ImageError;

/// A film that is being written. Dropped before [`finish`](Self::finish), it leaves nothing that
/// could be taken for a whole one.
pub trait Film {
    /// Adds a picture.
    ///
    /// # Errors
    /// If it is of another size, or cannot be written.
    fn frame(&mut self, image: &Image) -> Result<(), ImageError>;

    /// Completes the film and returns where it is.
    ///
    /// # Errors
    /// If it cannot be written, or has no picture.
    fn finish(self: Box<Self>) -> Result<PathBuf, ImageError>;
}

/// What a film is to be.
#[derive(Clone, Debug)]
pub struct Reel {
    /// Where, without the ending of the format.
    pub path: PathBuf,
    /// Columns and rows (pixels).
    pub size: [u32; 2],
    /// Pictures a second.
    pub fps: f32,
}

impl Reel {
    /// The path with `ending` behind it; a dot in its name is no ending.
    pub(super) fn with_ending(&self, ending: &str) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(ending);
        path.into()
    }
}

/// A format in which films can be written.
pub struct FilmFormat {
    /// Its name, as in commands.
    pub name: &'static str,
    /// One sentence: what it is good for.
    pub about: &'static str,
    /// Begins a film.
    pub create: fn(&Reel) -> Result<Box<dyn Film>, ImageError>,
}

/// Pictures as files of their own, in a folder.
pub(super) struct Sequence {
    folder: PathBuf,
    size: [u32; 2],
    ending: &'static str,
    write: fn(&Image, &Path) -> Result<(), ImageError>,
    frames: u32,
}

impl Sequence {
    /// Begins one; what an earlier one left in its folder is removed, or its end would follow ours.
    pub(super) fn create(reel: &Reel, format: &super::Format) -> Result<Self, ImageError> {
        let folder = &reel.path;
        let at = super::at(folder);
        std::fs::create_dir_all(folder).map_err(&at)?;
        for entry in std::fs::read_dir(folder).map_err(&at)? {
            let path = entry.map_err(&at)?.path();
            if is_numbered(&path, format.extension) {
                std::fs::remove_file(&path).map_err(super::at(&path))?;
            }
        }
        let (ending, write) = (format.extension, format.write);
        Ok(Self { folder: folder.clone(), size: reel.size, ending, write, frames: 0 })
    }
}

/// Whether a file is called like a picture of a sequence.
fn is_numbered(path: &Path, ending: &str) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    path.extension().is_some_and(|found| found == ending)
        && stem.len() >= DIGITS
        && stem.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits of the first names: half an hour at 30 pictures a second, in the order of their names.
const DIGITS: usize = 5;

impl Film for Sequence {
    fn frame(&mut self, image: &Image) -> Result<(), ImageError> {
        let name = format!("{:0DIGITS$}.{}", self.frames, self.ending);
        let (path, found) = (self.folder.join(name), [image.width, image.height]);
        if found != self.size {
            return Err(ImageError::FrameSize { path, expected: self.size, found });
        }
        self.frames += 1;
        (self.write)(image, &path)
    }

    fn finish(self: Box<Self>) -> Result<PathBuf, ImageError> {
        Ok(self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::FILMS;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("pliant-film-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn every_format_makes_a_film_or_names_the_program_it_needs() {
        let folder = folder("all");
        let reel = Reel { path: folder.join("a.b"), size: [32, 20], fps: 30.0 };
        for format in FILMS {
            let mut film = match (format.create)(&reel) {
                Err(ImageError::NoProgram { .. }) => continue,
                film => film.unwrap_or_else(|e| panic!("{}: {e}", format.name)),
            };
            film.frame(&Image::new(32, 20)).unwrap();
            let other = film.frame(&Image::new(20, 32));
            assert!(matches!(other, Err(ImageError::FrameSize { .. })), "{}", format.name);
            let path = film.finish().unwrap();
            assert!(path.exists() && path.starts_with(&folder), "{}", path.display());
            let name = path.file_name().unwrap().to_string_lossy();
            assert!(name.starts_with("a.b"), "{}: {name}", format.name);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_shorter_sequence_leaves_nothing_of_a_longer_one() {
        let folder = folder("sequence");
        let reel = Reel { path: folder.join("run"), size: [4, 4], fps: 30.0 };
        std::fs::create_dir_all(&reel.path).unwrap();
        std::fs::write(reel.path.join("notes.png"), "not ours").unwrap();
        for count in [3, 2] {
            let mut film = Sequence::create(&reel, &super::super::png::FORMAT).unwrap();
            (0..count).for_each(|_| film.frame(&Image::new(4, 4)).unwrap());
        }
        let files = std::fs::read_dir(&reel.path).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["00000.png", "00001.png", "notes.png"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn formats_are_sorted_and_differ() {
        assert!(FILMS.is_sorted_by(|a, b| a.name < b.name));
    }
}
