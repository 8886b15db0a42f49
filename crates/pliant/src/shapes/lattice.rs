//! Lattices: particles on a cubic grid, linked to all their neighbours.

use glam::UVec3;

use super::{box_of, positive};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::mesh::boundary;
use crate::mesh::voxels::Voxels;

/// A box of particles, each linked to all neighbours within the diagonal of a cell; centred.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Particles along x, y and z.
    pub counts: UVec3,
    /// Distance of neighbours along the axes (m).
    pub spacing: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub links: Hold,
}

impl Default for Lattice {
    /// Ten centimetres of soft rubber foam.
    fn default() -> Self {
        Self {
            counts: UVec3::splat(5),
            spacing: 0.025,
            density: 200.0,
            radius: 0.0125,
            links: Hold::spring(500.0),
        }
    }
}

impl Lattice {
    /// Particles, links and surface.
    ///
    /// # Errors
    /// If there are fewer than two particles along an axis, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        let Self { counts, spacing, density, radius, links } = *self;
        LatticeBody { voxels: box_of(counts, spacing)?, density, radius, links }.blueprint()
    }
}

/// A body of particles on a cubic grid, of any shape, each linked to all neighbours within the
/// diagonal of a cell.
///
/// ```
/// # use pliant::{Hold, mesh::{sdf::SignedDistance, voxels::Voxelisation}, shapes::{Lattice, LatticeBody}};
/// # let cube = Lattice::default().blueprint()?;
/// # let surface = pliant::mesh::TriMesh { positions: cube.positions, triangles: cube.triangles };
/// let voxels = Voxelisation::default().voxels(&SignedDistance::new(surface)?)?;
/// let radius = 0.4 * voxels.cell;
/// let links = Hold::spring(2e4 * voxels.cell);
/// let body = LatticeBody { voxels, density: 1000.0, radius, links }.blueprint()?;
/// # let mass: f32 = body.masses.iter().sum();
/// # assert!((mass - 1.0).abs() < 0.04, "{mass} kg, of ten cells along each side");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeBody {
    /// Where the particles are, in their order.
    pub voxels: Voxels,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub links: Hold,
}

impl LatticeBody {
    /// Particles, links and surface. Parts that are one particle thin have no surface.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("density", self.density)?;
        positive("cell", self.voxels.cell)?;
        let (name, radius) = ("lattice".into(), self.radius);
        let mut body = Blueprint { name, radius, ..Blueprint::default() };
        let cell = self.voxels.cell;
        let mass = self.density * cell * cell * cell;
        for (x, voxel) in self.voxels.positions().zip(&self.voxels.voxels) {
            body.particle(x, mass * voxel.share);
        }
        for link in self.voxels.links() {
            body.join(&distance::KIND, &link, self.links)?;
        }
        // The tetrahedra of the cells are not simulated here, but their outside is the surface.
        body.triangles = boundary(&self.voxels.tets());
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::count;
    use super::*;

    #[test]
    fn a_block_has_a_link_to_every_neighbour_within_the_diagonal() {
        let counts = UVec3::new(3, 4, 5);
        let block = Lattice { counts, ..Lattice::default() }.blueprint().unwrap();
        let near = |a: usize, b: usize| {
            let far = block.positions[a].distance(block.positions[b]);
            far < 1.01 * 3f32.sqrt() * Lattice::default().spacing
        };
        let pairs = (0..60).flat_map(|a| (0..a).map(move |b| (a, b)));
        assert_eq!(count(&block, "distance"), pairs.filter(|&(a, b)| near(a, b)).count());
    }
}
