//! What can be wrong with a mesh file, and where.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::FORMATS;

/// Why a mesh could not be read.
#[derive(Debug)]
pub struct MeshError {
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub cause: Cause,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
    /// An entry of a structured file, such as `accessors[3]`.
    Entry(String),
}

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The system refused to open or read the file.
    Io(io::Error),
    /// The ending of the name belongs to no format.
    UnknownFormat {
        /// The ending, in lower case; empty if there is none.
        extension: String,
    },
    /// A folder, device or pipe.
    NotAFile,
    /// More than is read into memory.
    TooLarge {
        /// How much there is (bytes).
        bytes: u64,
        /// How much may be (bytes).
        limit: u64,
    },
    /// Something else stands where the format wants something.
    Expected {
        /// What should be there.
        expected: String,
        /// What is.
        found: String,
    },
    /// The file is in order, but uses something that is not read.
    Unsupported {
        /// What it uses.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The file names another file that may not or cannot be opened.
    Neighbour {
        /// The name, as written in the file.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The file is in order, but has no surface, no tetrahedra and no grid.
    Empty {
        /// What it has instead.
        skipped: Vec<Skipped>,
    },
}

/// Something that is in the file and is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// What, in the plural.
    pub what: String,
    /// How many.
    pub count: usize,
}

/// An error before the name of the file is known.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) cause: Cause,
}

impl Fault {
    pub(super) fn expected(place: Place, expected: &str, found: &str) -> Self {
        // What was found may be as long as the file.
        let (expected, found) = (expected.to_owned(), found.chars().take(200).collect());
        Self { place, cause: Cause::Expected { expected, found } }
    }

    pub(super) fn unsupported(place: Place, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { place, cause: Cause::Unsupported { what: what.into(), remedy } }
    }

    /// Names the file.
    pub(super) fn of(self, file: PathBuf) -> MeshError {
        MeshError { file, place: self.place, cause: self.cause }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.file.display(), self.place, self.cause)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.cause)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
            Self::Entry(entry) => write!(f, ", {entry}"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(source) => write!(f, "{source}; does it exist, and may it be read?"),
            Self::UnknownFormat { extension } => {
                let known: Vec<_> =
                    FORMATS.iter().flat_map(|format| format.extensions).copied().collect();
                write!(
                    f,
                    "no mesh format is called \"{extension}\"; use one of: {}",
                    known.join(", ")
                )
            }
            Self::NotAFile => write!(f, "a folder, device or pipe; name a file"),
            Self::TooLarge { bytes, limit } => write!(
                f,
                "{bytes} bytes are more than the {limit} that fit; simplify or split the mesh"
            ),
            Self::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Unsupported { what, remedy } => write!(f, "{what} cannot be read; {remedy}"),
            Self::Neighbour { name, reason } => {
                write!(f, "the file it names, \"{}\", {reason}", name.escape_debug())
            }
            Self::Empty { skipped } if skipped.is_empty() => {
                write!(f, "there are no triangles, tetrahedra or grid in it")
            }
            Self::Empty { skipped } => {
                let skipped: Vec<_> = skipped.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "there are no triangles, tetrahedra or grid in it, only {}",
                    skipped.join(", ")
                )
            }
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.what)
    }
}

impl Error for MeshError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Io(source) => Some(source),
            _ => None,
        }
    }
}
