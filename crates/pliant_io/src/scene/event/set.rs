//! Any settings change.

use super::super::fields::Fields;
use super::super::keys::Table;
use super::super::settings;
use super::{Action, EventKind};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "set",
        meaning: "changes settings of [world] and [solver]",
        keys: &[],
        settings: Some(|_| true),
        kinds: None,
    },
    read: |fields: &Fields<'_>, _| {
        let changes = settings::read(fields)?;
        Ok(Action::Change(Box::new(move |world| {
            for (name, value) in &changes {
                // In range: `settings::read` has tried it.
                let _ = world.config.set(name, *value);
            }
        })))
    },
};
