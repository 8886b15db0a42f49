//! Triangles: a closed surface is solid, an open one is a thin sheet with two sides.

use std::sync::Arc;

use glam::Vec3;

use super::{Collider, Crossing, Data, Shape, Way, draw_surface};
use crate::error::WorldError;
use crate::mesh::sdf::{SignedDistance, Sides};
use crate::mesh::{MeshError, TriMesh};
use crate::raster::Shading;

/// The shape, for scenes.
///
/// A sheet has no inside: what touches it is pushed to the side that it is on, and what would pass
/// through it in a substep is stopped. Particles need a radius to stay on their side of one.
pub const SHAPE: &Shape = &Shape {
    name: "mesh",
    params: &["1 for a sheet with two sides, 0 for a solid"],
    signed_distance,
    slope: 1.0,
    bounds: |of| triangles(of).map(SignedDistance::bounds),
    thickness: |_| 0.0,
    roundness: |_| 0.0,
    crossing,
    check: |of| match triangles(of) {
        Some(_) => Ok(()),
        None => Err(WorldError::WrongCount {
            kind: "mesh collider",
            what: "surfaces",
            expected: 1,
            found: 0,
        }),
    },
    wgsl: None,
    draw: |of, scene| {
        if let Some(sdf) = triangles(of) {
            draw_surface(of, sdf.surface(), Shading::Flat, scene);
        }
    },
};

fn triangles(of: &Collider) -> Option<&SignedDistance> {
    match &of.data {
        Data::Mesh(sdf) => Some(sdf),
        _ => None,
    }
}

fn is_sheet(of: &Collider) -> bool {
    of.params[0] != 0.0
}

fn signed_distance(x: Vec3, of: &Collider) -> (f32, Vec3) {
    let Some(sdf) = triangles(of) else { return (f32::MAX, Vec3::Y) };
    let sample = if is_sheet(of) { sdf.unsigned(x) } else { sdf.at(x) };
    (sample.distance, sample.normal)
}

/// By its triangles: exact, however long the way. The way is drawn out by the level, so that what
/// stops just before a sheet is kept on its own side of it.
fn crossing(of: &Collider, Way { from, to, level }: Way) -> Option<Crossing> {
    let sdf = triangles(of)?;
    let to = to + (to - from).normalize_or_zero() * level;
    let sides = if is_sheet(of) { Sides::Both } else { Sides::Front };
    let (point, triangle) = sdf.first_crossing([from, to], sides)?;
    let front = sdf.surface().area(triangle as usize).try_normalize()?;
    let normal = if front.dot(to - from) < 0.0 { front } else { -front };
    Some(Crossing { point, normal, distance: 0.0 })
}

impl Collider {
    /// Triangles as they are given (m): solid if they close, a sheet with two sides if not. A solid
    /// that is inside out is turned.
    ///
    /// # Errors
    /// If there are no triangles, one names a vertex that is not there, or a vertex is not finite.
    pub fn mesh(surface: TriMesh) -> Result<Self, MeshError> {
        let mut sdf = SignedDistance::new(surface)?;
        if sdf.is_closed() && sdf.surface().volume() < 0.0 {
            let mut surface = sdf.surface().clone();
            surface.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
            sdf = SignedDistance::new(surface)?;
        }
        let sheet = if sdf.is_closed() { 0.0 } else { 1.0 };
        let data = Data::Mesh(Arc::new(sdf));
        Ok(Self { data, ..Self::new(SHAPE, [sheet, 0.0, 0.0, 0.0]) })
    }
}
