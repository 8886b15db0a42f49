//! Cloth and thin shells from any surface.

use pliant::glam::Vec3;
use pliant::material::presets::Material;
use pliant::shapes::{ElasticShell, Folding, Shell};
use pliant::{Blueprint, Hold};

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, material, units};
use super::{AREAL_DENSITY, BodyKind, DASHPOT, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "shell",
    meaning: "the surface of a form alone, open or closed, as a thin sheet",
    keys: &[
        source::KEYS,
        &[
            Key {
                name: "cell",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Else("a tenth of the box"),
                meaning: "size of the squares of a box; of others, `detail` says how fine they are",
            },
            Key {
                name: "warp",
                form: Form::Numbers(3, units::ONE, -1e6, 1e6),
                without: Without::Is("[1, 0, 0]"),
                meaning: "where the warp of the material runs",
            },
            spring(
                "stretch",
                units::STIFFNESS,
                Without::Unless("material", "5000"),
                "of every edge",
            ),
            spring("bending", units::ENERGY, Without::Else("folds freely"), "of every hinge"),
            AREAL_DENSITY,
            DASHPOT,
        ],
    ],
    settings: None,
    kinds: None,
};

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let mesh = Source::read(fields, context)?.surface(fields.maybe("cell"));
    let made = match material::of_body(fields, context.materials)? {
        None => {
            let dashpot = fields.number("dashpot");
            let areal_density = fields.number("areal_density");
            let stretch = fields.hold("stretch", dashpot).unwrap_or(Hold::RIGID);
            let bending = fields.hold("bending", dashpot);
            Shell { mesh, areal_density, radius: 0.005, stretch, bending }.blueprint()
        }
        Some(Material::Sheet(material)) => {
            no_springs(fields, &["stretch", "bending", "areal_density", "dashpot"])?;
            let warp = fields.maybe_vector("warp").unwrap_or(Vec3::X);
            ElasticShell { mesh, material, warp, folding: Folding::Curvature }.blueprint()
        }
        Some(other) => return Err(material::wrong_kind(fields, &other, "sheet")),
    };
    made.map_err(|error| engine(fields, &error))
}
