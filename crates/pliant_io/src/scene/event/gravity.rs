//! Gravity changes.

use super::super::fields::Fields;
use super::super::keys::{Form, Key, Table, Without};
use super::super::units;
use super::{Action, EventKind};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "gravity",
        meaning: "changes gravity",
        keys: &[&[Key {
            name: "gravity",
            form: Form::Numbers(3, units::ACCELERATION, -1e4, 1e4),
            without: Without::Refused,
            meaning: "what it is from then on",
        }]],
        settings: None,
        kinds: None,
    },
    read: |fields: &Fields<'_>, _| {
        let gravity = fields.vector("gravity");
        Ok(Action::Change(Box::new(move |world| world.config.gravity = gravity)))
    },
};
