//! Bodies as they were made.

use pliant::glam::Vec3;
use pliant::mesh::sides;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::frame::{Shape, Surface};
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "rest shapes",
    about: "bodies as they were made, and where",
    shown: false,
    wants: Wants::NONE,
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
        let (x, edges): (Vec<Vec3>, Vec<[u32; 2]>) = match &shape.surface {
            Surface::Skin(skin) => (skin.surface(rest).positions, sides(&skin.triangles)),
            Surface::Own(triangles) => (places(rest), sides(triangles)),
            Surface::Rope(_) => (places(rest), along(shape)),
        };
        for edge in edges {
            drawing.line(edge.map(|end| x[end as usize]), WIDTH, color);
        }
    }
}

fn places(rows: &[pliant::glam::Vec4]) -> Vec<Vec3> {
    rows.iter().map(|row| row.truncate()).collect()
}

/// From each particle of a rope to the next.
fn along(shape: &Shape) -> Vec<[u32; 2]> {
    (1..shape.particles.len() as u32).map(|i| [i - 1, i]).collect()
}
