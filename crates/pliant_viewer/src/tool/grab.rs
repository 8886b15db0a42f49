//! Takes hold of a body and drags it on the plane parallel to the screen; released, it flies on.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Ends, Stroke, Tool, Touch};
use crate::command::Command;

pub(super) const TOOL: Tool =
    Tool { name: "Grab", key: Key::G, about: "drag a body; let go to throw it", begin };

/// How much nearer or farther a notch of the wheel brings the hand, as a part of its distance.
const NOTCH: f32 = 0.05;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    Some(Box::new(drag(touch, out)?))
}

/// Takes hold of what is under the pointer.
pub(super) fn drag(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Drag> {
    let hit = touch.hit.as_ref()?;
    out.push(Command::Grab { particles: hit.particles.clone(), at: hit.point });
    Some(Drag { to: hit.point, through: hit.point })
}

pub(super) struct Drag {
    /// Where the hand is (m).
    to: Vec3,
    /// A point of the plane on which it moves (m).
    through: Vec3,
}

impl Drag {
    fn follow(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        let there = touch.ray.meets(self.through, touch.camera.forward());
        if let Some(to) = there.filter(|to| *to != self.to) {
            self.to = to;
            out.push(Command::Drag { to });
        }
    }
}

impl Stroke for Drag {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        self.follow(touch, out);
    }

    fn wheel(&mut self, notches: f32, touch: &Touch<'_>, out: &mut Vec<Command>) {
        let eye = touch.camera.eye();
        let away = (self.through - eye).dot(touch.camera.forward());
        // Never behind the eye, nor so far that it could not be seen.
        let wanted = away * libm::powf(1.0 + NOTCH, notches.clamp(-20.0, 20.0));
        let distance = touch.camera.distance;
        let wanted = wanted.clamp(0.05 * distance, 10.0 * distance);
        self.through += touch.camera.forward() * (wanted - away);
        self.follow(touch, out);
    }

    fn nail(&mut self, out: &mut Vec<Command>) -> Ends {
        out.push(Command::Nail);
        Ends::Yes
    }

    fn released(self: Box<Self>, out: &mut Vec<Command>) {
        out.push(Command::Release);
    }

    fn cancelled(self: Box<Self>, out: &mut Vec<Command>) {
        self.released(out);
    }

    fn hint(&self) -> &'static str {
        "wheel: nearer or farther · right button or N: pin it here · Esc: let it fall"
    }
}
