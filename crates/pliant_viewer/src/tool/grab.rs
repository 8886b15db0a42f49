//! Takes hold of a body and drags it on the plane parallel to the screen; released, it flies on.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Ends, Stroke, Tool, Touch};
use crate::command::Command;
use crate::layer::pin_head;

pub(super) const TOOL: Tool = Tool {
    name: "Grab",
    keys: &[Key::G],
    about: "drag a body, or what is selected; let go to throw it; click a pin to let it go",
    begin,
    ..Tool::PLAIN
};

/// How much nearer or farther a notch of the wheel brings the hand, as a part of its distance.
const NOTCH: f32 = 0.05;

/// Farthest that the hand moves in a click, as a part of the distance of the eye.
const STILL: f32 = 5e-3;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    Some(Box::new(drag(touch, out)?))
}

/// Takes hold of what is under the pointer.
pub(super) fn drag(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Drag> {
    let hit = touch.hit.as_ref()?;
    out.push(Command::Grab { particles: touch.meant(hit), at: hit.point });
    let pin = hit.particles.first().copied().filter(|&i| is_pin_at(touch, i, hit.point));
    Some(Drag { to: hit.point, through: hit.point, pin })
}

pub(super) struct Drag {
    /// Where the hand is (m).
    to: Vec3,
    /// A point of the plane on which it moves (m).
    through: Vec3,
    /// The pin that was pressed, until the hand moves.
    pin: Option<u32>,
}

/// Whether a particle is pinned, with the head of its pin at a place.
fn is_pin_at(touch: &Touch<'_>, particle: u32, at: Vec3) -> bool {
    let frame = &touch.moment.frame;
    let head = pin_head(&frame.plan, particle);
    let is_here = |x: Vec3| x.distance(at) < 1.5 * head;
    frame.pins.binary_search(&particle).is_ok() && touch.moment.at(particle).is_some_and(is_here)
}

impl Drag {
    fn follow(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        let there = touch.ray.meets(self.through, touch.camera.forward());
        if let Some(to) = there.filter(|to| *to != self.to) {
            // Fingers tremble; what comes back to where it was pressed was dragged all the same.
            let trembles = to.distance(self.through) < STILL * touch.camera.distance;
            self.pin = self.pin.filter(|_| trembles);
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
        out.extend(self.pin.map(|pin| Command::Unpin(vec![pin])));
    }

    fn cancelled(self: Box<Self>, out: &mut Vec<Command>) {
        out.push(Command::Release);
    }

    fn hint(&self) -> &'static str {
        "wheel: nearer or farther · right button or N: pin it here · Esc: let it fall"
    }
}
