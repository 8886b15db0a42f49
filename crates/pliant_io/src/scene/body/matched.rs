//! Bodies that are held together by shape matching.

use pliant::region::matched::{Match, Mode, Volume};
use pliant::shapes::LatticeBody;
use pliant::shapes::matched::{Matched, Regions};
use pliant::{Blueprint, Hold};

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, units};
use super::lattice::grid;
use super::{BodyKind, DENSITY, SceneError, engine};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "matched",
    meaning: "particles that remember their shape: rigid to very soft, and never to be broken",
    keys: &[
        source::KEYS,
        source::FINENESS,
        &[
            Key {
                name: "mode",
                form: Form::Word(|| MODES.iter().map(|mode| mode.0).collect()),
                without: Without::Is("\"linear\""),
                meaning: "how the shape may deform: not, by stretch and shear, or by bends and twists \
                          too",
            },
            Key {
                name: "beta",
                form: Form::Number(units::ONE, 0.0, 1.0),
                without: Without::Is("0.5"),
                meaning: "share of the deformed shape in the goal; the rest is the rotated shape",
            },
            Key {
                name: "frequency",
                form: Form::Number(units::FREQUENCY, 1e-3, 1e6),
                without: Without::Else("at once"),
                meaning: "frequency of its vibrations; without, it goes back at once",
            },
            Key {
                name: "keep_volume",
                form: Form::Truth,
                without: Without::Is("true"),
                meaning: "scale the deformed shape to the volume at rest",
            },
            Key {
                name: "reach",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Else("all particles are one region"),
                meaning: "one region around every particle, of all within this distance",
            },
            DENSITY,
        ],
    ],
    settings: None,
    kinds: None,
};

const MODES: &[(&str, Mode)] =
    &[("rigid", Mode::Rigid), ("linear", Mode::Linear), ("quadratic", Mode::Quadratic)];

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    if fields.written("material").is_some() {
        let message = "shapes that are matched have no material; give frequency and density";
        return Err(fields.error("material", message));
    }
    let (voxels, skin) = grid(fields, Source::read(fields, context)?)?;
    let radius = 0.0;
    let lattice =
        LatticeBody { voxels, density: fields.number("density"), radius, links: Hold::RIGID };
    let particles = lattice.blueprint().map_err(|error| engine(fields, &error))?;
    let mode = fields.word("mode");
    let mode = MODES.iter().find(|known| known.0 == mode).map_or(Mode::Linear, |known| known.1);
    let omega = |frequency: f32| std::f32::consts::TAU * frequency;
    let compliance = fields.maybe("frequency").map_or(0.0, |f| 1.0 / (omega(f) * omega(f)));
    let shape = Match {
        mode,
        beta: fields.number("beta"),
        volume: if fields.truth("keep_volume") { Volume::Kept } else { Volume::Free },
        hold: Hold { compliance, ..Hold::RIGID },
        ..Match::RIGID
    };
    let regions = fields.maybe("reach").map_or(Regions::Whole, Regions::Around);
    let body = Matched { particles, regions, shape }.blueprint();
    Ok(Blueprint { skin, ..body.map_err(|error| engine(fields, &error))? })
}
