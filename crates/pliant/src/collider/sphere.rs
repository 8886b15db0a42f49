//! A solid ball.

use glam::Vec3;

use super::{Collider, Shape, length};
use crate::error::WorldError;
use crate::raster::{Item, Material, Sphere, srgb};

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "sphere",
    params: &["radius (m)"],
    // The centre has no direction out: up, so that something happens.
    signed_distance: |x, &[radius, ..]| (x.length() - radius, x.try_normalize().unwrap_or(Vec3::Y)),
    wgsl: Some(include_str!("sphere.wgsl")),
    draw: |ball, scene| {
        let material = Material { color: srgb(0xd9d4c8), roughness: 0.6, ..Material::default() };
        let [radius, ..] = ball.params;
        scene.items.push(Item::Sphere(Sphere { center: ball.position, radius, material }));
    },
};

impl Collider {
    /// The ball of `radius` (m) about `centre` (m).
    ///
    /// # Errors
    /// If `radius` is not positive, or a number is not finite.
    pub fn sphere(centre: Vec3, radius: f32) -> Result<Self, WorldError> {
        let radius = length("sphere radius", radius)?;
        if let Some(&value) = centre.as_ref().iter().find(|c| !c.is_finite()) {
            return Err(WorldError::BadNumber { what: "sphere centre", value, needs: "finite" });
        }
        Ok(Self { position: centre, ..Self::new(SHAPE, [radius, 0.0, 0.0, 0.0]) })
    }
}
