//! Rods with round ends.

use pliant::Collider;
use pliant::collider::capsule::SHAPE;
use pliant::glam::Vec3;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::{Context, units};
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
        meaning: "a rod with round ends, upright; `rotate` lays it down",
        keys: &[&[
            Key {
                name: "radius",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Refused,
                meaning: "how thick it is",
            },
            Key {
                name: "length",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Refused,
                meaning: "from the middle of one round end to that of the other",
            },
        ]],
        settings: None,
        kinds: None,
    },
    build: |fields: &Fields<'_>, _: &Context<'_>| -> Result<Collider, SceneError> {
        let end = Vec3::Y * (fields.number("length") / 2.0);
        let capsule = Collider::capsule([-end, end], fields.number("radius"));
        capsule.map_err(|error| fields.error("length", error.to_string()))
    },
};
