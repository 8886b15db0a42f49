//! Ropes.

use pliant::Blueprint;
use pliant::material::presets::Material;
use pliant::shapes::Rope;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, TINY, Table, Without};
use super::super::{Context, material, units};
use super::{BodyKind, DASHPOT, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "rope",
    meaning: "a rope along x from its place, of a cord or of springs",
    keys: &[&[
        Key {
            name: "length",
            form: Form::Number(units::LENGTH, THIN, FAR),
            without: Without::Refused,
            meaning: "from end to end",
        },
        Key {
            name: "segments",
            form: Form::Whole(1, 1_000_000),
            without: Without::Is("40"),
            meaning: "links; there is one particle more",
        },
        spring("stretch", units::STIFFNESS, Without::Unless("material", "100000"), "of every link"),
        spring(
            "bending",
            units::ENERGY,
            Without::Else("folds freely"),
            "of the angle of two links",
        ),
        Key {
            name: "linear_density",
            form: Form::Number(units::LINEAR_DENSITY, TINY, 1e6),
            without: Without::Unless("material", "0.07"),
            meaning: "mass per length, of a rope without a material",
        },
        DASHPOT,
    ]],
    settings: None,
    kinds: None,
};

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let (length, segments) = (fields.number("length"), fields.whole("segments").unwrap_or(1));
    let rope = match material::of_body(fields, context.materials)? {
        None => {
            let (dashpot, default) = (fields.number("dashpot"), Rope::default());
            Rope {
                segments,
                length,
                linear_density: fields.number("linear_density"),
                stretch: fields.hold("stretch", dashpot).unwrap_or(default.stretch),
                bending: fields.hold("bending", dashpot),
                ..default
            }
        }
        Some(Material::Cord(material)) => {
            no_springs(fields, &["stretch", "bending", "linear_density", "dashpot"])?;
            Rope::of(&material, length, segments).map_err(|error| engine(fields, &error))?
        }
        Some(other) => return Err(material::wrong_kind(fields, &other, "cord")),
    };
    rope.blueprint().map_err(|error| engine(fields, &error))
}
