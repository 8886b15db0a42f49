//! Springs between the vertices of a surface.

use pliant::material::presets::Material;
use pliant::mesh::body::{Recipe, Way};
use pliant::shapes::{MassSpring, Springs};
use pliant::{Blueprint, Hold};

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, TINY, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, material, units};
use super::{BodyKind, DASHPOT, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "springs",
    meaning: "springs between the vertices of a surface: between all of them, or along its edges",
    keys: &[
        source::KEYS,
        &[
            Key {
                name: "cell",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Else("a tenth of the box"),
                meaning: "size of the squares of a box",
            },
            Key {
                name: "between",
                form: Form::Word(|| vec!["all", "edges"]),
                without: Without::Unless("material", "\"all\""),
                meaning: "all vertices, of which there may be 2000, or those that share an edge",
            },
            Key {
                name: "count",
                form: Form::Whole(4, 2000),
                without: Without::Is("200"),
                meaning: "of a material: vertices that are taken at most, chosen evenly",
            },
            spring(
                "links",
                units::STIFFNESS,
                Without::Unless("material", "100"),
                "of every spring",
            ),
            Key {
                name: "mass",
                form: Form::Number(units::MASS, TINY, 1e9),
                without: Without::Unless("material", "1"),
                meaning: "mass of a body without a material",
            },
            DASHPOT,
        ],
    ],
    settings: None,
    kinds: None,
};

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let source = Source::read(fields, context)?;
    match (material::of_body(fields, context.materials)?, source) {
        (None, source) => {
            let mesh = source.surface(fields.maybe("cell"));
            let all = fields.word("between") == "all";
            let springs = if all { Springs::All } else { Springs::Edges };
            let hold = fields.hold("links", fields.number("dashpot")).unwrap_or(Hold::RIGID);
            let body =
                MassSpring { mesh, mass: fields.number("mass"), radius: 0.005, springs, hold };
            body.blueprint().map_err(|error| engine(fields, &error))
        }
        (Some(_), Source::Box(_)) => {
            let message = "springs of a material need a ball, a solid or a mesh";
            Err(fields.error("box", message))
        }
        (material @ Some(Material::Solid(_)), Source::Mesh(stock)) => {
            no_springs(fields, &["between", "links", "mass", "dashpot"])?;
            let way = Way::Springs(fields.whole("count").unwrap_or(200));
            let made = stock.body(&Recipe { way, material });
            Ok(made.map_err(|error| fields.node.error(error.to_string()))?.blueprint)
        }
        (Some(other), _) => Err(material::wrong_kind(fields, &other, "solid")),
    }
}
