//! A solid box, with sharp or rounded edges.
//!
//! The WGSL twin of this file is `cuboid.wgsl`.

use glam::Vec3;

use super::{Collider, Shape, draw_surface, length, place};
use crate::error::WorldError;
use crate::mesh::Aabb;
use crate::mesh::solids::cuboid::cuboid;
use crate::raster::{Scene, Shading};

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "box",
    params: &["half side along x (m)", "along y (m)", "along z (m)", "radius of its edges (m)"],
    signed_distance,
    slope: 1.0,
    bounds: |of| Some(Aabb { low: -half(of), high: half(of) }),
    thickness: |of| 2.0 * half(of).min_element(),
    roundness: |of| of.params[3],
    is_flat,
    crossing: super::advance,
    check,
    wgsl: Some(include_str!("cuboid.wgsl")),
    draw,
};

/// Half its sides (m).
fn half(of: &Collider) -> Vec3 {
    let [x, y, z, _] = of.params;
    Vec3::new(x, y, z)
}

/// Outside, the distance to the box that is smaller by the rounding, less the rounding; inside, the
/// distance to the nearest face.
fn signed_distance(x: Vec3, of: &Collider) -> (f32, Vec3) {
    let rounding = of.params[3];
    let beyond = x.abs() - (half(of) - rounding);
    let side = Vec3::ONE.copysign(x);
    let outside = beyond.max(Vec3::ZERO);
    let far = outside.length();
    if far > 0.0 {
        return (far - rounding, outside * side / far);
    }
    let axis = Vec3::AXES[beyond.max_position()];
    (beyond.max_element() - rounding, axis * side)
}

/// Whether a box lies over one face, away from its edges.
fn is_flat(of: &Collider, within: &Aabb) -> bool {
    let core = half(of) - of.params[3];
    let over = |axis: usize| within.low[axis] > -core[axis] && within.high[axis] < core[axis];
    (0..3).filter(|&axis| over(axis)).count() >= 2
}

fn check(of: &Collider) -> Result<(), WorldError> {
    let sides = half(of);
    sides.to_array().into_iter().try_for_each(|side| length("box side", side).map(drop))?;
    let rounding = of.params[3];
    if (0.0..=sides.min_element()).contains(&rounding) {
        return Ok(());
    }
    let needs = "between 0 and half the shortest side";
    Err(WorldError::BadNumber { what: "radius of the edges of a box", value: rounding, needs })
}

fn draw(of: &Collider, scene: &mut Scene) {
    let rounding = of.params[3];
    let squares = if rounding > 0.0 { 16 } else { 1 };
    let mut mesh = cuboid(2.0 * half(of), squares);
    if rounding > 0.0 {
        for x in &mut mesh.positions {
            let inner = x.clamp(rounding - half(of), half(of) - rounding);
            *x = inner + (*x - inner).normalize_or_zero() * rounding;
        }
    }
    draw_surface(of, &mesh, Shading::Flat, scene);
}

impl Collider {
    /// The box with these sides (m) about `centre` (m), along the axes.
    ///
    /// # Errors
    /// If a side is not positive, or a number is not finite.
    pub fn cuboid(centre: Vec3, sides: Vec3) -> Result<Self, WorldError> {
        Self::rounded_cuboid(centre, sides, 0.0)
    }

    /// The same with edges and corners of this radius (m), within its sides.
    ///
    /// # Errors
    /// If a side is not positive, the radius does not fit into the box, or a number is not finite.
    pub fn rounded_cuboid(centre: Vec3, sides: Vec3, radius: f32) -> Result<Self, WorldError> {
        let position = place("box centre", centre)?;
        let [x, y, z] = (sides / 2.0).to_array();
        let collider = Self { position, ..Self::new(SHAPE, [x, y, z, radius]) };
        check(&collider)?;
        Ok(collider)
    }
}
