//! Bodies made from a few numbers or from a mesh.
//!
//! Each is a plain struct with defaults; `blueprint` turns it into particles and constraints.
//! What is made from numbers stands about the origin; [`Blueprint::placed`] puts it anywhere,
//! turned anyhow.
//!
//! [`Blueprint::placed`]: crate::Blueprint::placed

use glam::UVec3;

use crate::error::WorldError;
use crate::material::positive;
use crate::mesh::voxels::Voxels;

pub mod balloon;
mod cloth;
mod elastic;
mod elastic_lattice;
mod lattice;
mod linked;
mod mass_spring;
pub mod matched;
pub mod rigid;
mod rope;
mod shell;
mod tets;
mod woven;

pub use cloth::{Bending, Cloth};
pub use elastic::{ElasticBody, ElasticShell, Folding, Model};
pub use elastic_lattice::{ElasticLattice, POISSON};
pub use lattice::{Lattice, LatticeBody};
pub use linked::{LinkedBall, LinkedCube};
pub use mass_spring::{MassSpring, Springs};
pub use rigid::Rigid;
pub use rope::Rope;
pub use shell::Shell;
pub use tets::{TetBody, TetBox};
pub use woven::WovenCloth;

/// A box of particles, two at least along each axis.
fn box_of(counts: UVec3, spacing: f32) -> Result<Voxels, WorldError> {
    counts.to_array().into_iter().try_for_each(|count| at_least_two("box particles", count))?;
    positive("box spacing", spacing)?;
    Ok(Voxels::block(counts, spacing))
}

fn at_least_two(what: &'static str, value: u32) -> Result<(), WorldError> {
    if value >= 2 {
        return Ok(());
    }
    Err(WorldError::BadNumber { what, value: value as f32, needs: "at least 2" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Blueprint;
    use crate::mesh::hinges;

    pub(super) fn count(blueprint: &Blueprint, kind: &str) -> usize {
        blueprint.sets.iter().filter(|set| set.kind().name == kind).map(|set| set.len()).sum()
    }

    #[test]
    fn a_box_surface_is_closed_and_encloses_its_volume() {
        for body in [
            Lattice { counts: UVec3::new(2, 3, 4), spacing: 1.0, ..Lattice::default() }.blueprint(),
            TetBox { counts: UVec3::new(2, 3, 4), spacing: 1.0, ..TetBox::default() }.blueprint(),
        ] {
            let body = body.unwrap();
            let x = |i: u32| body.positions[i as usize];
            let volume: f32 =
                body.triangles.iter().map(|&[a, b, c]| x(a).cross(x(b)).dot(x(c)) / 6.0).sum();
            assert!((volume - 6.0).abs() < 1e-5, "{} encloses {volume} m³, not 6", body.name);
            assert_eq!(hinges(&body.triangles).len() * 2, body.triangles.len() * 3);
        }
    }

    #[test]
    fn sizes_that_make_no_body_are_refused() {
        assert!(Cloth { columns: 1, ..Cloth::default() }.blueprint().is_err());
        assert!(Cloth { spacing: [0.0, 1.0], ..Cloth::default() }.blueprint().is_err());
        assert!(Rope { segments: 0, ..Rope::default() }.blueprint().is_err());
        assert!(Rope { length: f32::NAN, ..Rope::default() }.blueprint().is_err());
        assert!(Lattice { counts: UVec3::ZERO, ..Lattice::default() }.blueprint().is_err());
        assert!(TetBox { density: -1.0, ..TetBox::default() }.blueprint().is_err());
    }
}
