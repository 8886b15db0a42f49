//! Springs between the vertices of a mesh.

use super::positive;
use crate::body::{Blueprint, check_particles};
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::mesh::{TriMesh, sides};

/// Most vertices that are all linked to each other: two million springs.
const MOST_ALL_TO_ALL: usize = 2000;

/// A body of springs: one particle for every distinct vertex of a mesh, all equally heavy.
#[derive(Clone, Debug, PartialEq)]
pub struct MassSpring {
    /// The surface. Vertices at the same place become one particle.
    pub mesh: TriMesh,
    /// Mass of the body (kg).
    pub mass: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// Which vertices are linked.
    pub springs: Springs,
    /// How firmly the springs hold.
    pub hold: Hold,
}

/// Which vertices are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Springs {
    /// Those that share an edge of a triangle: the body is a net and can collapse.
    Edges,
    /// Every two: the body keeps its shape.
    All,
}

impl Default for MassSpring {
    /// Nothing, of one kilogram.
    fn default() -> Self {
        Self {
            mesh: TriMesh::default(),
            mass: 1.0,
            radius: 0.0,
            springs: Springs::All,
            hold: Hold::spring(100.0),
        }
    }
}

impl MassSpring {
    /// Particles, springs and triangles.
    ///
    /// # Errors
    /// If a triangle names a vertex that is not there, there are too many vertices to link all of
    /// them, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("mass", self.mass)?;
        let vertices = self.mesh.positions.len();
        check_particles("triangle", self.mesh.triangles.as_flattened(), vertices)?;
        let TriMesh { positions, triangles } = self.mesh.distinct();
        let count = positions.len();
        if self.springs == Springs::All && count > MOST_ALL_TO_ALL {
            let (what, value) = ("number of vertices with springs between all", count as f32);
            return Err(WorldError::BadNumber { what, value, needs: "at most 2000" });
        }
        let mut body = Blueprint {
            name: "mass-spring".into(),
            radius: self.radius,
            masses: vec![self.mass / count.max(1) as f32; count],
            positions,
            ..Blueprint::default()
        };
        let all = (0..count as u32).flat_map(|b| (0..b).map(move |a| [a, b]));
        let pairs = match self.springs {
            Springs::Edges => sides(&triangles),
            Springs::All => all.collect(),
        };
        for pair in pairs {
            body.join(&distance::KIND, &pair, self.hold)?;
        }
        body.triangles = triangles;
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::count;
    use super::*;
    use crate::mesh::solids::cuboid;
    use glam::Vec3;

    #[test]
    fn a_cube_with_its_corners_given_three_times_has_eight_particles() {
        let cube = cuboid::cuboid(Vec3::ONE, 1);
        let mut torn = TriMesh::default();
        for triangle in &cube.triangles {
            let first = torn.positions.len() as u32;
            torn.positions.extend(triangle.map(|corner| cube.positions[corner as usize]));
            torn.triangles.push([first, first + 1, first + 2]);
        }
        let body = |springs| {
            let mesh = torn.clone();
            MassSpring { mesh, springs, ..MassSpring::default() }.blueprint().unwrap()
        };
        let all = body(Springs::All);
        assert_eq!((all.positions.len(), count(&all, "distance")), (8, 28));
        assert_eq!(count(&body(Springs::Edges), "distance"), 18);
        assert!((all.masses.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn too_many_to_link_all_are_refused() {
        let mesh = cuboid::cuboid(Vec3::ONE, 20);
        let refused = MassSpring { mesh, ..MassSpring::default() }.blueprint().unwrap_err();
        assert!(refused.to_string().contains("at most 2000"), "{refused}");
    }
}
