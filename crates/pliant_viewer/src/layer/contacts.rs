//! Where bodies touch.

use super::{Layer, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "contacts",
    about: "where bodies touch each other or a collider, and in which direction they are kept apart",
    shown: false,
    wants: Wants { contacts: true, rows: true, ..Wants::NONE },
    follows: false,
    draw,
};

/// Length of a direction, as a part of what is seen.
const LENGTH: f32 = 0.03;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let [low, high] = moment.frame.plan.bounds;
    let length = LENGTH * (high - low).max_element();
    for place in &moment.frame.contacts {
        drawing.line([place.at, place.at + place.normal * length], 2.0, nth_color(3));
        drawing.ball(place.at, 0.1 * length, nth_color(3));
    }
}
