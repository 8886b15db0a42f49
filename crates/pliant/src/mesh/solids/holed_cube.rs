//! A cube with a square hole.

use super::{Solid, extruded};
use crate::mesh::TriMesh;

/// See [`holed_cube`].
pub const SOLID: &Solid = &Solid {
    name: "holed_cube",
    shows: "a cube of one metre with a square hole through it",
    make: |detail| Ok(holed_cube(detail.min(256) / 3)),
    holes: 1,
    rims: 0,
    volume: Some(1.0 - 1.0 / 9.0),
};

/// A cube of one metre about the origin; the hole along z is a third as wide, and has so many
/// squares along its width.
pub fn holed_cube(squares: u32) -> TriMesh {
    let hole = i64::from(squares.max(1));
    let in_hole = |k: i64| (hole..2 * hole).contains(&k);
    extruded(3 * squares.max(1), |x, y| !(in_hole(x) && in_hole(y)))
}
