//! Bodies as they were made.

use pliant::glam::Vec3;
use pliant::mesh::sides;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "rest shapes",
    about: "bodies as they were made, and where",
    shown: false,
    wants: Wants::NONE,
    follows: false,
    draw,
};

/// Width of an edge (points), and how pale it is.
const WIDTH: f32 = 1.0;
const PALE: f32 = 0.6;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let plan = &moment.frame.plan;
    for shape in &plan.bodies {
        let range = shape.particles.start as usize..shape.particles.end as usize;
        let Some(rest) = plan.rest.get(range) else { continue };
        let color = shape.color.lerp(Vec3::ONE, PALE);
        if let Some(mesh) = shape.mesh(rest) {
            for edge in sides(&mesh.triangles) {
                drawing.line(edge.map(|end| mesh.positions[end as usize]), WIDTH, color);
            }
            continue;
        }
        for pair in rest.windows(2) {
            drawing.line([pair[0].truncate(), pair[1].truncate()], WIDTH, color);
        }
    }
}
