//! The edges of triangles.

use pliant::glam::Vec3;
use pliant::mesh::sides;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "wireframe",
    about: "the edges of the triangles of surfaces",
    shown: false,
    wants: Wants::NONE,
    follows: true,
    draw,
};

/// Width of an edge (points).
const WIDTH: f32 = 1.0;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for (shape, mesh) in moment.frame.plan.bodies.iter().zip(moment.surfaces()) {
        let Some(mesh) = mesh else { continue };
        drawing.hang(|| shape.bindings());
        for [a, b] in sides(&mesh.triangles) {
            let ends = [a, b].map(|corner| mesh.positions[corner as usize]);
            drawing.line(ends, WIDTH, Vec3::splat(0.01));
            drawing.hang_line([a, b]);
        }
    }
}
