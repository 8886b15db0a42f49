//! Balls.

use pliant::Collider;
use pliant::collider::sphere::SHAPE;
use pliant::glam::Vec3;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::{Context, units};
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
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
    build: |fields: &Fields<'_>, _: &Context<'_>| -> Result<Collider, SceneError> {
        let sphere = Collider::sphere(Vec3::ZERO, fields.number("radius"));
        sphere.map_err(|error| fields.error("radius", error.to_string()))
    },
};
