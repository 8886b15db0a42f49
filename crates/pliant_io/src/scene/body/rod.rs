//! Rods that nothing moves: poles, frames and hooks to look at.

use pliant::Blueprint;

use super::super::Context;
use super::super::fields::Fields;
use super::super::keys::{Form, Key, Table, Without};
use super::{BodyKind, SceneError};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "rod",
    meaning: "a line of held particles, to look at: a pole, a frame",
    keys: &[&[Key {
        name: "points",
        form: Form::Points,
        without: Without::Refused,
        meaning: "where it runs",
    }]],
    settings: None,
    kinds: None,
};

fn build(fields: &Fields<'_>, _: &Context<'_>) -> Result<Blueprint, SceneError> {
    let mut rod = Blueprint { radius: 0.018, ..Blueprint::default() };
    rod.pins = fields.points("points").into_iter().map(|x| rod.particle(x, 1.0)).collect();
    Ok(rod)
}
