//! Particles that are held.

use super::{Layer, Look, nth_color};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::frame::Plan;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "pins",
    about: "particles that are held where they are",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

/// Radius of a pin's head, as a part of what is seen.
const SIZE: f32 = 1e-2;

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for &i in &moment.frame.pins {
        if let Some(x) = moment.at(i) {
            drawing.ball(x, pin_head(&moment.frame.plan, i), nth_color(1));
        }
    }
}

/// Radius of the head of a particle's pin (m).
pub fn pin_head(plan: &Plan, particle: u32) -> f32 {
    let [low, high] = plan.bounds;
    let radius = plan.radii.get(particle as usize).copied().unwrap_or(0.0);
    (1.2 * radius).max(SIZE * (high - low).max_element())
}
