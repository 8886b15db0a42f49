//! What can be wrong with what the engine is given.

use std::error::Error;
use std::fmt;

/// Why something could not be added to a world, or found in it. The world is as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// A number that no quantity of that name can have.
    BadNumber {
        /// The quantity.
        what: &'static str,
        /// What was given.
        value: f32,
        /// What it must be.
        needs: &'static str,
    },
    /// An index past the end.
    MissingParticle {
        /// Who uses it, such as a kind's name or `triangle`.
        user: &'static str,
        /// The index that was given.
        index: u32,
        /// How many particles there are.
        count: usize,
    },
    /// A constraint that names one particle twice.
    RepeatedParticle {
        /// The constraint's kind.
        kind: &'static str,
        /// The particle.
        particle: u32,
    },
    /// The wrong number of particles, masses or rest values.
    WrongCount {
        /// The kind or body.
        kind: &'static str,
        /// What was counted.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A tetrahedron or triangle that nothing can be computed of.
    FlatElement {
        /// What it is.
        what: &'static str,
        /// Which one, from 0.
        index: usize,
    },
    /// Two different constraint kinds of one name.
    NameTaken {
        /// The name.
        name: &'static str,
    },
    /// A part of a region with a corner that is not among the region's particles.
    NoMember {
        /// The region's kind.
        kind: &'static str,
        /// The corner.
        particle: u32,
    },
    /// A number that no region of that kind has.
    NoSuchParam {
        /// The region's kind.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A surface with a border, or with sides that disagree on what is outside.
    OpenSurface {
        /// The region's kind.
        kind: &'static str,
        /// The ends of a side that no other triangle has the other way round.
        side: [u32; 2],
    },
    /// A kind of which there are no constraints.
    NoSuchKind {
        /// What was asked for.
        name: String,
    },
    /// A number of a constraint that is not there.
    NoSuchConstraint {
        /// Its kind.
        kind: &'static str,
        /// The number.
        number: u32,
        /// How many there are.
        count: usize,
    },
    /// A constraint that one edit changes twice.
    EditedTwice {
        /// Its kind.
        kind: String,
        /// Its number.
        number: u32,
    },
    /// A constraint that an edit would move to a particle that was not split from its own.
    NotSplitFrom {
        /// Its kind.
        kind: &'static str,
        /// Its number.
        number: u32,
        /// The particle.
        particle: u32,
    },
    /// A strength for a body of which nothing can break or flow.
    NothingBears {
        /// The body.
        body: String,
    },
    /// A handle of a body that was removed, or is of another world.
    NoSuchBody,
    /// More particles than indices of 32 bits can name.
    TooManyParticles,
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadNumber { what, value, needs } => {
                write!(f, "{what} is {value}, which must be {needs}")
            }
            Self::MissingParticle { user, index, count: 0 } => {
                write!(f, "{user} uses particle {index}, but there are no particles")
            }
            Self::MissingParticle { user, index, count } => write!(
                f,
                "{user} uses particle {index}, but there are {count} particles (0 to {}); \
                 are they counted from 1?",
                count - 1
            ),
            Self::RepeatedParticle { kind, particle } => write!(
                f,
                "{kind} names particle {particle} twice; a constraint joins different particles"
            ),
            Self::WrongCount { kind, what, expected, found } => {
                write!(f, "{kind} has {found} {what}, but needs {expected}")
            }
            Self::FlatElement { what, index } => write!(
                f,
                "{what} {index} (from 0) is flat or inside out; repair the mesh, or turn its \
                 corners round"
            ),
            Self::NameTaken { name } => {
                write!(f, "another kind is called {name:?} already; give this one its own name")
            }
            Self::NoMember { kind, particle } => write!(
                f,
                "{kind} has a part with particle {particle}, which is not one of its members; \
                 add it to them"
            ),
            Self::NoSuchParam { kind, name, known } => {
                write!(f, "{kind} has no number {name:?}; it has {}", known.join(", "))
            }
            Self::OpenSurface { kind, side: [a, b] } => write!(
                f,
                "{kind} needs a closed surface, but the side from {a} to {b} belongs to one triangle \
                 only or is run through twice the same way; close the hole or turn the triangle"
            ),
            Self::NothingBears { body } => write!(
                f,
                "nothing of {body} can break or flow; links, neo-Hookean tetrahedra and matched \
                 shapes can, so make it of one of these"
            ),
            Self::NoSuchBody => {
                write!(f, "the body is not in this world; it was removed, or is of another world")
            }
            Self::NoSuchKind { .. }
            | Self::NoSuchConstraint { .. }
            | Self::EditedTwice { .. }
            | Self::NotSplitFrom { .. } => self.fmt_edit(f),
            Self::TooManyParticles => {
                write!(f, "more than {} particles; split the scene into several worlds", u32::MAX)
            }
        }
    }
}

impl WorldError {
    /// Those of an edit.
    fn fmt_edit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchKind { name } => {
                write!(
                    f,
                    "the world has no constraints {name:?}; `World::constraints` lists its kinds"
                )
            }
            Self::NoSuchConstraint { kind, number, count } => {
                write!(f, "constraint {number} of {kind}, but there are {count}, counted from 0")
            }
            Self::EditedTwice { kind, number } => write!(
                f,
                "the edit changes constraint {number} of {kind} twice; make two edits, one after the \
                 other"
            ),
            Self::NotSplitFrom { kind, number, particle } => write!(
                f,
                "constraint {number} of {kind} cannot move to particle {particle}, which was not split \
                 from one of its own; take it out and join anew"
            ),
            _ => Ok(()),
        }
    }
}

impl Error for WorldError {}
