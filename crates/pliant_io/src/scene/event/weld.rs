//! What was cut is welded.

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, Table, Without};
use super::super::units;
use super::{Action, EventKind, SceneError};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "weld",
        meaning: "welds what a cut has opened near a path; if there is no such thing, particles of \
                  different bodies, each with the nearest",
        keys: &[&[
            Key {
                name: "path",
                form: Form::Points,
                without: Without::Refused,
                meaning: "the points of the seam",
            },
            Key {
                name: "distance",
                form: Form::Number(units::LENGTH, 0.0, FAR),
                without: Without::Refused,
                meaning: "how far from the path something is welded",
            },
        ]],
        settings: None,
        kinds: None,
    },
    read,
};

fn read(fields: &Fields<'_>, _: &super::Cast) -> Result<Action, SceneError> {
    let (path, distance) = (fields.points("path"), fields.number("distance"));
    // All numbers are finite, so that a weld cannot fail.
    Ok(Action::Change(Box::new(move |world| drop(world.weld_along(&path, distance)))))
}
