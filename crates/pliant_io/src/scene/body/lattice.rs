//! Lattices: particles on a cubic grid, linked to all their neighbours.

use pliant::glam::UVec3;
use pliant::material::Solid;
use pliant::material::presets::Material;
use pliant::mesh::MeshError;
use pliant::mesh::sdf::SignedDistance;
use pliant::mesh::voxels::{Voxelisation, Voxels};
use pliant::shapes::{ElasticLattice, LatticeBody};
use pliant::{Blueprint, Hold, Skin};

use super::super::fields::Fields;
use super::super::keys::{Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, material, units};
use super::{BodyKind, DASHPOT, DENSITY, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "lattice",
    meaning: "particles on a cubic grid with links to all neighbours: foam; Poisson's ratio is ¼",
    keys: &[
        source::KEYS,
        source::FINENESS,
        &[
            spring("links", units::STIFFNESS, Without::Unless("material", "500"), "of every link"),
            DENSITY,
            DASHPOT,
        ],
    ],
    settings: None,
    kinds: None,
};

/// Distance that colliders keep from a particle, in cells: the surface is about half a cell away.
const RADIUS: f32 = 0.4;

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let (voxels, skin) = grid(fields, Source::read(fields, context)?)?;
    let radius = RADIUS * voxels.cell;
    let made = match material::of_body(fields, context.materials)? {
        None => {
            let links = fields.hold("links", fields.number("dashpot")).unwrap_or(Hold::RIGID);
            LatticeBody { voxels, density: fields.number("density"), radius, links }.blueprint()
        }
        Some(Material::Solid(Solid { young, density, damping, .. })) => {
            no_springs(fields, &["links", "density", "dashpot"])?;
            ElasticLattice { voxels, young, density, damping, radius }.blueprint()
        }
        Some(other) => return Err(material::wrong_kind(fields, &other, "solid")),
    };
    let body = made.map_err(|error| engine(fields, &error))?;
    Ok(Blueprint { skin, ..body })
}

/// Where the particles are, and what is seen of them if that is finer.
pub(super) fn grid(
    fields: &Fields<'_>,
    source: Source,
) -> Result<(Voxels, Option<Skin>), SceneError> {
    let stock = match source {
        Source::Box(size) => {
            let counts = UVec3::from_array(source::cells(fields, size)?);
            // Cubes: the longest side is exact, the others are rounded to whole cells.
            let cell = size.max_element() / counts.max_element() as f32;
            return Ok((Voxels::block(counts + UVec3::ONE, cell), None));
        }
        Source::Mesh(stock) => stock,
    };
    let resolution = source::resolution(fields, stock.surface.report.size())?;
    let made = || -> Result<(Voxels, Skin), MeshError> {
        let sdf = SignedDistance::new(stock.surface.mesh.clone())?;
        let voxels = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf)?;
        let positions: Vec<_> = voxels.positions().collect();
        let skin = Skin::on_particles(sdf.surface(), &positions)?;
        Ok((voxels, skin))
    };
    let (voxels, skin) = made().map_err(|error| fields.node.error(error.to_string()))?;
    Ok((voxels, Some(skin)))
}
