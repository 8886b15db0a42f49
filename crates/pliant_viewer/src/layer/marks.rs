//! Where something is wrong.

use pliant::glam::Vec3;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "problems",
    about: "red balls where something is wrong; the panel Explain says what",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let [low, high] = moment.frame.plan.bounds;
    let radius = 8e-3 * (high - low).max_element();
    for place in moment.frame.problems.iter().flat_map(|problem| &problem.places) {
        drawing.ball(*place, radius, Vec3::new(0.9, 0.02, 0.02));
    }
}
