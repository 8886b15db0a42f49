//! Ropes.

use glam::Vec3;

use super::{at_least_two, positive};
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::constraint::{distance, link_bend};
use crate::error::WorldError;
use crate::material::Cord;
use crate::mesh::voxels::border;

/// A rope along x, its first particle at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Links; there is one particle more.
    pub segments: u32,
    /// Length (m).
    pub length: f32,
    /// Mass per length (kg/m).
    pub linear_density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub stretch: Hold,
    /// How firmly every two links in a row keep their angle; `None` lets it fold freely.
    pub bending: Option<Hold>,
}

impl Default for Rope {
    /// A metre of climbing rope.
    fn default() -> Self {
        Self {
            segments: 40,
            length: 1.0,
            linear_density: 0.07,
            radius: 0.005,
            stretch: Hold::spring(1e5),
            bending: None,
        }
    }
}

impl Rope {
    /// A rope of a material.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn of(material: &Cord, length: f32, segments: u32) -> Result<Self, WorldError> {
        material.check()?;
        positive("rope length", length)?;
        at_least_two("rope particles", segments.saturating_add(1))?;
        let spacing = f64::from(length) / f64::from(segments);
        Ok(Self {
            segments,
            length,
            linear_density: material.linear_density,
            radius: material.thickness / 2.0,
            stretch: material.link(spacing),
            bending: (material.bending > 0.0).then(|| material.bend(spacing)),
        })
    }

    /// Particles, links and bends.
    ///
    /// # Errors
    /// If there is no segment, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        at_least_two("rope particles", self.segments.saturating_add(1))?;
        positive("rope length", self.length)?;
        positive("linear density", self.linear_density)?;
        let mut rope =
            Blueprint { name: "rope".into(), radius: self.radius, ..Blueprint::default() };
        let spacing = self.length / self.segments as f32;
        for i in 0..=self.segments {
            let share = border(i, self.segments + 1);
            rope.particle(Vec3::X * (i as f32 * spacing), self.linear_density * spacing * share);
        }
        for i in 0..self.segments {
            rope.join(&distance::KIND, &[i, i + 1], self.stretch)?;
        }
        if let Some(hold) = self.bending {
            for i in 0..self.segments - 1 {
                rope.join(&link_bend::KIND, &[i, i + 1, i + 2], hold)?;
            }
        }
        Ok(rope)
    }
}
