//! Bodies that do not deform.

use pliant::Blueprint;
use pliant::material::presets::Material;
use pliant::shapes::Rigid;

use super::super::fields::Fields;
use super::super::keys::Table;
use super::super::source::{self, Source};
use super::super::{Context, material};
use super::{BodyKind, DENSITY, SceneError, engine, no_springs};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "rigid",
    meaning: "does not deform: boxes, balls and anything closed, of the right inertia",
    keys: &[source::KEYS, &[DENSITY]],
    settings: None,
    kinds: None,
};

/// Distance that colliders keep from the points of a ball, as a part of its radius: between the
/// points it is round by that.
const SKIN: f32 = 0.1;

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let density = match material::of_body(fields, context.materials)? {
        None => fields.number("density"),
        Some(Material::Solid(solid)) => {
            no_springs(fields, &["density"])?;
            solid.density
        }
        Some(other) => return Err(material::wrong_kind(fields, &other, "solid")),
    };
    let rigid = match (fields.only_one_of(source::FORMS)?, fields.number("ball")) {
        (Some("box"), _) => Rigid::cuboid(fields.vector("box"), density),
        (Some("ball"), radius) => {
            let skin = fields.maybe("radius").unwrap_or(SKIN * radius);
            Rigid::ball_with_skin(radius, skin, density)
        }
        _ => Rigid::new(Source::read(fields, context)?.surface(None), density),
    };
    let body = rigid.and_then(|rigid| rigid.blueprint());
    body.map_err(|error| engine(fields, &error))
}
