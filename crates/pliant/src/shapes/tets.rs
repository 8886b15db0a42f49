//! Bodies of tetrahedra.

use glam::UVec3;

use super::{box_of, positive};
use crate::body::{Blueprint, check_particles};
use crate::constraint::set::Hold;
use crate::constraint::{distance, volume};
use crate::error::WorldError;
use crate::mesh::{TetMesh, boundary, edges};

/// A box of tetrahedra, five to a cell, with links on their edges; centred.
#[derive(Clone, Debug, PartialEq)]
pub struct TetBox {
    /// Particles along x, y and z.
    pub counts: UVec3,
    /// Size of a cell (m).
    pub spacing: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub edges: Hold,
    /// How firmly each tetrahedron keeps its volume.
    pub volume: Hold,
}

impl Default for TetBox {
    /// Ten centimetres of jelly.
    fn default() -> Self {
        Self {
            counts: UVec3::splat(6),
            spacing: 0.02,
            density: 1000.0,
            radius: 0.0,
            edges: Hold::spring(200.0),
            volume: Hold::RIGID,
        }
    }
}

impl TetBox {
    /// Particles, edges, tetrahedra and surface.
    ///
    /// # Errors
    /// If there are fewer than two particles along an axis, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        let voxels = box_of(self.counts, self.spacing)?;
        let mesh = TetMesh { positions: voxels.positions().collect(), tets: voxels.tets() };
        let Self { density, radius, edges, volume, .. } = *self;
        TetBody { mesh, density, radius, edges, volume }.blueprint()
    }
}

/// A body of tetrahedra, with links on their edges.
#[derive(Clone, Debug, PartialEq)]
pub struct TetBody {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub edges: Hold,
    /// How firmly each tetrahedron keeps its volume.
    pub volume: Hold,
}

impl TetBody {
    /// Particles, edges, tetrahedra and surface.
    ///
    /// # Errors
    /// If a tetrahedron names a vertex that is not there or one twice, has no volume so that a
    /// vertex has no mass, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("density", self.density)?;
        let TetMesh { positions, tets } = &self.mesh;
        check_particles("tetrahedron", tets.as_flattened(), positions.len())?;
        let mut body = Blueprint {
            name: "tetrahedra".into(),
            radius: self.radius,
            positions: positions.clone(),
            masses: self.mesh.volumes().iter().map(|volume| self.density * volume).collect(),
            triangles: boundary(tets),
            ..Blueprint::default()
        };
        for edge in edges(tets) {
            body.join(&distance::KIND, &edge, self.edges)?;
        }
        for tet in tets {
            body.join(&volume::KIND, tet, self.volume)?;
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::count;
    use super::*;

    #[test]
    fn the_benchmark_cube_has_its_edges_and_tetrahedra() {
        let cube = TetBox { counts: UVec3::splat(20), ..TetBox::default() }.blueprint().unwrap();
        assert_eq!((count(&cube, "distance"), count(&cube, "volume")), (44_460, 34_295));
    }

    #[test]
    fn tetrahedra_fill_the_box_and_none_is_inside_out() {
        let counts = UVec3::new(3, 4, 5);
        let cube = TetBox { counts, spacing: 0.5, ..TetBox::default() }.blueprint().unwrap();
        let volumes = cube.sets.iter().find(|set| set.kind().name == "volume").unwrap();
        let mut sum = 0.0;
        for number in 0..volumes.len() {
            let volume = volumes.rest(number).next().unwrap();
            assert!(volume > 0.0, "tetrahedron {number} has volume {volume} m³");
            sum += volume;
        }
        assert!((sum - 3.0).abs() < 1e-5, "the volumes sum to {sum} m³, the box has 3");
    }
}
