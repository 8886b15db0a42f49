//! What particles meet: shapes given by their signed distance, and the list of ours.
//!
//! One more shape is one file here, its WGSL twin beside it, and one line in [`ALL`]. The WGSL twin of
//! this file is `collider.wgsl`.

use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::error::WorldError;
use crate::mesh::{Aabb, TriMesh};
use crate::raster::{Item, Material, Mesh, Scene, Shading, srgb};

/// The part of the GPU's shader that is the same for every shape.
pub(crate) const WGSL: &str = include_str!("collider.wgsl");

pub mod capsule;
pub mod cuboid;
pub mod cylinder;
pub mod grid;
pub mod mesh;
pub mod motion;
pub mod plane;
pub mod sphere;

pub use motion::Motion;

/// Every shape of ours.
pub const ALL: &[&Shape] = &[
    plane::SHAPE,
    sphere::SHAPE,
    cuboid::SHAPE,
    capsule::SHAPE,
    cylinder::SHAPE,
    mesh::SHAPE,
    grid::SHAPE,
];

/// A shape as data: what any part of the engine needs to know of it. All is in the shape's own
/// frame, and depends on nothing of the collider but its numbers and data.
#[derive(Debug)]
pub struct Shape {
    /// The name, as in scene files and snapshots.
    pub name: &'static str,
    /// What the numbers of [`Collider::params`] mean, such as `radius (m)`; those unused are left out.
    pub params: &'static [&'static str],
    /// Distance of a point from the surface (m), negative inside, and the direction out of the
    /// shape, of unit length.
    pub signed_distance: fn(x: Vec3, of: &Collider) -> (f32, Vec3),
    /// Most that the signed distance changes over a metre: 1, unless it is interpolated.
    pub slope: f32,
    /// The box around it; `None` for a shape without end.
    pub bounds: fn(&Collider) -> Option<Aabb>,
    /// The least way through it (m): what moves less in a substep cannot come out behind.
    pub thickness: fn(&Collider) -> f32,
    /// Radius of its sharpest edge or corner (m): triangles that are larger can be pierced between
    /// their corners.
    pub roundness: fn(&Collider) -> f32,
    /// Whether nothing of it sticks out within a box: all that is there is one flat face.
    pub is_flat: fn(&Collider, &Aabb) -> bool,
    /// Where a particle first comes nearer to the surface than [`Way::level`].
    pub crossing: fn(&Collider, Way) -> Option<Crossing>,
    /// The numbers and data that it cannot be without.
    pub check: fn(&Collider) -> Result<(), WorldError>,
    /// The same for the GPU: a function of the shape's name. `None` keeps it on the CPU.
    pub wgsl: Option<&'static str>,
    /// Puts it into a picture.
    pub draw: fn(&Collider, &mut Scene),
}

impl Shape {
    /// The shape of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|shape| shape.name == name)
    }
}

/// What a shape is made of, beside its numbers. Shared by all colliders that were cloned from one.
#[derive(Clone, Debug, Default)]
pub enum Data {
    /// Nothing.
    #[default]
    None,
    /// Triangles.
    Mesh(Arc<mesh::Surface>),
    /// Distances on a grid.
    Grid(Arc<grid::Field>),
}

impl Data {
    /// Where it lies in memory; the same for clones.
    pub(crate) fn address(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(data) => Arc::as_ptr(data).addr(),
            Self::Grid(data) => Arc::as_ptr(data).addr(),
        }
    }
}

