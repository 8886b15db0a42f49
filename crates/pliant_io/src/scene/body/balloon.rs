//! Closed surfaces with something inside.

use pliant::shapes::balloon::{Balloon, Inside, sphere};
use pliant::{Blueprint, Hold};

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, units};
use super::{AREAL_DENSITY, BodyKind, DASHPOT, SceneError, engine, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "balloon",
    meaning: "a closed surface of springs with air, or something solid, inside",
    keys: &[
        source::KEYS,
        &[
            Key {
                name: "cell",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Else("an eighth of the radius or of the box"),
                meaning: "length of the edges of a ball or box; of others, see `detail`",
            },
            Key {
                name: "filling",
                form: Form::Word(|| vec!["air", "solid", "nothing"]),
                without: Without::Is("\"air\""),
                meaning: "air keeps the volume, something solid keeps the shape too",
            },
            Key {
                name: "pressure",
                form: Form::Number(units::ONE, 1e-3, 1e3),
                without: Without::Is("1"),
                meaning: "volume that the air wants, over the volume at rest",
            },
            Key {
                name: "rate",
                form: Form::Number(units::FREQUENCY, 0.0, 1e3),
                without: Without::Is("0"),
                meaning: "how fast it is pumped up from 1 to `pressure`; 0 is at once",
            },
            Key {
                name: "compliance",
                form: Form::Number(units::ONE, 0.0, 1e6),
                without: Without::Is("0"),
                meaning: "how much the filling gives: air in m³/Pa, something solid in m⁶/J",
            },
            spring(
                "stretch",
                units::STIFFNESS,
                Without::Unless("material", "200"),
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
    if fields.written("material").is_some() {
        let message = "balloons have no material; give stretch, bending and areal_density";
        return Err(fields.error("material", message));
    }
    let cell = fields.maybe("cell");
    let surface = match fields.maybe("ball") {
        // An icosahedron, whose edges are about as long as the radius and halve with each level.
        Some(radius) if fields.only_one_of(source::FORMS)?.is_some() => {
            let levels = libm::log2f(radius / cell.unwrap_or(radius / 8.0)).round();
            sphere(radius, levels.clamp(0.0, 8.0) as u32)
        }
        _ => Source::read(fields, context)?.surface(cell),
    };
    let dashpot = fields.number("dashpot");
    let hold = Hold { compliance: fields.number("compliance"), ..Hold::RIGID };
    let inside = match fields.word("filling").as_str() {
        "air" => {
            let (pressure, rate) = (fields.number("pressure"), fields.number("rate"));
            Inside::Air { pressure, rate, hold }
        }
        "solid" => Inside::Solid(hold),
        _ => Inside::Nothing,
    };
    let balloon = Balloon {
        surface,
        areal_density: fields.number("areal_density"),
        radius: 0.003,
        stretch: fields.hold("stretch", dashpot).unwrap_or(Hold::RIGID),
        bending: fields.hold("bending", dashpot),
        inside,
    };
    balloon.blueprint().map_err(|error| engine(fields, &error))
}
