//! Particles that are held.

use super::{Layer, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "pins",
    about: "particles that are held where they are",
    shown: true,
    wants: Wants::NONE,
    draw,
};

/// Radius of a pin's head, as a part of what is seen.
const SIZE: f32 = 1e-2;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    let [low, high] = moment.frame.plan.bounds;
    let least = SIZE * (high - low).max_element();
    for &i in &moment.frame.pins {
        if let Some(x) = moment.at(i) {
            let radius = moment.frame.plan.radii.get(i as usize).copied().unwrap_or(0.0);
            drawing.ball(x, (1.2 * radius).max(least), nth_color(1));
        }
    }
}
