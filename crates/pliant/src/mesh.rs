//! Meshes in memory: triangles, tetrahedra, their edges, surfaces and hinges.

use std::collections::BTreeMap;

use glam::Vec3;

mod block;
pub mod body;
pub mod bvh;
pub mod error;
#[cfg(feature = "meshing")]
pub mod fill;
pub mod frame;
pub mod grid;
pub(crate) mod joined;
mod loose;
pub mod polygon;
pub mod quality;
pub mod repair;
pub mod resolution;
pub mod sdf;
pub mod solids;
pub mod stuffing;
pub mod thin;
pub mod voxels;

pub use bvh::Aabb;
pub use error::MeshError;
pub use quality::Quality;
pub use resolution::Resolution;

/// Farthest that a vertex may be from the origin (m): products of distances stay finite in `f32`.
const FARTHEST: f32 = 1e9;

/// Triangles in space: a surface, closed or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Where the vertices are (m).
    pub positions: Vec<Vec3>,
    /// The corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The volume inside (m³), negative if the surface is inside out; of an open one, that of the
    /// cone to the origin.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn volume(&self) -> f64 {
        let of = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| self.positions[corner as usize].as_dvec3());
            a.cross(b).dot(c) / 6.0
        };
        self.triangles.iter().map(of).sum()
    }

    /// The smallest box around the vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of(self.positions.iter().copied())
    }

    /// The area that belongs to each vertex (m²): a third of every triangle around it.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn areas(&self) -> Vec<f32> {
        let mut areas = vec![0.0; self.positions.len()];
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let third = self.area(triangle).length() / 3.0;
            corners.iter().for_each(|&corner| areas[corner as usize] += third);
        }
        areas
    }

    /// The same surface with one vertex where several were at the same place, without vertices of
    /// no triangle and without triangles that have a corner twice. Vertices are in the order in
    /// which triangles name them.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    #[must_use]
    pub fn distinct(&self) -> Self {
        let mut numbers = BTreeMap::new();
        let mut distinct = Self::default();
        for triangle in &self.triangles {
            let corners = triangle.map(|corner| {
                // Adding 0 makes −0 and 0 the same place.
                let x = self.positions[corner as usize] + Vec3::ZERO;
                *numbers.entry(x.to_array().map(f32::to_bits)).or_insert_with(|| {
                    distinct.positions.push(x);
                    (distinct.positions.len() - 1) as u32
                })
            });
            let [a, b, c] = corners;
            if a != b && b != c && c != a {
                distinct.triangles.push(corners);
            }
        }
        distinct
    }

    /// The direction of the surface at each vertex: of the triangles around it, the large ones more.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let area = self.area(triangle);
            corners.iter().for_each(|&corner| normals[corner as usize] += area);
        }
        normals.into_iter().map(Vec3::normalize_or_zero).collect()
    }

    /// Refuses vertices without a place and triangles without vertices.
    pub(crate) fn check(&self) -> Result<(), MeshError> {
        check_positions(&self.positions)?;
        check_corners("triangle", &self.triangles, self.positions.len())
    }

    /// Where the corners of a triangle are (m).
    pub(crate) fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|corner| self.positions[corner as usize])
    }

    /// The area of a triangle with the direction of its normal (m²).
    pub(crate) fn area(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a) / 2.0
    }
}

fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    // Not finite fails the comparison too.
    let far = |x: &Vec3| !(x.abs().max_element() <= FARTHEST && x.is_finite());
    match positions.iter().position(far) {
        Some(vertex) => Err(MeshError::NotFinite { vertex }),
        None => Ok(()),
    }
}

fn check_corners<const N: usize>(
    user: &'static str,
    elements: &[[u32; N]],
    count: usize,
) -> Result<(), MeshError> {
    let missing = |corners: &[u32; N]| corners.iter().any(|&corner| corner as usize >= count);
    match elements.iter().position(missing) {
        Some(index) => Err(MeshError::MissingVertex { user, index, count }),
        None => Ok(()),
    }
}

/// Tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Where the vertices are (m).
    pub positions: Vec<Vec3>,
    /// The corners of each tetrahedron. The first three run counter-clockwise, seen from outside.
    pub tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// The volume that belongs to each vertex (m³): a quarter of every tetrahedron around it.
    ///
    /// # Panics
    /// If a tetrahedron names a vertex that is not there.
    pub fn volumes(&self) -> Vec<f32> {
        let mut volumes = vec![0.0f64; self.positions.len()];
        for tet in &self.tets {
            let quarter = self.volume(*tet) / 4.0;
            tet.iter().for_each(|&corner| volumes[corner as usize] += quarter);
        }
        volumes.into_iter().map(|volume| volume as f32).collect()
    }

    /// Refuses vertices without a place and tetrahedra without vertices.
    pub(crate) fn check(&self) -> Result<(), MeshError> {
        check_positions(&self.positions)?;
        check_corners("tetrahedron", &self.tets, self.positions.len())
    }

    /// The volume of one tetrahedron (m³), negative if it is inside out.
    ///
    /// # Panics
    /// If it names a vertex that is not there.
    pub fn volume(&self, tet: [u32; 4]) -> f64 {
        let [a, b, c, d] = tet.map(|corner| self.positions[corner as usize].as_dvec3());
        (b - a).cross(c - a).dot(d - a) / 6.0
    }
}

/// Every pair of triangles that share an edge, as a bend constraint wants them: the edge, the
/// corner that the first triangle adds, and that of the second.
///
/// Edges of one triangle, of more than two, or of two that disagree on what is outside are left
/// out.
pub fn hinges(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut sides: Vec<([u32; 2], [u32; 3])> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]])
        .map(|[a, b, c]| ([a.min(b), a.max(b)], [a, b, c]))
        .collect();
    sides.sort_unstable();
    sides
        .chunk_by(|one, other| one.0 == other.0)
        .filter_map(|around| match around {
            [(_, [a, b, c]), (_, [d, e, f])] if (a, b) == (e, d) && c != f => {
                Some([*a, *b, *c, *f])
            }
            _ => None,
        })
        .collect()
}

/// An edge that is not met by as many triangles in one direction as in the other.
pub(crate) fn open_edge(triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
    let mut sides: Vec<([u32; 2], i32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    sides.sort_unstable();
    sides
        .chunk_by(|one, other| one.0 == other.0)
        .find(|around| around.iter().map(|(_, direction)| direction).sum::<i32>() != 0)
        .map(|around| around[0].0)
}

/// Every edge of the triangles, once, in order.
pub fn sides(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    sides.sort_unstable();
    sides.dedup();
    sides
}

/// Whether every side of every triangle has another that runs the other way; `particles` are all that
/// they may have as corners.
///
/// For every corner, the sum over sides that leave it less the sum over sides that come to it, of a
/// number that stands for the other end: 0 if they cancel.
pub(crate) fn is_closed(triangles: &[[u32; 3]], particles: &std::ops::Range<u32>) -> bool {
    // Multiples of an odd constant differ in all bits, so that sums tell ends apart.
    let number = |i: u32| u64::from(i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    let mut sums = vec![0u64; particles.len()];
    for &[a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let [at, end] = [from, to].map(|i| (i - particles.start) as usize);
            sums[at] = sums[at].wrapping_add(number(to));
            sums[end] = sums[end].wrapping_sub(number(from));
        }
    }
    sums.iter().all(|&sum| sum == 0)
}

/// Every edge of the tetrahedra, once, in order.
pub fn edges(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = tets
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Numbers the vertices of triangles or tetrahedra without gaps, in order, and returns which of `count`
/// they were.
///
/// # Panics
/// If a vertex is not below `count`.
pub fn drop_unused<const N: usize>(count: usize, simplices: &mut [[u32; N]]) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; count];
    simplices.as_flattened().iter().for_each(|&i| numbers[i as usize] = 0);
    let used: Vec<u32> = (0..count as u32).filter(|&i| numbers[i as usize] == 0).collect();
    (0..).zip(&used).for_each(|(new, &old)| numbers[old as usize] = new);
    simplices.as_flattened_mut().iter_mut().for_each(|i| *i = numbers[*i as usize]);
    used
}

/// The triangles that belong to one tetrahedron only, seen counter-clockwise from outside.
pub fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = tets
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]])
        .map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    faces.sort_unstable();
    faces
        .chunk_by(|one, other| one.0 == other.0)
        .filter(|around| around.len() == 1)
        .map(|around| around[0].1)
        .collect()
}
