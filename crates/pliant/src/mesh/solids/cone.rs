//! Cones.

use glam::Vec2;

use super::cylinder::sectors;
use super::{Solid, lathe, line};
use crate::mesh::TriMesh;

/// See [`cone`].
pub const SOLID: &Solid = &Solid {
    name: "cone",
    shows: "a cone, as high as it is wide",
    make: |detail| Ok(cone(0.5, 1.0, detail)),
    holes: 0,
    rims: 0,
    volume: Some(std::f64::consts::PI / 12.0),
};

/// A cone about the y axis, its tip up, centred, with triangles of about `1 / detail` (m).
pub fn cone(radius: f32, height: f32, detail: u32) -> TriMesh {
    let (low, tip) = (Vec2::new(radius, -height / 2.0), Vec2::new(0.0, height / 2.0));
    let cap = line(Vec2::new(0.0, low.y), low, detail);
    let outline: Vec<Vec2> = cap.chain(line(low, tip, detail)).chain([tip]).collect();
    lathe(&outline, sectors(radius, detail))
}
