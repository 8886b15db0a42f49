//! A solid cylinder.
//!
//! The WGSL twin of this file is `cylinder.wgsl`.

use glam::{Quat, Vec2, Vec3};

use super::{Collider, Shape, draw_surface, length, place};
use crate::error::WorldError;
use crate::mesh::Aabb;
use crate::mesh::solids::lathe;
use crate::raster::Shading;

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "cylinder",
    params: &["radius (m)", "half height, along y (m)"],
    signed_distance,
    slope: 1.0,
    bounds: |of| {
        let [radius, half, ..] = of.params;
        let reach = Vec3::new(radius, half, radius);
        Some(Aabb { low: -reach, high: reach })
    },
    thickness: |of| 2.0 * of.params[0].min(of.params[1]),
    roundness: |_| 0.0, // the rim
    is_flat: |_, _| false,
    crossing: super::advance,
    check: |of| {
        length("cylinder radius", of.params[0])?;
        length("cylinder height", of.params[1]).map(drop)
    },
    wgsl: Some(include_str!("cylinder.wgsl")),
    draw: |of, scene| {
        let [radius, half, ..] = of.params;
        let outline = [(0.0, -half), (radius, -half), (radius, half), (0.0, half)];
        let mesh = lathe(&outline.map(|(x, y)| Vec2::new(x, y)), 48);
        draw_surface(of, &mesh, Shading::Flat, scene);
    },
};

/// As a box, in the plane of the axis and the point.
fn signed_distance(x: Vec3, of: &Collider) -> (f32, Vec3) {
    let [radius, half, ..] = of.params;
    let from_axis = Vec2::new(x.x, x.z);
    // The axis has no direction out: along x, so that something happens.
    let out = from_axis.try_normalize().unwrap_or(Vec2::X);
    let [out, up] = [Vec3::new(out.x, 0.0, out.y), Vec3::Y * 1f32.copysign(x.y)];
    let beyond = Vec2::new(from_axis.length() - radius, x.y.abs() - half);
    let outside = beyond.max(Vec2::ZERO);
    let far = outside.length();
    if far > 0.0 {
        return (far, (out * outside.x + up * outside.y) / far);
    }
    if beyond.x > beyond.y { (beyond.x, out) } else { (beyond.y, up) }
}

impl Collider {
    /// The cylinder of `radius` (m) between two points (m), the middles of its ends.
    ///
    /// # Errors
    /// If `radius` is not positive, the ends are one point, or a number is not finite.
    pub fn cylinder(ends: [Vec3; 2], radius: f32) -> Result<Self, WorldError> {
        let [from, to] = [place("cylinder end", ends[0])?, place("cylinder end", ends[1])?];
        let half = length("cylinder height", from.distance(to) / 2.0)?;
        let radius = length("cylinder radius", radius)?;
        let rotation = Quat::from_rotation_arc(Vec3::Y, (to - from).normalize_or_zero());
        let position = (from + to) / 2.0;
        Ok(Self { position, rotation, ..Self::new(SHAPE, [radius, half, 0.0, 0.0]) })
    }
}
