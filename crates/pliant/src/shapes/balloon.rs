//! Closed surfaces with something inside: balloons, and solids that are made of their surface alone.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::body::{Blueprint, check_particles};
use crate::constraint::set::Hold;
use crate::constraint::{bend, distance};
use crate::error::WorldError;
use crate::mesh::{TriMesh, hinges, sides};
use crate::region::{balloon, cones};

/// A closed surface, with links on its edges and something inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Balloon {
    /// The surface.
    pub surface: TriMesh,
    /// Mass per area (kg/m²).
    pub areal_density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub stretch: Hold,
    /// How firmly the angle of every two triangles that share an edge holds; `None` lets it fold.
    pub bending: Option<Hold>,
    /// What is inside.
    pub inside: Inside,
}

/// What is inside a closed surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inside {
    /// Nothing: the surface folds like cloth.
    Nothing,
    /// Something that wants `pressure` times the volume at rest, and does not mind its shape.
    Air {
        /// Volume that it wants, over the volume at rest.
        pressure: f32,
        /// How fast it is pumped from 1 to that (1/s); 0 is at once.
        rate: f32,
        /// How firmly it wants it; compliance in m³/Pa.
        hold: Hold,
    },
    /// Something solid: every triangle keeps its volume against the centre of mass; compliance in
    /// m⁶/J.
    Solid(Hold),
}

impl Default for Balloon {
    /// A rubber ball of 10 cm, not inflated.
    fn default() -> Self {
        Self {
            surface: sphere(0.1, 3),
            areal_density: 0.5,
            radius: 0.005,
            stretch: Hold::spring(200.0),
            bending: None,
            inside: Inside::Air { pressure: 1.0, rate: 0.0, hold: Hold::RIGID },
        }
    }
}

impl Balloon {
    /// Particles, edges, hinges and what is inside.
    ///
    /// # Errors
    /// If the surface is not closed, encloses nothing or has vertices without triangles, or a number
    /// is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        super::positive("areal density", self.areal_density)?;
        let TriMesh { positions, triangles } = &self.surface;
        check_particles("triangle", triangles.as_flattened(), positions.len())?;
        let mut body = Blueprint {
            name: "balloon".into(),
            radius: self.radius,
            positions: positions.clone(),
            masses: self.masses(),
            triangles: triangles.clone(),
            ..Blueprint::default()
        };
        for edge in sides(triangles) {
            body.join(&distance::KIND, &edge, self.stretch)?;
        }
        if let Some(hold) = self.bending {
            for hinge in hinges(triangles) {
                body.join(&bend::KIND, &hinge, hold)?;
            }
        }
        match self.inside {
            Inside::Nothing => {}
            Inside::Air { pressure, rate, hold } => {
                body.gather(&balloon::region(triangles, [pressure, rate], hold))?;
            }
            Inside::Solid(hold) => body.gather(&cones::region(triangles, hold))?,
        }
        Ok(body)
    }

    /// A third of every triangle around a vertex.
    fn masses(&self) -> Vec<f32> {
        let TriMesh { positions, triangles } = &self.surface;
        let mut masses = vec![0.0; positions.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
            let third = self.areal_density * (b - a).cross(c - a).length() / 6.0;
            triangle.iter().for_each(|&corner| masses[corner as usize] += third);
        }
        masses
    }
}

/// A ball of this radius (m) about the origin: an icosahedron, each triangle cut into four `levels`
/// times; 10·4^levels + 2 vertices, about equally far apart.
pub fn sphere(radius: f32, levels: u32) -> TriMesh {
    let mut mesh = icosahedron();
    for _ in 0..levels {
        mesh = cut(&mesh);
    }
    for x in &mut mesh.positions {
        *x = x.normalize_or_zero() * radius;
    }
    mesh
}

fn icosahedron() -> TriMesh {
    let g = (1.0 + 5.0f32.sqrt()) / 2.0; // golden ratio
    let positions = vec![
        Vec3::new(-1.0, g, 0.0),
        Vec3::new(1.0, g, 0.0),
        Vec3::new(-1.0, -g, 0.0),
        Vec3::new(1.0, -g, 0.0),
        Vec3::new(0.0, -1.0, g),
        Vec3::new(0.0, 1.0, g),
        Vec3::new(0.0, -1.0, -g),
        Vec3::new(0.0, 1.0, -g),
        Vec3::new(g, 0.0, -1.0),
        Vec3::new(g, 0.0, 1.0),
        Vec3::new(-g, 0.0, -1.0),
        Vec3::new(-g, 0.0, 1.0),
    ];
    #[rustfmt::skip]
    let triangles = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    TriMesh { positions, triangles }
}

/// Every triangle cut into four, the new vertices on the unit sphere.
fn cut(mesh: &TriMesh) -> TriMesh {
    let mut positions: Vec<Vec3> = mesh.positions.iter().map(|x| x.normalize_or_zero()).collect();
    let mut middles = BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            positions.push((positions[a as usize] + positions[b as usize]).normalize_or_zero());
            positions.len() as u32 - 1
        })
    };
    let triangles = mesh
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        })
        .collect();
    TriMesh { positions, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_is_closed_and_nearly_as_large_as_its_ball() {
        for (levels, share) in [(0, 0.60), (2, 0.95), (4, 0.996)] {
            let mesh = sphere(2.0, levels);
            assert_eq!(mesh.positions.len(), 10 * 4usize.pow(levels) + 2);
            assert_eq!(hinges(&mesh.triangles).len() * 2, mesh.triangles.len() * 3);
            let ball = 4.0 / 3.0 * std::f64::consts::PI * 8.0;
            let volume = mesh.volume() / ball;
            assert!((share..1.0).contains(&volume), "{levels} levels: {volume} of the ball");
        }
    }

    #[test]
    fn surfaces_that_are_not_closed_or_inside_out_are_refused() {
        let mut open = Balloon::default();
        open.surface.triangles.pop();
        assert!(matches!(open.blueprint().unwrap_err(), WorldError::OpenSurface { .. }));
        let mut inside_out = Balloon::default();
        inside_out.surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let error = inside_out.blueprint().unwrap_err();
        assert!(error.to_string().contains("inside out"), "{error}");
        let mut flipped = Balloon::default();
        flipped.surface.triangles[0].swap(0, 1);
        assert!(flipped.blueprint().is_err());
        let mut wrong = Balloon::default();
        wrong.surface.triangles[0] = [0, 1, 9999];
        assert!(wrong.blueprint().is_err());
    }
}
