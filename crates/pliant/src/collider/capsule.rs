//! A rod with round ends.
//!
//! The WGSL twin of this file is `capsule.wgsl`.

use glam::{Quat, Vec3};

use super::{Collider, Shape, length, place};
use crate::error::WorldError;
use crate::mesh::Aabb;
use crate::raster::{Item, Material, Tube, srgb};

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "capsule",
    params: &["radius (m)", "half the length between the middles of its ends, along y (m)"],
    signed_distance: |x, of| {
        let [radius, half, ..] = of.params;
        let away = x - Vec3::Y * x.y.clamp(-half, half);
        // The middle line has no direction out: across, so that something happens.
        (away.length() - radius, away.try_normalize().unwrap_or(Vec3::X))
    },
    slope: 1.0,
    bounds: |of| {
        let [radius, half, ..] = of.params;
        let reach = Vec3::new(radius, radius + half, radius);
        Some(Aabb { low: -reach, high: reach })
    },
    thickness: |of| 2.0 * of.params[0],
    roundness: |of| of.params[0],
    is_flat: |_, _| false,
    crossing: super::advance,
    check: |of| {
        length("capsule radius", of.params[0])?;
        length("capsule length", of.params[1]).map(drop)
    },
    wgsl: Some(include_str!("capsule.wgsl")),
    draw: |of, scene| {
        let material = Material { color: srgb(0xd9d4c8), roughness: 0.6, ..Material::default() };
        let [radius, half, ..] = of.params;
        let points = [-half, half].map(|y| of.pose().world(Vec3::Y * y)).to_vec();
        scene.items.push(Item::Tube(Tube { points, radius, material }));
    },
};

impl Collider {
    /// The points within `radius` (m) of the line between two points (m).
    ///
    /// # Errors
    /// If `radius` is not positive, the ends are one point, or a number is not finite.
    pub fn capsule(ends: [Vec3; 2], radius: f32) -> Result<Self, WorldError> {
        let [from, to] = [place("capsule end", ends[0])?, place("capsule end", ends[1])?];
        let half = length("capsule length", from.distance(to) / 2.0)?;
        let radius = length("capsule radius", radius)?;
        let rotation = Quat::from_rotation_arc(Vec3::Y, (to - from).normalize_or_zero());
        let position = (from + to) / 2.0;
        Ok(Self { position, rotation, ..Self::new(SHAPE, [radius, half, 0.0, 0.0]) })
    }
}
