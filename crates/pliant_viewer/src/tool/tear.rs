//! Pulls pieces out of a body: what is near the hand tears.

use eframe::egui::Key;

use super::grab;
use super::{Ends, Stroke, Tool, Touch};
use crate::command::Command;

pub(super) const TOOL: Tool =
    Tool { name: "Tear", key: Key::Y, about: "drag a body until it tears", begin };

/// How far around the hand a body tears, as a part of the distance of the eye.
const RADIUS: f32 = 0.08;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let at = touch.hit.as_ref()?.point;
    out.push(Command::Weaken { at, radius: RADIUS * touch.camera.distance });
    Some(Box::new(Rip(grab::drag(touch, out)?)))
}

/// A drag that weakens what it pulls at.
struct Rip(grab::Drag);

impl Stroke for Rip {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        if let Some(pull) = touch.moment.frame.pull {
            let radius = RADIUS * touch.camera.distance;
            out.push(Command::Weaken { at: pull.from, radius });
        }
        self.0.moved(touch, out);
    }

    fn wheel(&mut self, notches: f32, touch: &Touch<'_>, out: &mut Vec<Command>) {
        self.0.wheel(notches, touch, out);
    }

    fn nail(&mut self, out: &mut Vec<Command>) -> Ends {
        self.0.nail(out)
    }

    fn released(self: Box<Self>, out: &mut Vec<Command>) {
        Box::new(self.0).released(out);
    }

    fn cancelled(self: Box<Self>, out: &mut Vec<Command>) {
        self.released(out);
    }

    fn hint(&self) -> &'static str {
        "pull until it tears · Esc: let it fall"
    }
}
