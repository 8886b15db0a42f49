//! An infinite plane: floors, walls and slopes. Below it everything is solid.

use glam::{Quat, Vec3};

use super::{Collider, Shape};
use crate::error::WorldError;

/// The shape, for scenes.
pub const SHAPE: &Shape =
    &Shape { name: "plane", params: &[], signed_distance: |x, _| (x.y, Vec3::Y) };

impl Collider {
    /// The plane through `point` (m) whose free side is where `normal` points.
    ///
    /// # Errors
    /// If `normal` has no direction, or a number is not finite.
    pub fn plane(point: Vec3, normal: Vec3) -> Result<Self, WorldError> {
        let up = normal.try_normalize().filter(|_| point.is_finite());
        let Some(up) = up else {
            let (what, value) = ("plane normal", normal.length());
            return Err(WorldError::BadNumber { what, value, needs: "finite and not 0" });
        };
        let rotation = Quat::from_rotation_arc(Vec3::Y, up);
        Ok(Self { position: point, rotation, ..Self::new(SHAPE, [0.0; 4]) })
    }
}
