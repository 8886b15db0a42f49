//! Triangles of a solid or of a file.

use pliant::Collider;
use pliant::collider::mesh::SHAPE;

use super::super::fields::Fields;
use super::super::keys::Table;
use super::super::{Context, source};
use super::{ColliderKind, SceneError};

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
        meaning: "triangles: firm inside if they close, or else a thin sheet with two sides, from which \
                  bodies need a radius",
        keys: &[source::SURFACE],
        settings: None,
        kinds: None,
    },
    build: |fields: &Fields<'_>, context: &Context<'_>| -> Result<Collider, SceneError> {
        let surface = source::Source::read(fields, context)?.surface(None);
        Collider::mesh(surface).map_err(|error| fields.node.error(error.to_string()))
    },
};
