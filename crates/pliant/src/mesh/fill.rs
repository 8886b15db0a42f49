//! Fills a closed surface with tetrahedra.

use glam::Vec3;
use parry3d::transformation::{VolumeMeshParameters, volume_mesh};

use super::{Aabb, MeshError, TetMesh, check_corners, check_positions, open_edge};

/// Most cells along the longest side of what is filled. The lattice has the cube of that.
const MOST_CELLS: f32 = 256.0;

impl TetMesh {
    /// Fills the inside of a closed surface with tetrahedra of about `cell` (m).
    ///
    /// The tetrahedra cover the surface: it lies inside them everywhere, up to a cell deep.
    ///
    /// ```
    /// # use pliant::{mesh::TetMesh, shapes::{Lattice, TetBody}, Hold};
    /// # let cube = Lattice::default().blueprint()?;
    /// let mesh = TetMesh::fill(&cube.positions, &cube.triangles, 0.02)?;
    /// let (edges, volume) = (Hold::spring(500.0), Hold::RIGID);
    /// let body = TetBody { mesh, density: 1000.0, radius: 0.0, edges, volume }.blueprint()?;
    /// # assert!(body.masses.iter().sum::<f32>() > 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the surface is not closed, a triangle names a vertex that is not there, a number is not
    /// finite, or the cells are too small or too large for it.
    pub fn fill(positions: &[Vec3], triangles: &[[u32; 3]], cell: f32) -> Result<Self, MeshError> {
        check(positions, triangles, cell)?;
        let vertices: Vec<_> =
            positions.iter().map(|x| parry3d::math::Vector::new(x.x, x.y, x.z)).collect();
        let filled = volume_mesh(&vertices, triangles, &VolumeMeshParameters::new(cell))
            .filter(|mesh| !mesh.cells.is_empty())
            .ok_or(MeshError::Nothing)?;
        let positions = filled.vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z)).collect();
        Ok(Self { positions, tets: filled.cells })
    }
}

fn check(positions: &[Vec3], triangles: &[[u32; 3]], cell: f32) -> Result<(), MeshError> {
    check_positions(positions)?;
    check_corners("triangle", triangles, positions.len())?;
    if let Some([from, to]) = open_edge(triangles) {
        return Err(MeshError::Open { from, to });
    }
    let side = Aabb::of(positions.iter().copied()).size().max_element().max(0.0);
    if !(cell > 0.0 && cell.is_finite() && side / cell <= MOST_CELLS) {
        return Err(MeshError::Cell { cell, side, least: side / MOST_CELLS });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Lattice;

    #[test]
    fn tetrahedra_cover_the_cube_and_none_is_inside_out() {
        let cube = Lattice { spacing: 0.25, ..Lattice::default() }.blueprint().unwrap();
        for cell in [0.3, 0.15] {
            let mesh = TetMesh::fill(&cube.positions, &cube.triangles, cell).unwrap();
            assert!(mesh.tets.iter().all(|&tet| mesh.volume(tet) > 0.0));
            let volume: f32 = mesh.volumes().iter().sum();
            let most = (1.0 + 2.0 * cell).powi(3);
            assert!((1.0..most).contains(&volume), "a cube of 1 m³ is covered by {volume} m³");
        }
    }

    #[test]
    fn a_surface_that_cannot_be_filled_is_explained() {
        let cube = Lattice::default().blueprint().unwrap();
        let fill = |triangles: &[[u32; 3]], cell| TetMesh::fill(&cube.positions, triangles, cell);
        let open = fill(&cube.triangles[1..], 0.02).unwrap_err();
        assert!(open.to_string().contains("open at the edge"), "{open}");
        let missing = fill(&[[0, 1, 999]], 0.02).unwrap_err();
        assert_eq!(missing, MeshError::MissingVertex { user: "triangle", index: 0, count: 125 });
        for cell in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-9] {
            assert!(matches!(fill(&cube.triangles, cell), Err(MeshError::Cell { .. })), "{cell}");
        }
        assert_eq!(fill(&[], 0.02).unwrap_err(), MeshError::Nothing);
    }
}
