//! Constraints, as lines between their particles.

use pliant::glam::Vec3;
use pliant::look::false_color;

use super::{Layer, LinkPaint, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::frame::Link;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "links",
    about: "constraints: lines between two particles, small outlines between more",
    shown: false,
    wants: Wants { rows: true, ..Wants::NONE },
    follows: false,
    draw,
};

/// Width of a link (points).
const WIDTH: f32 = 1.5;

/// Outlines of constraints between more than two particles are smaller than those, so that neighbours
/// are told apart.
const SHRUNK: f32 = 0.7;

/// Colour of what has no group or no length, linear.
const GREY: Vec3 = Vec3::splat(0.25);

fn draw(moment: &Moment, look: &Look, drawing: &mut Drawing) {
    let residuals = moment.frame.residuals.as_deref().unwrap_or_default();
    for (number, link) in moment.frame.plan.links.iter().enumerate() {
        let points: Vec<Vec3> = link.particles.iter().filter_map(|&i| moment.at(i)).collect();
        let color = color(link, &points, (look, residuals.get(number)));
        match points.as_slice() {
            [] | [_] => {}
            &[a, b] => drawing.line([a, b], WIDTH, color),
            many => {
                let middle = many.iter().sum::<Vec3>() / many.len() as f32;
                let inner: Vec<Vec3> = many.iter().map(|x| middle.lerp(*x, SHRUNK)).collect();
                for k in 0..inner.len() {
                    drawing.line([inner[k], inner[(k + 1) % inner.len()]], WIDTH, color);
                }
            }
        }
    }
}

fn color(link: &Link, points: &[Vec3], (look, residual): (&Look, Option<&f32>)) -> Vec3 {
    match look.links {
        LinkPaint::Kind => nth_color(link.kind as usize),
        LinkPaint::Group => link.group.map_or(GREY, |group| nth_color(group as usize)),
        LinkPaint::Strain => strain(link, points)
            .map_or(GREY, |strain| false_color(strain.abs() / look.most_strain.max(1e-9))),
        LinkPaint::Residual => {
            residual.map_or(GREY, |left| false_color(left / look.most_residual.max(1e-12)))
        }
    }
}

/// (l − l₀)/l₀ of a link between two particles.
fn strain(link: &Link, points: &[Vec3]) -> Option<f32> {
    let (rest, &[a, b]) = (link.rest.filter(|rest| *rest > 0.0)?, points) else { return None };
    Some(a.distance(b) / rest - 1.0)
}
