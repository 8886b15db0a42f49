//! A solid ball.
//!
//! The WGSL twin of this file is `sphere.wgsl`.

use glam::Vec3;

use super::{Collider, Shape, length, place};
use crate::error::WorldError;
use crate::mesh::Aabb;
use crate::raster::{Item, Material, Sphere, srgb};

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "sphere",
    params: &["radius (m)"],
    signed_distance: |x, of| {
        let [radius, ..] = of.params;
        // The centre has no direction out: up, so that something happens.
        (x.length() - radius, x.try_normalize().unwrap_or(Vec3::Y))
    },
    slope: 1.0,
    bounds: |of| {
        let reach = Vec3::splat(of.params[0]);
        Some(Aabb { low: -reach, high: reach })
    },
    thickness: |of| 2.0 * of.params[0],
    roundness: |of| of.params[0],
    is_flat: |_, _| false,
    crossing: super::advance,
    check: |of| length("sphere radius", of.params[0]).map(drop),
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
        let position = place("sphere centre", centre)?;
        let radius = length("sphere radius", radius)?;
        Ok(Self { position, ..Self::new(SHAPE, [radius, 0.0, 0.0, 0.0]) })
    }
}
