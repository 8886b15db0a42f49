//! Bodies of a material: solids of tetrahedra and shells of triangles.

use glam::{DVec3, Vec3};

use crate::body::{Blueprint, check_particles};
use crate::constraint::set::Hold;
use crate::constraint::{bend, dilation, isometric_bend, neo_hookean, shear, stretch, volume};
use crate::error::WorldError;
use crate::lanes::V3;
use crate::material::{Sheet, Solid};
use crate::mesh::{TetMesh, TriMesh, frame, hinges};

mod rings;
mod saddles;

/// A body of tetrahedra of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElasticBody {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// What it is made of.
    pub material: Solid,
    /// How stress follows from strain when strains are large.
    pub model: Model,
    /// Distance that colliders keep (m).
    pub radius: f32,
}

/// How stress follows from strain. For small strains all agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Model {
    /// Rubber, jelly and flesh: keeps pushing back however far it is squeezed. Two constraints a
    /// tetrahedron.
    #[default]
    NeoHookean,
    /// What engineering codes use; gives way when squeezed to half. Seven constraints a
    /// tetrahedron.
    SaintVenantKirchhoff,
}

impl ElasticBody {
    /// Particles, constraints and surface.
    ///
    /// # Errors
    /// If a number of the material is out of range, or a tetrahedron is flat, inside out, or names
    /// a vertex that is not there or one twice.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        self.material.check()?;
        let TetMesh { positions, tets } = &self.mesh;
        check_particles("tetrahedron", tets.as_flattened(), positions.len())?;
        let density = self.material.density;
        let mut body = Blueprint {
            name: "elastic body".into(),
            radius: self.radius,
            positions: positions.clone(),
            masses: self.mesh.volumes().iter().map(|volume| density * volume).collect(),
            triangles: crate::mesh::boundary(tets),
            ..Blueprint::default()
        };
        for (index, tet) in tets.iter().enumerate() {
            let axes = frame::of_tet(tet.map(|i| point(positions, i)));
            let volume = self.mesh.volume(*tet);
            if !(volume > 0.0 && axes[0] != [0.0; 3]) {
                return Err(WorldError::FlatElement { what: "tetrahedron", index });
            }
            match self.model {
                Model::NeoHookean => self.neo_hookean(&mut body, tet, volume)?,
                Model::SaintVenantKirchhoff => self.kirchhoff(&mut body, tet, volume)?,
            }
        }
        Ok(body)
    }

    fn neo_hookean(
        &self,
        body: &mut Blueprint,
        tet: &[u32; 4],
        rest_volume: f64,
    ) -> Result<(), WorldError> {
        let [lambda, mu] = self.material.lame();
        body.join(&neo_hookean::KIND, tet, self.material.hold(mu, rest_volume))?;
        if lambda > 0.0 {
            // λ/2 (J − 1)² V₀ with C = V − V₀ = (J − 1) V₀.
            let hold = self.material.hold(lambda, 1.0 / rest_volume);
            body.join(&volume::KIND, tet, hold)?;
        }
        Ok(())
    }

    /// ```text
    /// Ψ = μ E:E + λ/2 (tr E)² = Σ ½ 2μ E_dd² + Σ ½ μ (2E_de)² + ½ λ (tr E)²
    /// ```
    fn kirchhoff(
        &self,
        body: &mut Blueprint,
        tet: &[u32; 4],
        rest_volume: f64,
    ) -> Result<(), WorldError> {
        let [lambda, mu] = self.material.lame();
        let axes = frame::of_tet(tet.map(|i| point(&body.positions, i)));
        let axes = axes.map(|axis| axis.map(|value| value as f32));
        for axis in &axes {
            let hold = self.material.hold(2.0 * mu, rest_volume);
            body.join_with_rest(&stretch::TET_KIND, tet, axis, hold)?;
        }
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let (rest, hold) = ([axes[a], axes[b]], self.material.hold(mu, rest_volume));
            body.join_with_rest(&shear::TET_KIND, tet, rest.as_flattened(), hold)?;
        }
        if lambda > 0.0 {
            let hold = self.material.hold(lambda, rest_volume);
            body.join_with_rest(&dilation::TET_KIND, tet, axes.as_flattened(), hold)?;
        }
        Ok(())
    }
}

/// A surface of one material: cloth, paper, a rubber skin.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticShell {
    /// The triangles, flat or not: their shape is the rest shape.
    pub mesh: TriMesh,
    /// What it is made of.
    pub material: Sheet,
    /// Where the warp runs, in space; each triangle takes the nearest direction in its plane.
    pub warp: Vec3,
    /// What resists folding.
    pub folding: Folding,
}

/// What resists folding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Folding {
    /// The curvature at each particle: right on any mesh, and cheap, for sheets so thin that they
    /// do not stretch sooner than bend. A thick sheet would curl crosswise.
    #[default]
    Curvature,
    /// The same with the saddle shape of each triangle: a plate of any thickness.
    Plate,
    /// The angle of two triangles, for any rest shape and any fold. Where all diagonals slant one
    /// way, a fifth too soft.
    Angle,
    /// The curvature across the edge of two triangles, for sheets that are flat at rest: a third of
    /// the work of `Angle`, and as soft.
    Isometric,
}

