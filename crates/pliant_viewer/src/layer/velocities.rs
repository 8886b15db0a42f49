//! How particles move.

use super::{Layer, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "velocities",
    about: "lines along which particles move: where each would be in 1/20 s",
    shown: false,
    wants: Wants { rows: true, ..Wants::NONE },
    follows: false,
    draw,
};

/// Length of a line for its velocity (s).
const SECONDS: f32 = 0.05;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for (&x, v) in moment.x.iter().zip(moment.frame.speeds.iter()) {
        let way = v.truncate() * SECONDS;
        if way.length_squared() > 1e-8 {
            drawing.line([x, x + way], 1.0, nth_color(0));
        }
    }
}
