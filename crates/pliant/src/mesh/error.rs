//! What can be wrong with a mesh, or with what is wanted of it.

use std::error::Error;
use std::fmt;

/// Why a mesh could not be used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// A vertex without a place, or one too far away for distances to be computed.
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle or tetrahedron that names a vertex that is not there.
    MissingVertex {
        /// What names it: `triangle` or `tetrahedron`.
        user: &'static str,
        /// Which of them.
        index: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// An edge with a triangle on one side only.
    Open {
        /// One end of the edge.
        from: u32,
        /// The other.
        to: u32,
    },
    /// Cells that are too small or too large, or not a size at all.
    Cell {
        /// The size that was asked for (m).
        cell: f32,
        /// The longest side of the surface (m).
        side: f32,
        /// The smallest that is possible (m).
        least: f32,
    },
    /// The surface encloses nothing, or nothing that cells of that size can see.
    Nothing,
    /// Fewer particles than a surface can be bound to.
    TooFewParticles {
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { vertex } => {
                write!(f, "vertex {vertex} is not finite, or farther than {:e} m", super::FARTHEST)
            }
            Self::MissingVertex { user, index, count } => write!(
                f,
                "{user} {index} uses a vertex past the last of {count}; are they counted from 1?"
            ),
            Self::Open { from, to } => write!(
                f,
                "the surface is open at the edge from vertex {from} to {to}; \
                 close its holes and turn all triangles the same way"
            ),
            Self::Cell { cell, side, least } => write!(
                f,
                "cells of {cell} m for a surface of {side} m; choose between {least} m and {side} m"
            ),
            Self::Nothing => write!(
                f,
                "the surface encloses nothing that cells of this size can see; choose smaller ones"
            ),
            Self::TooFewParticles { count } => write!(
                f,
                "a surface is bound to three particles that are not in a line, \
                 but there are {count} particles without such three; choose smaller cells"
            ),
        }
    }
}

impl Error for MeshError {}
