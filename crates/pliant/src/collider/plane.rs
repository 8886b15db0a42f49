//! An infinite plane: floors, walls and slopes. Below it everything is solid.
//!
//! The WGSL twin of this file is `plane.wgsl`.

use glam::{Quat, Vec3};

use super::{Collider, Shape, place, rotate};
use crate::error::WorldError;
use crate::raster::{Ground, Item, Material, Mesh, Scene};

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "plane",
    params: &[],
    signed_distance: |x, _| (x.y, Vec3::Y),
    slope: 1.0,
    bounds: |_| None,
    thickness: |_| f32::INFINITY,
    roundness: |_| f32::INFINITY,
    is_flat: |_, _| true,
    crossing: super::advance,
    check: |_| Ok(()),
    wgsl: Some(include_str!("plane.wgsl")),
    draw,
};

/// A level plane is the ground; any other is drawn as a square.
fn draw(plane: &Collider, scene: &mut Scene) {
    let turn = |v| rotate(plane.rotation, v);
    if turn(Vec3::Y).y > 0.999 {
        let distance = scene.camera.eye.distance(scene.camera.target);
        let (height, cell, reach) = (plane.position.y, distance * 0.1, distance * 1.5);
        scene.ground = Some(Ground { height, cell, reach, ..Ground::default() });
        return;
    }
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
    let positions = corners.map(|(x, z)| plane.position + turn(Vec3::new(x, 0.0, z) * HALF_SIDE));
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let material = Material { roughness: 0.9, ..Material::default() };
    let mesh = Mesh { positions: positions.to_vec(), triangles, material, ..Mesh::default() };
    scene.items.push(Item::Mesh(mesh));
}

/// Half the side of the square that stands for a slope in pictures (m).
const HALF_SIDE: f32 = 0.75;

impl Collider {
    /// The plane through `point` (m) whose free side is where `normal` points.
    ///
    /// # Errors
    /// If `normal` has no direction, or a number is not finite.
    pub fn plane(point: Vec3, normal: Vec3) -> Result<Self, WorldError> {
        let position = place("plane point", point)?;
        let Some(up) = normal.try_normalize() else {
            let (what, value) = ("plane normal", normal.length());
            return Err(WorldError::BadNumber { what, value, needs: "finite and not 0" });
        };
        let rotation = Quat::from_rotation_arc(Vec3::Y, up);
        Ok(Self { position, rotation, ..Self::new(SHAPE, [0.0; 4]) })
    }
}
