//! Why a run could not be written.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::FORMATS;

/// Why a run could not be written or read back.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The system refused to create, write or rename a file.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no format of that name.
    UnknownFormat {
        /// The name.
        name: String,
    },
    /// Vertices, triangles or parts are not those of the first frame, and the format needs them to
    /// be.
    Changed {
        /// The format.
        format: &'static str,
        /// The part that changed.
        part: String,
        /// The frame in which it did, counted from 0.
        frame: usize,
    },
    /// More than the format can hold.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too much.
        what: &'static str,
    },
    /// A recording is damaged, or none.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The frame that cannot be read, counted from 0.
        frame: usize,
        /// What was found.
        found: String,
    },
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(
                f,
                "{}: {source}; may the folder be written, and is there space?",
                path.display()
            ),
            Self::UnknownFormat { name } => {
                let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
                write!(f, "no format is called \"{name}\"; use one of: {}", known.join(", "))
            }
            Self::Changed { format, part, frame } => write!(
                f,
                "{format} needs the same vertices in every frame, but those of {part} change in \
                 frame {frame}; export to usd, vtk, obj or ply"
            ),
            Self::TooLarge { path, what } => {
                write!(
                    f,
                    "{}: too many {what} for this format; export to usd or vtk",
                    path.display()
                )
            }
            Self::Damaged { path, frame, found } => write!(
                f,
                "{}: frame {frame} cannot be read: {found}; the frames before it can",
                path.display()
            ),
        }
    }
}

impl Error for ExportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Names the file in an error of the system.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> ExportError {
    move |source| ExportError::Io { path: path.to_path_buf(), source }
}