impl Default for ElasticShell {
    fn default() -> Self {
        Self {
            mesh: TriMesh::default(),
            material: Sheet::default(),
            warp: Vec3::X,
            folding: Folding::default(),
        }
    }
}

impl ElasticShell {
    /// Particles, constraints and surface.
    ///
    /// # Errors
    /// If a number of the material is out of range, the warp has no direction, or a triangle has
    /// no area, or names a vertex that is not there or one twice.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        self.material.check()?;
        if !(self.warp.is_finite() && self.warp.length_squared() > 0.0) {
            let (what, value) = ("length of the warp's direction", self.warp.length());
            return Err(WorldError::BadNumber { what, value, needs: "positive and finite" });
        }
        let TriMesh { positions, triangles } = &self.mesh;
        check_particles("triangle", triangles.as_flattened(), positions.len())?;
        let mut body = Blueprint {
            name: "elastic shell".into(),
            radius: self.material.thickness / 2.0,
            positions: positions.clone(),
            masses: self.masses(),
            triangles: triangles.clone(),
            ..Blueprint::default()
        };
        for index in 0..triangles.len() {
            self.add_membrane(&mut body, index)?;
        }
        match self.folding {
            Folding::Plate => {
                rings::add_curvature(self, &mut body, 0.5)?;
                saddles::add_saddles(self, &mut body)?;
            }
            Folding::Curvature => rings::add_curvature(self, &mut body, 1.0)?,
            Folding::Angle | Folding::Isometric => {
                for hinge in hinges(triangles) {
                    self.add_hinge(&mut body, hinge)?;
                }
            }
        }
        Ok(body)
    }

    /// A third of the triangles around it, each (kg).
    fn masses(&self) -> Vec<f32> {
        let mut areas = vec![0.0f64; self.mesh.positions.len()];
        for triangle in &self.mesh.triangles {
            let third = self.area(*triangle) / 3.0;
            triangle.iter().for_each(|&corner| areas[corner as usize] += third);
        }
        areas.iter().map(|area| (area * f64::from(self.material.areal_density)) as f32).collect()
    }

    fn add_membrane(&self, body: &mut Blueprint, index: usize) -> Result<(), WorldError> {
        let triangle = self.mesh.triangles[index];
        let corners = triangle.map(|i| point(&self.mesh.positions, i));
        let axes = self.axes(corners);
        if axes == [[0.0; 2]; 2] {
            return Err(WorldError::FlatElement { what: "triangle", index });
        }
        let area = self.area(triangle);
        let Sheet { stretch: [warp, weft], coupling, shear, .. } = self.material;
        for (axis, stiffness) in axes.iter().zip([warp - coupling, weft - coupling]) {
            let hold = self.material.hold(f64::from(stiffness), area);
            body.join_with_rest(&stretch::TRIANGLE_KIND, &triangle, axis, hold)?;
        }
        let both = [(&shear::TRIANGLE_KIND, shear), (&dilation::TRIANGLE_KIND, coupling)];
        for (kind, stiffness) in both.into_iter().filter(|&(_, stiffness)| stiffness > 0.0) {
            let hold = self.material.hold(f64::from(stiffness), area);
            body.join_with_rest(kind, &triangle, axes.as_flattened(), hold)?;
        }
        Ok(())
    }

    /// Warp and weft in a triangle. Where the warp is its normal, along its first edge.
    fn axes(&self, corners: [V3<f64>; 3]) -> [[f32; 2]; 2] {
        let axes = frame::in_triangle(corners, V3::from(self.warp.as_dvec3()));
        let axes = if axes[0] == [0.0; 2] { frame::of_triangle(corners) } else { axes };
        axes.map(|axis| axis.map(|value| value as f32))
    }

    fn add_hinge(&self, body: &mut Blueprint, hinge: [u32; 4]) -> Result<(), WorldError> {
        let [a, b, c, d] = hinge;
        let at = |i: u32| self.mesh.positions[i as usize].as_dvec3();
        let edge = at(b) - at(a);
        let (length, area) = (edge.length(), self.area([a, b, c]) + self.area([b, a, d]));
        // The direction that bends runs across the edge, in the plane of both triangles.
        let normal = edge.cross(at(c) - at(a)) + (at(d) - at(a)).cross(edge);
        let across = normal.cross(edge).normalize_or_zero();
        let warp: DVec3 = self.warp.as_dvec3().normalize();
        let hold = self.material.hinge(length, area, across.dot(warp));
        match self.folding {
            _ if hold.compliance.is_infinite() => Ok(()),
            // C is |e|θ instead of θ.
            Folding::Isometric => {
                let square = (length * length) as f32;
                let (compliance, damping) = (hold.compliance * square, hold.damping / square);
                let hold = Hold { compliance, damping, ..hold };
                body.join(&isometric_bend::KIND, &hinge, hold)
            }
            Folding::Angle | Folding::Curvature | Folding::Plate => {
                body.join(&bend::KIND, &hinge, hold)
            }
        }
    }

    fn area(&self, triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.mesh.positions[i as usize].as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    }
}

fn point(positions: &[Vec3], index: u32) -> V3<f64> {
    V3::from(positions[index as usize].as_dvec3())
}
