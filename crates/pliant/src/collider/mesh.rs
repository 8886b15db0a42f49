//! Triangles: a closed surface is solid, an open one is a thin sheet with two sides.
//!
//! The WGSL twin of this file is `mesh.wgsl`.

use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::{Collider, Crossing, Data, Shape, Way, draw_surface};
use crate::error::WorldError;
use crate::mesh::bvh::{Bvh, Node};
use crate::mesh::sdf::{Sides, SignedDistance, closest_point};
use crate::mesh::{Aabb, MeshError, TriMesh};
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
    bounds: |of| triangles(of).map(|surface| surface.sdf.bounds()),
    thickness: |_| 0.0,
    roundness: |_| 0.0,
    is_flat: |of, within| triangles(of).is_some_and(|surface| surface.is_flat(within)),
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
    wgsl: Some(include_str!("mesh.wgsl")),
    draw: |of, scene| {
        if let Some(surface) = triangles(of) {
            draw_surface(of, surface.sdf.surface(), Shading::Flat, scene);
        }
    },
};

/// Triangles, and what is known of them.
#[derive(Clone, Debug)]
pub struct Surface {
    sdf: SignedDistance,
    /// Whether it is closed and each triangle has the inside behind it: then the triangles at the
    /// nearest point tell the inside from the outside.
    simple: bool,
}

/// Cosine of the angle between a triangle's normal and the way to it from which on it is met within,
/// not at an edge.
const STRAIGHT: f32 = 0.9999;
/// The same between two triangles that are one flat face.
const FLAT: f32 = 0.9999;

impl Surface {
    fn new(sdf: SignedDistance) -> Self {
        let inside_is_behind = |triangle: usize| {
            let [a, b, c] = sdf.surface().corners(triangle);
            let (middle, area) = ((a + b + c) / 3.0, sdf.surface().area(triangle));
            // A hundredth of its size in front of it, and behind.
            let out = area.normalize_or_zero() * (0.01 * area.length().sqrt());
            !sdf.is_inside(middle + out) && sdf.is_inside(middle - out)
        };
        let count = sdf.surface().triangles.len();
        let simple = sdf.is_closed() && (0..count).all(inside_is_behind);
        Self { sdf, simple }
    }

    /// The distances.
    pub fn sdf(&self) -> &SignedDistance {
        &self.sdf
    }

    /// Whether `mesh.wgsl` tells its inside as it is told here.
    pub(crate) fn has_twin(&self, of: &Collider) -> bool {
        self.simple || is_sheet(of)
    }

    /// The same for the GPU: a row, two for each node of the tree, three for each triangle.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec4> + '_ {
        let Bvh { nodes, items } = self.sdf.tree();
        let head = Vec4::new(nodes.len() as f32, 0.0, 0.0, 0.0);
        let of_node = |node: &Node| {
            let [start, end] = node.range;
            let items = if node.right == 0 { 8 * start + (end - start) } else { 0 };
            [node.bounds.low.extend(node.right as f32), node.bounds.high.extend(items as f32)]
        };
        let corners = |&item: &u32| self.sdf.surface().corners(item as usize);
        let triangles = items.iter().flat_map(corners).map(|corner| corner.extend(0.0));
        std::iter::once(head).chain(nodes.iter().flat_map(of_node)).chain(triangles)
    }

    /// The side by the triangle that is nearest, or by all that meet there; where they do not say what
    /// is inside, by the winding number.
    fn at(&self, x: Vec3) -> (f32, Vec3) {
        if !self.simple {
            let sample = self.sdf.at(x);
            return (sample.distance, sample.normal);
        }
        let near = self.sdf.unsigned(x);
        let front = self.sdf.surface().area(near.triangle as usize).normalize_or_zero();
        let cosine = front.dot(near.normal);
        let cosine =
            if cosine.abs() > STRAIGHT { cosine } else { self.out(near.nearest).dot(near.normal) };
        let side = if cosine < 0.0 { -1.0 } else { 1.0 };
        (near.distance * side, near.normal * side)
    }

    /// The direction out at a point of an edge or a vertex: the normals of the triangles there,
    /// weighted by their angles. Bærentzen and Aanæs 2005, "Signed Distance Computation Using the
    /// Angle Weighted Pseudonormal".
    fn out(&self, point: Vec3) -> Vec3 {
        // What rounding may put between a point and the triangles that it is on.
        let near = 1e-5 * (self.sdf.bounds().size().length() + point.length());
        let mut out = Vec3::ZERO;
        self.sdf.visit_box(&Aabb::of([point]).grown(near), &mut |triangle| {
            let corners = self.sdf.surface().corners(triangle as usize);
            if closest_point(corners, point).distance(point) > near {
                return;
            }
            let normal = self.sdf.surface().area(triangle as usize).normalize_or_zero();
            let at = (0..3).find(|&k| corners[k].distance(point) <= near);
            let angle = at.map_or(std::f32::consts::PI, |k| {
                let [one, other] = [1, 2].map(|next| corners[(k + next) % 3] - corners[k]);
                libm::atan2f(one.cross(other).length(), one.dot(other))
            });
            out += normal * angle;
        });
        out
    }

    /// Of a closed surface: a sheet has borders.
    fn is_flat(&self, within: &Aabb) -> bool {
        let (mut face, mut flat) = (None, self.simple);
        let (middle, reach) = ((within.low + within.high) / 2.0, 0.5 * within.size().length());
        self.sdf.visit_box(within, &mut |triangle| {
            let corners = self.sdf.surface().corners(triangle as usize);
            if flat && closest_point(corners, middle).distance_squared(middle) <= reach * reach {
                let normal = self.sdf.surface().area(triangle as usize).normalize_or_zero();
                flat &= normal.dot(*face.get_or_insert(normal)) > FLAT;
            }
        });
        flat
    }
}

fn triangles(of: &Collider) -> Option<&Surface> {
    match &of.data {
        Data::Mesh(surface) => Some(surface),
        _ => None,
    }
}

fn is_sheet(of: &Collider) -> bool {
    of.params[0] != 0.0
}

fn signed_distance(x: Vec3, of: &Collider) -> (f32, Vec3) {
    let Some(surface) = triangles(of) else { return (f32::MAX, Vec3::Y) };
    if is_sheet(of) {
        let sample = surface.sdf.unsigned(x);
        return (sample.distance, sample.normal);
    }
    surface.at(x)
}

/// By its triangles: exact, however long the way. The way is drawn out by the level, so that what
/// stops just before a sheet is kept on its own side of it.
fn crossing(of: &Collider, Way { from, to, level }: Way) -> Option<Crossing> {
    let sdf = &triangles(of)?.sdf;
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
        let data = Data::Mesh(Arc::new(Surface::new(sdf)));
        Ok(Self { data, ..Self::new(SHAPE, [sheet, 0.0, 0.0, 0.0]) })
    }
}
