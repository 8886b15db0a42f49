//! Stairs.

use super::{Solid, extruded};
use crate::mesh::TriMesh;

/// See [`stairs`].
pub const SOLID: &Solid = &Solid {
    name: "stairs",
    shows: "stairs of eight steps",
    make: |detail| Ok(stairs(8, detail.min(256).div_ceil(8))),
    holes: 0,
    rims: 0,
    volume: Some(0.5625),
};

/// Stairs of so many steps in a cube of 1 m about the origin, up along x, each of so many squares.
pub fn stairs(steps: u32, squares: u32) -> TriMesh {
    let squares = i64::from(squares.max(1));
    extruded(steps.max(1) * squares as u32, |x, y| y / squares <= x / squares)
}
