//! The hand that pulls.

use super::{Layer, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "hand",
    about: "the line along which the hand pulls",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    if let Some(pull) = moment.frame.pull {
        let [low, high] = moment.frame.plan.bounds;
        let radius = 8e-3 * (high - low).max_element();
        drawing.line([pull.from, pull.to], 3.0, nth_color(4));
        drawing.ball(pull.to, radius, nth_color(4));
    }
}
