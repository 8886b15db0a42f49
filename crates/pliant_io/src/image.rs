//! Pictures and animations as files.
//!
//! ```no_run
//! use pliant::raster::{render, Scene};
//!
//! let image = render(&Scene::default(), 640, 480);
//! pliant_io::image::write(&image, "scene.png".as_ref())?;
//! # Ok::<(), pliant_io::image::ImageError>(())
//! ```

mod film;
mod gif;
mod jpeg;
mod legend;
mod mp4;
mod palette;
mod png;

pub use film::{Film, FilmFormat, Reel};
pub use gif::GifWriter;
pub use legend::legend;
pub use mp4::Mp4Writer;
pub use png::{decode as decode_png, write_small};

use pliant::raster::Image;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A format in which a picture can be written.
pub struct Format {
    /// Ending of the file's name, in lower case and without the dot.
    pub extension: &'static str,
    /// One sentence: what it is good for.
    pub about: &'static str,
    /// Writes one picture.
    pub write: fn(&Image, &Path) -> Result<(), ImageError>,
}

/// Every format, in alphabetical order.
pub const FORMATS: &[Format] = &[gif::FORMAT, png::FORMAT];

/// Every format of films, in alphabetical order.
pub const FILMS: &[FilmFormat] = &[gif::FILM, mp4::FILM, png::FILM];

/// Writes `image` in the format that the ending of `path` names.
pub fn write(image: &Image, path: &Path) -> Result<(), ImageError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match FORMATS.iter().find(|format| format.extension == extension) {
        Some(format) => (format.write)(image, path),
        None => Err(ImageError::UnknownFormat { path: path.to_path_buf(), extension }),
    }
}

/// The picture in the bytes of a PNG or JPEG file called `path`.
///
/// # Errors
/// If they are neither, or one of more than 256 MiB.
pub fn decode(path: &Path, bytes: &[u8]) -> Result<Image, ImageError> {
    if bytes.starts_with(jpeg::MAGIC) { jpeg::decode(path, bytes) } else { decode_png(path, bytes) }
}

/// Why a picture could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// The system refused to create, write or rename the file.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The ending of the name belongs to no format.
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The ending, in lower case; empty if there is none.
        extension: String,
    },
    /// The picture has no pixels, more than the format allows, or not as many as it says.
    Size {
        /// The file.
        path: PathBuf,
        /// Columns (pixels).
        width: u32,
        /// Rows (pixels).
        height: u32,
        /// Number of pixels that were given.
        pixels: usize,
        /// Longest side that the format allows (pixels).
        limit: u32,
    },
    /// A frame differs in size from its animation.
    FrameSize {
        /// The file.
        path: PathBuf,
        /// Columns and rows of the animation (pixels).
        expected: [u32; 2],
        /// Columns and rows of the frame (pixels).
        found: [u32; 2],
    },
    /// The format cannot play this many frames per second.
    Rate {
        /// The file.
        path: PathBuf,
        /// Frames per second.
        fps: f32,
    },
    /// A program that makes the file is not installed.
    NoProgram {
        /// The file.
        path: PathBuf,
        /// The program.
        program: &'static str,
    },
    /// The file is no picture that can be read.
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The encoder refused the data.
    Encode {
        /// The file.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => {
                write!(
                    f,
                    "{}: {source}; does the folder exist, and may it be written?",
                    path.display()
                )
            }
            Self::UnknownFormat { path, extension } => {
                let known: Vec<&str> = FORMATS.iter().map(|format| format.extension).collect();
                write!(
                    f,
                    "{}: no picture format is called \"{extension}\"; use one of: {}",
                    path.display(),
                    known.join(", ")
                )
            }
            Self::Size { path, width, height, pixels, limit } => write!(
                f,
                "{}: a picture of {width} × {height} with {pixels} pixels cannot be written; \
                 each side must be 1 to {limit} and all pixels be there",
                path.display()
            ),
            Self::FrameSize { path, expected: [w, h], found: [x, y] } => write!(
                f,
                "{}: the frame is {x} × {y} pixels, but the animation is {w} × {h}; \
                 render all frames at one size",
                path.display()
            ),
            Self::Rate { path, fps } => write!(
                f,
                "{}: {fps} frames per second cannot be played; use 1 to 50",
                path.display()
            ),
            Self::NoProgram { path, program } => write!(
                f,
                "{}: the program {program} is not installed; install it, or write a gif",
                path.display()
            ),
            Self::Decode { path, reason } => {
                write!(f, "{}: no picture: {reason}; is it a whole PNG or JPEG?", path.display())
            }
            Self::Encode { path, reason } => {
                write!(f, "{}: the encoder refused: {reason}; please report this", path.display())
            }
        }
    }
}

impl std::error::Error for ImageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Names the file in an error of the system.
fn at(path: &Path) -> impl Fn(io::Error) -> ImageError {
    move |source| ImageError::Io { path: path.to_path_buf(), source }
}

/// Refuses pictures without pixels, with sides beyond `limit`, or with pixels missing.
fn check_size(image: &Image, path: &Path, limit: u32) -> Result<(), ImageError> {
    let &Image { width, height, ref rgb } = image;
    let sides = (1..=limit).contains(&width) && (1..=limit).contains(&height);
    if sides && rgb.len() as u64 == u64::from(width) * u64::from(height) {
        return Ok(());
    }
    let path = path.to_path_buf();
    Err(ImageError::Size { path, width, height, pixels: rgb.len(), limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_ending_is_explained() {
        let error = write(&Image::new(2, 2), Path::new("scene.bmp")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("scene.bmp") && text.contains("gif, png"), "{text}");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let path = Path::new("no-such-folder/scene.png");
        let text = write(&Image::new(2, 2), path).unwrap_err().to_string();
        assert!(text.starts_with("no-such-folder/scene.png: "), "{text}");
    }

    #[test]
    fn every_format_refuses_an_empty_picture() {
        for format in FORMATS {
            let path = std::env::temp_dir().join(format!("pliant-empty.{}", format.extension));
            let error = (format.write)(&Image::new(0, 4), &path).unwrap_err();
            assert!(matches!(error, ImageError::Size { .. }), "{}: {error}", format.extension);
            assert!(!path.exists(), "{} left a file", format.extension);
        }
    }

    #[test]
    fn formats_are_sorted_and_differ() {
        assert!(FORMATS.is_sorted_by(|a, b| a.extension < b.extension));
    }
}
