//! The wind changes.

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, Table, Without};
use super::super::units;
use super::{Action, EventKind};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "wind",
        meaning: "changes the velocity of [wind]",
        keys: &[&[Key {
            name: "velocity",
            form: Form::Numbers(3, units::SPEED, -FAR, FAR),
            without: Without::Refused,
            meaning: "how the air moves from then on",
        }]],
        settings: None,
        kinds: None,
    },
    read: |fields: &Fields<'_>, _| Ok(Action::Wind(fields.vector("velocity"))),
};
