//! What particles meet: shapes given by their signed distance, and the list of ours.
//!
//! One more shape is one file here, its WGSL twin beside it, and one line in [`ALL`]. The WGSL twin of
//! this file is `collider.wgsl`.

use glam::{Quat, Vec3};

use crate::error::WorldError;
use crate::raster::Scene;

/// The part of the GPU's shader that is the same for every shape.
pub(crate) const WGSL: &str = include_str!("collider.wgsl");

pub mod plane;
pub mod sphere;

/// Every shape of ours.
pub const ALL: &[&Shape] = &[plane::SHAPE, sphere::SHAPE];

/// A shape as data: what any part of the engine needs to know of it.
#[derive(Debug)]
pub struct Shape {
    /// The name, as in scene files and snapshots.
    pub name: &'static str,
    /// What the numbers of [`Collider::params`] mean, such as `radius (m)`; those unused are left out.
    pub params: &'static [&'static str],
    /// Distance of a point from the surface (m), negative inside, and the direction out of the
    /// shape, of unit length; in the shape's own frame.
    pub signed_distance: fn(x: Vec3, params: &[f32; 4]) -> (f32, Vec3),
    /// The same for the GPU: a function of the shape's name. `None` keeps it on the CPU.
    pub wgsl: Option<&'static str>,
    /// Puts it into a picture.
    pub draw: fn(&Collider, &mut Scene),
}

/// A shape at a place in the world.
#[derive(Clone, Debug)]
pub struct Collider {
    /// What it looks like.
    pub shape: &'static Shape,
    /// The numbers of its shape, such as a radius (m).
    pub params: [f32; 4],
    /// Where it is (m).
    pub position: Vec3,
    /// How it is turned.
    pub rotation: Quat,
    /// How it moves (m/s); what touches it is carried along.
    pub velocity: Vec3,
    /// Coulomb's coefficient μ.
    pub friction: f32,
    /// Speed after an impact over the speed before, 0 to 1.
    pub restitution: f32,
    /// Bits of the particle phases that meet it.
    pub phases: u32,
}

impl Collider {
    /// A shape at the origin, with some friction and no bounce.
    pub(crate) fn new(shape: &'static Shape, params: [f32; 4]) -> Self {
        Self {
            shape,
            params,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            friction: 0.3,
            restitution: 0.0,
            phases: u32::MAX,
        }
    }

    /// Distance of `x` from the surface (m), negative inside, and the direction out of it.
    #[inline]
    pub fn signed_distance(&self, x: Vec3) -> (f32, Vec3) {
        let local = rotate(self.rotation.conjugate(), x - self.position);
        let (distance, normal) = (self.shape.signed_distance)(local, &self.params);
        (distance, rotate(self.rotation, normal))
    }

    /// Moves with its velocity for `h` seconds.
    pub(crate) fn advance(&mut self, h: f32) {
        self.position += self.velocity * h;
    }
}

/// `v` turned by `q`, in an order of operations that is the same on every machine (glam's is not).
pub(crate) fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let axis = Vec3::new(q.x, q.y, q.z);
    let t = axis.cross(v) * 2.0;
    v + t * q.w + axis.cross(t)
}

/// A positive, finite length (m), or an error that names it.
pub(crate) fn length(what: &'static str, value: f32) -> Result<f32, WorldError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(WorldError::BadNumber { what, value, needs: "positive and finite" })
}
