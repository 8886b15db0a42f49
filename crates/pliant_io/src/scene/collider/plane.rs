//! Floors, walls and slopes.

use pliant::Collider;
use pliant::collider::plane::SHAPE;
use pliant::glam::Vec3;

use super::super::fields::Fields;
use super::super::keys::{Form, Key, Table, Without};
use super::super::{Context, units};
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
        meaning: "a floor, wall or slope without end; below it everything is firm",
        keys: &[&[Key {
            name: "normal",
            form: Form::Numbers(3, units::ONE, -1e6, 1e6),
            without: Without::Is("[0, 1, 0]"),
            meaning: "where its free side looks",
        }]],
        settings: None,
        kinds: None,
    },
    build: |fields: &Fields<'_>, _: &Context<'_>| -> Result<Collider, SceneError> {
        let plane = Collider::plane(Vec3::ZERO, fields.vector("normal"));
        plane.map_err(|error| fields.error("normal", error.to_string()))
    },
};