/// A shape at a place in the world.
#[derive(Clone, Debug)]
pub struct Collider {
    /// What it looks like.
    pub shape: &'static Shape,
    /// The numbers of its shape, such as a radius (m).
    pub params: [f32; 4],
    /// What its shape is made of, if numbers do not say it.
    pub data: Data,
    /// Where it is (m).
    pub position: Vec3,
    /// How it is turned.
    pub rotation: Quat,
    /// How it moves (m/s); what touches it is carried along.
    pub velocity: Vec3,
    /// How it turns about its position (rad/s); what touches it is carried along.
    pub angular_velocity: Vec3,
    /// What sets those two.
    pub motion: Motion,
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
            data: Data::None,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            motion: Motion::Steady,
            friction: 0.3,
            restitution: 0.0,
            phases: u32::MAX,
        }
    }

    /// The same, turned about its own position.
    #[must_use]
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.rotation = motion::unit(motion::product(rotation, self.rotation));
        self
    }

    /// Distance of `x` from the surface (m), negative inside, and the direction out of it.
    #[inline]
    pub fn signed_distance(&self, x: Vec3) -> (f32, Vec3) {
        let (distance, normal) = (self.shape.signed_distance)(self.pose().local(x), self);
        (distance, rotate(self.rotation, normal))
    }

    /// How fast the point of it at `x` moves (m/s): v + ω × r.
    #[inline]
    pub fn velocity_at(&self, x: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(x - self.position)
    }

    /// Whether it stays where it is.
    pub(crate) fn is_still(&self) -> bool {
        self.velocity == Vec3::ZERO
            && self.angular_velocity == Vec3::ZERO
            && matches!(self.motion, Motion::Steady)
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// The box around it in the world, where there is one.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        let Aabb { low, high } = (self.shape.bounds)(self)?;
        let pick = |k: u32, bit: u32, axis: usize| {
            if k & bit == 0 { low[axis] } else { high[axis] }
        };
        let corner = |k| Vec3::new(pick(k, 1, 0), pick(k, 2, 1), pick(k, 4, 2));
        Some(Aabb::of((0..8).map(corner).map(|x| self.pose().world(x))))
    }
}

/// Where something is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) position: Vec3,
    pub(crate) rotation: Quat,
}

impl Pose {
    /// A point of the world, seen from here.
    #[inline]
    pub(crate) fn local(&self, x: Vec3) -> Vec3 {
        rotate(self.rotation.conjugate(), x - self.position)
    }

    /// A point seen from here, in the world.
    pub(crate) fn world(&self, x: Vec3) -> Vec3 {
        self.position + rotate(self.rotation, x)
    }
}

/// The way of a particle through a substep, seen from a shape.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Where it begins (m).
    pub from: Vec3,
    /// Where it ends (m).
    pub to: Vec3,
    /// How near it may come (m).
    pub level: f32,
}

/// Where a way meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The place on the way (m).
    pub point: Vec3,
    /// The direction out of the shape there.
    pub normal: Vec3,
    /// The distance from the surface there (m).
    pub distance: f32,
}

/// Steps of [`advance`] before it takes where it is for the crossing.
const MOST_STEPS: u32 = 48;

/// Steps along a way as far as the distance says is safe (conservative advancement).
///
/// Hart 1996, "Sphere Tracing"; Mirtich 1996 for moving bodies.
pub(crate) fn advance(collider: &Collider, Way { from, to, level }: Way) -> Option<Crossing> {
    let length = from.distance(to);
    let along = (to - from).try_normalize()?;
    // Near enough to count as there: a thousandth of the way.
    let near = 1e-3 * length;
    let mut t = 0.0;
    for _ in 0..MOST_STEPS {
        let point = from + along * t;
        let (distance, normal) = (collider.shape.signed_distance)(point, collider);
        let gap = (distance - level) / collider.shape.slope;
        if gap <= near && normal.dot(along) < 0.0 {
            return Some(Crossing { point, normal, distance });
        }
        t += gap.max(near);
        if t >= length {
            return None;
        }
    }
    None
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

/// A finite point (m), or an error that names it.
pub(crate) fn place(what: &'static str, point: Vec3) -> Result<Vec3, WorldError> {
    match point.to_array().into_iter().find(|c| !c.is_finite()) {
        Some(value) => Err(WorldError::BadNumber { what, value, needs: "finite" }),
        None => Ok(point),
    }
}

/// Puts a surface in a collider's own frame into a picture.
pub(crate) fn draw_surface(of: &Collider, surface: &TriMesh, shading: Shading, scene: &mut Scene) {
    let positions = surface.positions.iter().map(|&x| of.pose().world(x)).collect();
    let material = Material { color: srgb(0xd9d4c8), roughness: 0.6, ..Material::default() };
    let triangles = surface.triangles.clone();
    let mesh = Mesh { positions, triangles, material, shading, ..Mesh::default() };
    scene.items.push(Item::Mesh(mesh));
}

#[cfg(test)]
mod tests;
