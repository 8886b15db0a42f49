//! A block of tetrahedra, six to a cell.

use glam::{UVec3, Vec3};

use super::TetMesh;
use super::grid::points;

/// The six orders in which a path along the edges of a cell visits the axes. Each path from the
/// lowest corner to the highest has the corners of one tetrahedron (Kuhn 1960, by way of Freudenthal
/// 1942); all cells are alike, and the diagonals of neighbours meet.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

impl TetMesh {
    /// A block of `size` (m) about the origin, of `cells` along each axis. No cells along an axis
    /// give an empty mesh.
    pub fn block(cells: UVec3, size: Vec3) -> Self {
        let counts = cells + UVec3::ONE;
        let index = |at: UVec3| at.x + counts.x * (at.y + counts.y * at.z);
        let mut mesh = Self::default();
        if cells.min_element() == 0 {
            return mesh;
        }
        for at in points(counts) {
            let share = at.as_vec3() / cells.as_vec3();
            mesh.positions.push((share - Vec3::splat(0.5)) * size);
        }
        for at in points(cells) {
            for (number, path) in PATHS.iter().enumerate() {
                let mut corner = at;
                let mut tet = [index(at); 4];
                for (k, &axis) in path.iter().enumerate() {
                    corner[axis] += 1;
                    tet[k + 1] = index(corner);
                }
                if number >= 3 {
                    tet.swap(1, 2); // an odd order of axes is a mirror image
                }
                mesh.tets.push(tet);
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_filled_and_its_surface_closed() {
        let mesh = TetMesh::block(UVec3::new(3, 2, 4), Vec3::new(0.3, 1.0, 2.0));
        assert_eq!(mesh.tets.len(), 3 * 2 * 4 * 6);
        assert!(mesh.tets.iter().all(|&tet| mesh.volume(tet) > 0.0));
        let total: f32 = mesh.volumes().iter().sum();
        assert!((total - 0.6).abs() < 1e-6, "{total}");
        // Two triangles on each of the 2 (3·2 + 2·4 + 4·3) outer squares.
        assert_eq!(crate::mesh::boundary(&mesh.tets).len(), 2 * 2 * (6 + 8 + 12));
    }
}
