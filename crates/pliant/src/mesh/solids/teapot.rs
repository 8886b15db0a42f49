//! A pot with a spout and a handle.

use glam::{Vec2, Vec3};

use super::{Solid, blend, ellipsoid, limb, polygonise};
use crate::mesh::{Aabb, MeshError, TriMesh};

/// See [`teapot`].
pub const SOLID: &Solid = &Solid {
    name: "teapot",
    shows: "an open pot with thick walls, a spout and a handle",
    make: teapot,
    holes: 1,
    rims: 0,
    volume: None,
};

/// An open pot of half a metre, with cells of `1 / detail` (m), at most half as large as the walls are
/// thick.
///
/// # Errors
/// If the cells are too small.
pub fn teapot(detail: u32) -> Result<TriMesh, MeshError> {
    let bounds = Aabb { low: Vec3::new(-0.6, -0.32, -0.4), high: Vec3::new(0.66, 0.34, 0.4) };
    polygonise(&distance, bounds, detail.max(32))
}

fn distance(x: Vec3) -> f32 {
    let outside = ellipsoid(x, Vec3::new(0.37, 0.31, 0.37));
    let spout = limb(x, (Vec3::new(0.28, -0.1, 0.0), 0.11), (Vec3::new(0.46, 0.02, 0.0), 0.07))
        .min(limb(x, (Vec3::new(0.46, 0.02, 0.0), 0.07), (Vec3::new(0.56, 0.2, 0.0), 0.055)));
    // A ring about z, of which the pot hides the inner half.
    let at = x - Vec3::new(-0.35, 0.03, 0.0);
    let handle = Vec2::new(Vec2::new(at.x, at.y).length() - 0.17, at.z).length() - 0.045;
    let pot = blend(blend(outside, spout, 0.06), handle, 0.05);
    // The foot is flat, and so is the rim.
    let stands = -blend(-pot, x.y + 0.26, 0.04);
    let rimmed = -blend(-stands, 0.24 - x.y, 0.04);
    let inside = ellipsoid(x - Vec3::Y * 0.01, Vec3::new(0.3, 0.24, 0.3));
    let mouth = (Vec2::new(x.x, x.z).length() - 0.17).max(-x.y);
    -blend(-rimmed, inside.min(mouth), 0.03)
}
