//! Boxes.

use glam::Vec3;

use super::{Solid, extruded};
use crate::mesh::TriMesh;

/// See [`cuboid`].
pub const SOLID: &Solid = &Solid {
    name: "cuboid",
    shows: "a cube of one metre",
    make: |detail| Ok(cuboid(Vec3::ONE, detail.min(256))),
    holes: 0,
    rims: 0,
    volume: Some(1.0),
};

/// A box of this size (m) about the origin, with so many squares along each side.
pub fn cuboid(size: Vec3, squares: u32) -> TriMesh {
    let mut mesh = extruded(squares.max(1), |_, _| true);
    mesh.positions.iter_mut().for_each(|x| *x *= size);
    mesh
}
