//! Strokes what is under the pointer along with it.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Stroke, Tool, Touch};
use crate::command::Command;
use crate::pick::pick;

pub(super) const TOOL: Tool = Tool {
    name: "Comb",
    keys: &[Key::C],
    about: "drag over a body to stroke it that way",
    brush: 0.08,
    begin,
    ..Tool::PLAIN
};

/// How fast it gets for the way of the pointer (1/s): as fast as a pointer that goes there in a tenth
/// of a second.
const SPEED: f32 = 10.0;

fn begin(touch: &Touch<'_>, _: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    Some(Box::new(Teeth { last: touch.hit.as_ref()?.point }))
}

struct Teeth {
    /// Where the pointer was on a body (m).
    last: Vec3,
}

impl Stroke for Teeth {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        let Some(hit) = pick(touch.moment, touch.ray) else { return };
        // Parallel to the screen: who strokes over an edge does not tear what is behind it away.
        let way = (hit.point - self.last).reject_from(touch.camera.forward());
        self.last = hit.point;
        if way != Vec3::ZERO {
            let velocity = way * SPEED;
            out.push(Command::Push { at: hit.point, radius: touch.radius(&TOOL), velocity });
        }
    }
}
