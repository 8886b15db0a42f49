//! Cloth and thin shells from any triangle mesh, open or closed.

use super::positive;
use crate::body::{Blueprint, check_particles};
use crate::constraint::set::Hold;
use crate::constraint::{bend, distance};
use crate::error::WorldError;
use crate::mesh::{TriMesh, hinges, sides};

/// A thin body: a particle at every vertex, a link on every edge, a hinge between triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// The surface. Vertices of no triangle have no mass and are refused; [`TriMesh::distinct`]
    /// leaves them out.
    pub mesh: TriMesh,
    /// Mass per area (kg/m²).
    pub areal_density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub stretch: Hold,
    /// How firmly the angle of every two triangles that share an edge holds; `None` lets it fold.
    pub bending: Option<Hold>,
}

impl Default for Shell {
    /// Nothing, of a cotton-like cloth.
    fn default() -> Self {
        Self {
            mesh: TriMesh::default(),
            areal_density: 0.15,
            radius: 0.005,
            stretch: Hold::spring(5e3),
            bending: None,
        }
    }
}

impl Shell {
    /// Particles, edges, hinges and triangles.
    ///
    /// # Errors
    /// If a triangle names a vertex that is not there or one twice, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("areal density", self.areal_density)?;
        let TriMesh { positions, triangles } = &self.mesh;
        check_particles("triangle", triangles.as_flattened(), positions.len())?;
        let areas = self.mesh.areas();
        let mut body = Blueprint {
            name: "shell".into(),
            radius: self.radius,
            positions: positions.clone(),
            masses: areas.iter().map(|area| self.areal_density * area).collect(),
            triangles: triangles.clone(),
            ..Blueprint::default()
        };
        for side in sides(triangles) {
            body.join(&distance::KIND, &side, self.stretch)?;
        }
        if let Some(hold) = self.bending {
            for hinge in hinges(triangles) {
                body.join(&bend::KIND, &hinge, hold)?;
            }
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::count;
    use super::*;
    use crate::mesh::solids::ball;

    #[test]
    fn a_closed_shell_has_a_link_and_a_hinge_for_every_edge_and_the_mass_of_its_area() {
        let (mesh, bending) = (ball::ball(0.5, 40, 80), Some(Hold::RIGID));
        let edges = mesh.triangles.len() * 3 / 2;
        let shell = Shell { mesh, bending, ..Shell::default() }.blueprint().unwrap();
        assert_eq!((count(&shell, "distance"), count(&shell, "bend")), (edges, edges));
        let (mass, sphere) = (shell.masses.iter().sum::<f32>(), std::f32::consts::PI * 0.15);
        assert!((mass / sphere - 1.0).abs() < 3e-3, "{mass} kg, a sphere has {sphere} kg");
    }

    #[test]
    fn a_triangle_without_a_vertex_is_refused() {
        let mut mesh = ball::ball(0.5, 4, 8);
        mesh.triangles.push([0, 1, 99]);
        assert!(Shell { mesh, ..Shell::default() }.blueprint().is_err());
    }
}
