//! Rings.

use std::f32::consts::TAU;

use glam::Vec2;

use super::cylinder::sectors;
use super::{Solid, lathe_ring};
use crate::mesh::TriMesh;

/// See [`torus`].
pub const SOLID: &Solid = &Solid {
    name: "torus",
    shows: "a ring of one metre",
    make: |detail| Ok(torus(0.35, 0.15, detail)),
    holes: 1,
    rims: 0,
    // 2 π² R r²
    volume: Some(2.0 * std::f64::consts::PI * std::f64::consts::PI * 0.35 * 0.15 * 0.15),
};

/// A ring about the y axis: its middle line has one radius, its tube another (m), and its
/// triangles are about `1 / detail` (m).
pub fn torus(radius: f32, tube: f32, detail: u32) -> TriMesh {
    let count = sectors(tube, detail);
    let point = |k: u32| {
        let angle = TAU * k as f32 / count as f32;
        Vec2::new(radius + tube * libm::cosf(angle), tube * libm::sinf(angle))
    };
    lathe_ring(&(0..count).map(point).collect::<Vec<_>>(), sectors(radius + tube, detail))
}
