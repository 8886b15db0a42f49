//! Cylinders.

use glam::Vec2;

use super::{Solid, lathe, line};
use crate::mesh::TriMesh;

/// See [`cylinder`].
pub const SOLID: &Solid = &Solid {
    name: "cylinder",
    shows: "a cylinder, as high as it is wide",
    make: |detail| Ok(cylinder(0.5, 1.0, detail)),
    holes: 0,
    rims: 0,
    volume: Some(std::f64::consts::FRAC_PI_4),
};

/// A cylinder about the y axis, centred, with triangles of about `1 / detail` (m).
pub fn cylinder(radius: f32, height: f32, detail: u32) -> TriMesh {
    let [bottom, top] = [-height / 2.0, height / 2.0];
    let (low, high) = (Vec2::new(radius, bottom), Vec2::new(radius, top));
    let cap = line(Vec2::new(0.0, bottom), low, detail);
    let side = line(low, high, detail);
    let lid = line(high, Vec2::new(0.0, top), detail);
    let outline: Vec<Vec2> = cap.chain(side).chain(lid).chain([Vec2::new(0.0, top)]).collect();
    lathe(&outline, sectors(radius, detail))
}

/// Sectors for triangles of about `1 / detail` (m) at a distance from the axis (m).
pub(crate) fn sectors(radius: f32, detail: u32) -> u32 {
    ((std::f32::consts::TAU * radius * detail as f32).ceil() as u32).max(3)
}
