//! Balls.

use std::f32::consts::PI;

use glam::Vec2;

use super::{Solid, lathe};
use crate::mesh::TriMesh;

/// See [`ball`].
pub const SOLID: &Solid = &Solid {
    name: "ball",
    shows: "a ball of one metre",
    make: |detail| Ok(ball(0.5, detail, 2 * detail)),
    holes: 0,
    volume: Some(std::f64::consts::PI / 6.0),
};

/// A ball about the origin, of so many stacks from pole to pole and sectors around.
pub fn ball(radius: f32, stacks: u32, sectors: u32) -> TriMesh {
    let stacks = stacks.max(2);
    let point = |k: u32| {
        let angle = PI * k as f32 / stacks as f32;
        // Exactly on the axis at the poles.
        let out = if k.is_multiple_of(stacks) { 0.0 } else { libm::sinf(angle) };
        Vec2::new(out, -libm::cosf(angle)) * radius
    };
    lathe(&(0..=stacks).map(point).collect::<Vec<_>>(), sectors.max(3))
}
