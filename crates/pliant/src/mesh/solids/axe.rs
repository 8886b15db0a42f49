//! The blade of an axe.

use glam::Vec3;

use super::Solid;
use crate::mesh::TriMesh;

/// See [`axe`].
pub const SOLID: &Solid = &Solid {
    name: "axe",
    shows: "the blade of an axe, its edge up",
    make: |_| Ok(axe()),
    holes: 0,
    rims: 0,
    volume: Some(0.1),
};

/// A wedge of 1 m about the origin: 0.2 m thick at its foot, sharp at its top, along z.
pub fn axe() -> TriMesh {
    let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let end = |z| [corner(-0.1, -0.5, z), corner(0.1, -0.5, z), corner(0.0, 0.5, z)];
    let positions = [end(-0.5), end(0.5)].concat();
    let triangles = vec![
        [0, 2, 1],
        [3, 4, 5],
        [0, 1, 4],
        [0, 4, 3],
        [1, 2, 5],
        [1, 5, 4],
        [2, 0, 3],
        [2, 3, 5],
    ];
    TriMesh { positions, triangles }
}
