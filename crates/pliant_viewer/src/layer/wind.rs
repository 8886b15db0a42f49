//! How the air moves.

use super::{Layer, Look, arrow, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "wind",
    about: "an arrow along the wind, as long as what is seen at 20 m/s; none while the air stands",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

/// Wind whose arrow is as long as what is seen (m/s), and the least that has one.
const LONG: f32 = 20.0;
const LEAST: f32 = 0.05;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let air = moment.frame.air;
    if air.length() > LEAST {
        let way = (air / LONG).clamp_length(0.05, 1.0);
        arrow(moment, way, (0.0, nth_color(5)), drawing);
    }
}
