//! Lattices of a material.

use super::positive;
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::material::{Damping, Solid};
use crate::mesh::voxels::Voxels;
use crate::shapes::LatticeBody;

/// A body of particles on a cubic grid, linked to all neighbours within the diagonal of a cell, with
/// the stiffness of a material.
///
/// Poisson's ratio is ¼: forces along the links between neighbours allow no other in an isotropic
/// solid (Cauchy's relations; Love 1927, "A Treatise on the Mathematical Theory of Elasticity",
/// note B). Where another is wanted, take [`super::ElasticBody`].
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticLattice {
    /// Where the particles are, in their order.
    pub voxels: Voxels,
    /// Young's modulus (Pa).
    pub young: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// How fast vibrations die away.
    pub damping: Damping,
    /// Distance that colliders keep (m).
    pub radius: f32,
}

/// Poisson's ratio of every [`ElasticLattice`].
pub const POISSON: f32 = 0.25;

impl ElasticLattice {
    /// Particles, links and surface.
    ///
    /// ```text
    /// C₁₁ = (k₁ + 2k₂ + 4/3 k₃)/a,   C₁₂ = C₄₄ = (k₂ + 4/3 k₃)/a        k₁, k₂, k₃ along the sides
    /// isotropic for k₁ = k₂ + 8/3 k₃,  then E = 5/2 C₁₂                  and diagonals of cells of a
    /// here k₁ = 8/15 Ea,  k₂ = k₁/2,  k₃ = 3/16 k₁
    /// ```
    ///
    /// A side belongs to four cells, a face's diagonal to two: each cell whose eight corners are
    /// there gives its part, so that the border is as stiff as the inside. Links of thin parts,
    /// which have no cell, get that of one.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("Young's modulus", self.young)?;
        let Self { voxels, young, density, damping, radius } = self;
        let solid = Solid { young: *young, poisson: POISSON, density: *density, damping: *damping };
        solid.check()?;
        let (voxels, radius) = (voxels.clone(), *radius);
        let links = Hold::RIGID;
        let mut body = LatticeBody { voxels, density: *density, radius, links }.blueprint()?;
        body.sets.clear(); // the particles are used, not the equal links
        let whole = 8.0 / 15.0 * f64::from(*young) * f64::from(self.voxels.cell);
        for (link, cells) in self.voxels.shared_links() {
            let [from, to] = link.map(|i| self.voxels.voxels[i as usize].at.as_ivec3());
            // Along a side, a face's diagonal, a cell's diagonal: how many cells share it, and k.
            let (all, share) = match (to - from).abs().element_sum() {
                1 => (4.0, 1.0),
                2 => (2.0, 0.5),
                _ => (1.0, 3.0 / 16.0),
            };
            let part = f64::from(cells.max(1)) / all * share;
            body.join(&distance::KIND, &link, solid.hold(whole * part, 1.0))?;
        }
        Ok(body)
    }
}
