//! `[[event]]`: what happens while a scene runs, registry [`ALL`].

use pliant::World;
use pliant::glam::Vec3;

use super::cast::Cast;
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{Form, Key, Table, Without};
use super::units;

mod cut;
mod gravity;
mod pin;
mod push;
mod release;
mod set;
mod weld;
mod wind;

/// Every kind of event.
pub(super) const ALL: &[&EventKind] = &[
    release::KIND,
    pin::KIND,
    push::KIND,
    wind::KIND,
    gravity::KIND,
    set::KIND,
    cut::KIND,
    weld::KIND,
];

/// A kind of event: the keys that it adds, and what they do.
pub(super) struct EventKind {
    /// Its keys; the name of the table is that of the kind.
    pub(super) table: &'static Table,
    /// What is to be done.
    pub(super) read: fn(&Fields<'_>, &Cast) -> Result<Action, SceneError>,
}

/// What an event does.
pub(super) enum Action {
    /// Changes the world.
    Change(Box<dyn Fn(&mut World) + Send + Sync>),
    /// Lets the wind blow with this velocity (m/s).
    Wind(Vec3),
}

/// `[[event]]`.
pub(super) static TABLE: Table = Table {
    name: "[[event]]",
    meaning: "something that happens while the scene runs, before the frame at its time",
    keys: &[&[Key {
        name: "at",
        form: Form::Number(units::TIME, 0.0, 1e6),
        without: Without::Refused,
        meaning: "when",
    }]],
    settings: None,
    kinds: Some((
        Key {
            name: "kind",
            form: Form::Word(|| ALL.iter().map(|kind| kind.table.name).collect()),
            without: Without::Refused,
            meaning: "what happens",
        },
        || ALL.iter().map(|kind| kind.table).collect(),
    )),
};

/// Reads an event: when it happens (s), and what.
pub(super) fn read(fields: &Fields<'_>, cast: &Cast) -> Result<(f64, Action), SceneError> {
    let name = fields.word("kind");
    let kind = ALL.iter().find(|kind| kind.table.name == name);
    let kind = kind.ok_or_else(|| fields.error("kind", "no such kind of event"))?;
    Ok((fields.precise("at"), (kind.read)(fields, cast)?))
}
