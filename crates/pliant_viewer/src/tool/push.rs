//! Blows at what is under the pointer.

use eframe::egui::{Key, Modifiers};

use super::{Stroke, Tool, Touch};
use crate::command::Command;
use crate::pick::pick;

pub(super) const TOOL: Tool = Tool {
    name: "Push",
    keys: &[Key::V],
    about: "drag over a body to push it away from you; with Ctrl it comes",
    brush: 0.06,
    owns: Modifiers::COMMAND,
    begin,
};

/// How much faster it gets with every frame of the window (m/s, for each metre of distance).
const SPEED: f32 = 0.15;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    touch.hit.as_ref()?;
    let mut stroke = Blow;
    stroke.moved(touch, out);
    Some(Box::new(stroke))
}

struct Blow;

impl Stroke for Blow {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        if let Some(hit) = pick(touch.moment, touch.ray) {
            let distance = touch.camera.distance;
            out.push(Command::Push {
                at: hit.point,
                radius: touch.radius(&TOOL),
                velocity: touch.ray.direction * (touch.sign() * SPEED * distance),
            });
        }
    }
}
