//! What laws of contact share: a particle on the ground, of which there are several kinds.

use glam::{Quat, Vec3};

use super::super::{LawError, Param, Params};
use crate::body::Blueprint;
use crate::collider::Collider;
use crate::error::WorldError;
use crate::mesh::solids::cuboid::cuboid;
use crate::world::{Config, World};

/// Distance that the particle keeps (m).
pub(in crate::laws) const SURFACE: f64 = 0.01;
/// Thickness of a ground that has an end (m).
const THICKNESS: f32 = 0.5;

/// What the ground is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::laws) enum Ground {
    Plane,
    Box,
    Mesh,
    Grid,
}

impl Ground {
    pub(in crate::laws) const PARAM: Param =
        Param::count("ground", 0, [0, 3], "0 a plane, 1 a box, 2 a mesh, 3 a grid of distances");

    pub(in crate::laws) fn of(params: &Params) -> Self {
        [Self::Plane, Self::Box, Self::Mesh, Self::Grid][params.count("ground") as usize]
    }

    /// A level ground at the height 0 that reaches `far` (m) from the origin.
    pub(in crate::laws) fn level(self, far: f32) -> Result<Collider, LawError> {
        self.facing(Vec3::Y, far)
    }

    /// A ground through the origin that faces `normal` and reaches `far` (m).
    pub(in crate::laws) fn facing(self, normal: Vec3, far: f32) -> Result<Collider, LawError> {
        let up = normal.normalize_or_zero();
        let sides = Vec3::new(2.0 * far, THICKNESS, 2.0);
        let middle = up * (-0.5 * THICKNESS);
        let made = match self {
            Self::Plane => return Ok(Collider::plane(Vec3::ZERO, normal)?),
            Self::Box => Collider::cuboid(Vec3::ZERO, sides)?,
            Self::Mesh => Collider::mesh(cuboid(sides, 3)).map_err(not_a_ground)?,
            Self::Grid => Collider::sampled(cuboid(sides, 1), 0.125).map_err(not_a_ground)?,
        };
        Ok(Collider { position: middle, ..made.turned(Quat::from_rotation_arc(Vec3::Y, up)) })
    }
}

fn not_a_ground(_: crate::mesh::MeshError) -> LawError {
    LawError::World(WorldError::BadNumber { what: "ground", value: 0.0, needs: "a surface" })
}

/// A world with a particle of `mass` (kg) that lies on the ground above the origin.
pub(in crate::laws) fn bead_on(
    ground: Collider,
    config: Config,
    mass: f64,
) -> Result<World, LawError> {
    let mut body = Blueprint { radius: SURFACE as f32, ..Blueprint::default() };
    let (distance, up) = ground.signed_distance(Vec3::ZERO);
    body.particle(up * (SURFACE as f32 - distance), mass as f32);
    let mut world = World::new(config);
    world.add(&body)?;
    world.colliders.push(ground);
    Ok(world)
}
