//! Which way things fall.

use super::{Layer, Look, arrow, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "gravity",
    about: "an arrow along gravity, a fifth as long as what is seen on Earth; none without gravity",
    shown: false,
    wants: Wants::NONE,
    follows: false,
    draw,
};

/// Gravity whose arrow is as long as what is seen (m/s²).
const LONG: f32 = 49.0;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let gravity = moment.frame.config.gravity;
    if gravity.length() > 0.0 {
        let way = (gravity / LONG).clamp_length(0.05, 1.0);
        arrow(moment, way, (0.6, nth_color(3)), drawing);
    }
}
