//! Bodies of tetrahedra.

use pliant::glam::UVec3;
use pliant::material::presets::Material;
use pliant::mesh::body::{Recipe, Way};
use pliant::mesh::sdf::SignedDistance;
use pliant::mesh::voxels::Voxels;
use pliant::mesh::{MeshError, TetMesh};
use pliant::shapes::{ElasticBody, Model, TetBody};
use pliant::{Blueprint, Hold, Skin};

use super::super::fields::Fields;
use super::super::keys::{Form, Key, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, material, units};
use super::{BodyKind, DASHPOT, DENSITY, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "tets",
    meaning: "tetrahedra that fill a form: the best for rubber, jelly and flesh",
    keys: &[
        source::KEYS,
        source::FINENESS,
        &[
            Key {
                name: "model",
                form: Form::Word(|| MODELS.iter().map(|model| model.0).collect()),
                without: Without::Is("\"neo_hookean\""),
                meaning: "of a material: how stress follows from large strains",
            },
            spring("edges", units::STIFFNESS, Without::Unless("material", "200"), "of every edge"),
            Key {
                name: "volume_compliance",
                form: Form::Number(units::ONE, 0.0, 1e12),
                without: Without::Unless("material", "0"),
                meaning: "without a material: how much each tetrahedron's volume gives (m⁶/J)",
            },
            DENSITY,
            DASHPOT,
        ],
    ],
    settings: None,
    kinds: None,
};

const MODELS: &[(&str, Model)] =
    &[("neo_hookean", Model::NeoHookean), ("saint_venant_kirchhoff", Model::SaintVenantKirchhoff)];

/// Distance that colliders keep from tetrahedra, as a part of the body's size.
const RADIUS: f32 = 2e-3;

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let source = Source::read(fields, context)?;
    match material::of_body(fields, context.materials)? {
        None => springs(fields, source),
        Some(Material::Solid(solid)) => {
            no_springs(fields, &["edges", "volume_compliance", "density", "dashpot"])?;
            elastic(fields, source, solid)
        }
        Some(other) => Err(material::wrong_kind(fields, &other, "solid")),
    }
}

fn elastic(
    fields: &Fields<'_>,
    source: Source,
    material: pliant::material::Solid,
) -> Result<Blueprint, SceneError> {
    let named = fields.word("model");
    let model = MODELS.iter().find(|model| model.0 == named).map_or_else(Model::default, |m| m.1);
    match source {
        Source::Box(size) => {
            let mesh = TetMesh::block(UVec3::from_array(source::cells(fields, size)?), size);
            let radius = RADIUS * size.max_element();
            let body = ElasticBody { mesh, material, model, radius };
            body.blueprint().map_err(|error| engine(fields, &error))
        }
        Source::Mesh(stock) => {
            let filled = stock.tets.is_some() && fields.only_one_of(&["cell", "count"])?.is_none();
            let size = stock.surface.report.size();
            let way = match filled {
                true => Way::GivenTets,
                false => Way::Tets(source::resolution(fields, size)?),
            };
            let recipe = Recipe { way, material: Some(Material::Solid(material)) };
            let made = stock.body(&recipe).map_err(|error| fields.node.error(error.to_string()))?;
            let skin = made.blueprint.skin.clone();
            let Some(mesh) = made.tets.filter(|_| model != Model::default()) else {
                return Ok(made.blueprint);
            };
            let body = ElasticBody { mesh, material, model, radius: RADIUS * size };
            let body = body.blueprint().map_err(|error| engine(fields, &error))?;
            Ok(Blueprint { skin, ..body })
        }
    }
}

fn springs(fields: &Fields<'_>, source: Source) -> Result<Blueprint, SceneError> {
    let edges = fields.hold("edges", fields.number("dashpot")).unwrap_or(Hold::RIGID);
    let volume = Hold { compliance: fields.number("volume_compliance"), ..Hold::RIGID };
    let density = fields.number("density");
    match source {
        Source::Box(size) => {
            let cells = UVec3::from_array(source::cells(fields, size)?);
            let voxels = Voxels::block(cells + UVec3::ONE, 1.0);
            let positions = voxels.positions().map(|x| x * size / cells.as_vec3()).collect();
            let mesh = TetMesh { positions, tets: voxels.tets() };
            let body = TetBody { mesh, density, radius: 0.0, edges, volume };
            body.blueprint().map_err(|error| engine(fields, &error))
        }
        Source::Mesh(stock) => {
            let size = stock.surface.report.size();
            let resolution = source::resolution(fields, size)?;
            let filled = || -> Result<(TetMesh, Skin), MeshError> {
                let sdf = SignedDistance::new(stock.surface.mesh.clone())?;
                let mesh = TetMesh::stuff(&sdf, resolution)?;
                let skin = Skin::on_tets(sdf.surface(), &mesh)?;
                Ok((mesh, skin))
            };
            let (mesh, skin) = filled().map_err(|error| fields.node.error(error.to_string()))?;
            let body = TetBody { mesh, density, radius: RADIUS * size, edges, volume };
            Ok(body.blueprint().map_err(|error| engine(fields, &error))?.skinned(skin))
        }
    }
}
