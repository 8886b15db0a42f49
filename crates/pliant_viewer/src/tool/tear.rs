//! Pulls pieces out of a body: what is near the hand tears.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::grab;
use super::{Ends, Stroke, Tool, Touch};
use crate::command::Command;

pub(super) const TOOL: Tool = Tool {
    name: "Tear",
    keys: &[Key::Y],
    about: "drag a body until it tears; the panel Tools says how easily",
    brush: 0.08,
    begin,
    ..Tool::PLAIN
};

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let at = touch.hit.as_ref()?.point;
    out.push(weaken(at, touch));
    Some(Box::new(Rip(grab::drag(touch, out)?)))
}

fn weaken(at: Vec3, touch: &Touch<'_>) -> Command {
    Command::Weaken { at, radius: touch.radius(&TOOL), strain: touch.grip.tears_at }
}

/// A drag that weakens what it pulls at.
struct Rip(grab::Drag);

impl Stroke for Rip {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        if let Some(pull) = touch.moment.frame.pull {
            out.push(weaken(pull.from, touch));
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
        Box::new(self.0).cancelled(out);
    }

    fn hint(&self) -> &'static str {
        "pull until it tears · Esc: let it fall"
    }
}
