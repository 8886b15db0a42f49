//! Distances on a grid: sampled from a solid or a mesh, or given by a file.

use pliant::Collider;
use pliant::collider::grid::SHAPE;
use pliant::glam::UVec3;
use pliant::mesh::grid::Grid;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::source::{self, Source};
use super::super::{Context, units};
use super::{ColliderKind, SceneError};
use crate::mesh;

pub(super) const KIND: &ColliderKind = &ColliderKind {
    table: &Table {
        name: SHAPE.name,
        meaning: "distances on a grid: as quick as a box for a surface of any number of triangles, \
                  whose edges it rounds off by about a cell",
        keys: &[
            source::SURFACE,
            &[Key {
                name: "cell",
                form: Form::Number(units::LENGTH, THIN, FAR),
                without: Without::Else(
                    "a fortieth of its size; that of the file, if it has distances",
                ),
                meaning: "how far apart distances are taken from the surface, which must be closed",
            }],
        ],
        settings: None,
        kinds: None,
    },
    build,
};

/// Cells along the longest side, if nothing is said.
const CELLS: f32 = 40.0;

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Collider, SceneError> {
    if fields.written("mesh").is_some()
        && let Some(grid) = source::imported(fields, context)?.grid
    {
        return given(fields, grid);
    }
    let surface = Source::read(fields, context)?.surface(None);
    let size = pliant::mesh::Aabb::of(surface.positions.iter().copied()).size().max_element();
    let cell = fields.maybe("cell").unwrap_or(size / CELLS);
    Collider::sampled(surface, cell).map_err(|error| fields.node.error(error.to_string()))
}

/// The distances of a file.
fn given(fields: &Fields<'_>, grid: mesh::Grid) -> Result<Collider, SceneError> {
    if fields.written("cell").is_some() {
        return Err(fields.error("cell", "the file has distances, with cells of its own"));
    }
    let scale = fields.number("scale");
    let grid = Grid {
        origin: grid.origin * scale,
        cell: grid.spacing * scale,
        counts: UVec3::from_array(grid.size.map(|count| u32::try_from(count).unwrap_or(0))),
        values: grid.values.iter().map(|distance| distance * scale).collect(),
    };
    Collider::grid(grid).map_err(|error| fields.error("mesh", error.to_string()))
}
