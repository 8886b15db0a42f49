//! Boxes, sharp or rounded.

use pliant::Collider;
use pliant::collider::cuboid::SHAPE;
use pliant::glam::Vec3;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::{Context, units};
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
        meaning: "a box",
        keys: &[&[
            Key {
                name: "size",
                form: Form::Numbers(3, units::LENGTH, THIN, FAR),
                without: Without::Refused,
                meaning: "along x, y and z",
            },
            Key {
                name: "rounding",
                form: Form::Number(units::LENGTH, 0.0, FAR),
                without: Without::Is("0"),
                meaning: "radius of its edges and corners, at most half of its shortest side",
            },
        ]],
        settings: None,
        kinds: None,
    },
    build: |fields: &Fields<'_>, _: &Context<'_>| -> Result<Collider, SceneError> {
        let (size, rounding) = (fields.vector("size"), fields.number("rounding"));
        let cuboid = Collider::rounded_cuboid(Vec3::ZERO, size, rounding);
        cuboid.map_err(|error| fields.error("rounding", error.to_string()))
    },
};
