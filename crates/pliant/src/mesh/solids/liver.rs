//! An organ with two lobes, as a liver has.

use glam::Vec3;

use super::{Solid, blend, ellipsoid, limb, polygonise};
use crate::mesh::{Aabb, MeshError, TriMesh};

/// See [`liver`].
pub const SOLID: &Solid = &Solid {
    name: "liver",
    shows: "an organ with two lobes, hollow below",
    make: liver,
    holes: 0,
    rims: 0,
    volume: None,
};

/// A thick right lobe, a thin left one, a furrow between them and a hollow underside; with cells
/// of `1 / detail` (m).
///
/// # Errors
/// If the cells are too small or too large.
pub fn liver(detail: u32) -> Result<TriMesh, MeshError> {
    let bounds = Aabb { low: Vec3::new(-0.56, -0.36, -0.36), high: Vec3::new(0.62, 0.34, 0.36) };
    polygonise(&distance, bounds, detail)
}

fn distance(x: Vec3) -> f32 {
    let right = ellipsoid(x - Vec3::new(-0.16, 0.0, 0.0), Vec3::new(0.36, 0.22, 0.3));
    let left = ellipsoid(x - Vec3::new(0.22, 0.05, 0.04), Vec3::new(0.36, 0.13, 0.24));
    let lobes = blend(right, left, 0.25);
    // Cutting off is keeping the greater distance, which is blending the negatives.
    let under = x.distance(Vec3::new(0.12, -0.82, -0.1)) - 0.7;
    let hollowed = -blend(-lobes, under, 0.1);
    let furrow = limb(x, (Vec3::new(0.08, 0.25, -0.4), 0.04), (Vec3::new(0.12, 0.22, 0.4), 0.05));
    -blend(-hollowed, furrow, 0.08)
}
