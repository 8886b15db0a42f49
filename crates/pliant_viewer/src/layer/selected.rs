//! Particles that are selected.

use super::{Layer, Look, nth_color, pin_head};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "selection",
    about: "particles that are selected; the panel Tools says what can be done with them",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

/// Size of a ball over that of a pin's head.
const SIZE: f32 = 0.6;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for &i in moment.selected.iter() {
        if let Some(x) = moment.at(i) {
            drawing.ball(x, SIZE * pin_head(&moment.frame.plan, i), nth_color(6));
        }
    }
}
