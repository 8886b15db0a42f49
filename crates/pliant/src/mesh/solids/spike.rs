//! A spike.

use std::f64::consts::PI;

use glam::Vec2;

use super::cylinder::sectors;
use super::{Solid, lathe};
use crate::mesh::TriMesh;

/// See [`spike`].
pub const SOLID: &Solid = &Solid {
    name: "spike",
    shows: "a thin spike on a round plate",
    make: |detail| Ok(spike(detail)),
    holes: 0,
    rims: 0,
    volume: Some(PI * (0.05 * 0.25 + 0.95 * 0.0025 / 3.0)),
};

/// A spike of 0.95 m, 0.1 m wide at its foot, on a plate of 1 m that is 0.05 m thick; up along y.
pub fn spike(detail: u32) -> TriMesh {
    let outline = [(0.0, -0.5), (0.5, -0.5), (0.5, -0.45), (0.05, -0.45), (0.0, 0.5)];
    lathe(&outline.map(|(x, y)| Vec2::new(x, y)), sectors(0.5, detail))
}
