//! Balls.

use pliant::Collider;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::units;
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: "sphere",
        meaning: "a ball",
        keys: &[&[Key {
            name: "radius",
            form: Form::Number(units::LENGTH, THIN, FAR),
            without: Without::Refused,
            meaning: "how large it is",
        }]],
        settings: None,
        kinds: None,
    },
    build: |fields: &Fields<'_>| -> Result<Collider, SceneError> {
        let sphere = Collider::sphere(fields.vector("at"), fields.number("radius"));
        sphere.map_err(|error| fields.error("radius", error.to_string()))
    },
};
