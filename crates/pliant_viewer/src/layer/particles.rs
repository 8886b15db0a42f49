//! Particles as balls.

use pliant::look::{THINNEST, false_color};

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "particles",
    about: "particles as balls of the distance that they keep from others",
    shown: false,
    wants: Wants::NONE,
    follows: true,
    draw,
};

fn draw(moment: &Moment, look: &Look, drawing: &mut Drawing) {
    let plan = &moment.frame.plan;
    let shares = look.shares(moment);
    // Particles without a radius are seen all the same.
    let [low, high] = plan.bounds;
    let least = (4e-3 * (high - low).max_element()).max(THINNEST);
    for (i, &x) in moment.x.iter().enumerate() {
        let (Some(&radius), Some(&color)) = (plan.radii.get(i), plan.colors.get(i)) else { break };
        let share = shares.as_ref().and_then(|shares| shares.get(i));
        drawing.ball(x, radius.max(least), share.map_or(color, |share| false_color(*share)));
        drawing.hang_ball(i as u32);
    }
}
