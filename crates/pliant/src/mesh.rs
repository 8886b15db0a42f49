//! Meshes in memory: triangles, tetrahedra, their edges, surfaces and hinges.

use glam::Vec3;

mod block;
#[cfg(feature = "meshing")]
pub mod fill;
pub mod frame;
pub mod polygon;
pub mod repair;

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
