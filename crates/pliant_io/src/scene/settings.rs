//! `[world]` and `[solver]`: the settings of the engine, as tables.

use pliant::settings::{Setting, Value};

use super::error::SceneError;
use super::fields::Fields;
use super::keys::{self, Form, Key, Table, Without};
use super::units;

/// Settings that are about what is simulated; all others are about how.
const OF_THE_WORLD: &[&str] = &["gravity", "damping", "sleep_speed", "sleep_after"];

/// `[world]`.
pub(super) static WORLD: Table = Table {
    name: "[world]",
    meaning: "what is simulated",
    keys: &[&[Key {
        name: "origin",
        form: Form::Numbers(3, units::LENGTH, -1e12, 1e12),
        without: Without::Is("[0, 0, 0]"),
        meaning: "where the scene's zero is in the world outside, for what is exported",
    }]],
    settings: Some(|setting| OF_THE_WORLD.contains(&setting.name)),
    kinds: None,
};

/// `[solver]`.
pub(super) static SOLVER: Table = Table {
    name: "[solver]",
    meaning: "how it is simulated",
    keys: &[],
    settings: Some(|setting| !OF_THE_WORLD.contains(&setting.name)),
    kinds: None,
};

/// Every setting that a table gives.
pub(super) fn read(fields: &Fields<'_>) -> Result<Vec<(&'static str, Value)>, SceneError> {
    let keys = fields.table.keys_of(fields.node);
    let settings = keys.iter().filter_map(|key| match key.form {
        Form::Setting(setting) => Some(setting),
        _ => None,
    });
    let written = settings.filter_map(|s: &'static Setting| Some((s, fields.written(s.name)?)));
    written.map(|(setting, node)| Ok((setting.name, keys::setting(node, setting)?))).collect()
}
