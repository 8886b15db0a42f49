//! Selects particles: those in a box, or a whole body.

use eframe::egui::{Key, Modifiers};
use pliant::glam::{Vec2, Vec3};

use super::{Stroke, Tool, Touch};
use crate::camera::{Camera, Ray};
use crate::command::Command;
use crate::selection::How;

pub(super) const TOOL: Tool = Tool {
    name: "Select",
    keys: &[Key::S],
    about: "draw a box around particles, or click a body; Shift adds, Ctrl takes away",
    owns: Modifiers { shift: true, ..Modifiers::COMMAND },
    begin,
    ..Tool::PLAIN
};

/// Two lines of sight nearer than this are one (rad): it is a click.
const APART: f32 = 4e-3;

fn begin(touch: &Touch<'_>, _: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let how = match (touch.held.command, touch.held.shift) {
        (true, _) => How::Take,
        (false, true) => How::Add,
        (false, false) => How::Replace,
    };
    let plan = &touch.moment.frame.plan;
    let body = touch.hit.as_ref().and_then(|hit| plan.bodies.get(hit.body));
    let found = body.map(|body| body.particles.clone().collect()).unwrap_or_default();
    Some(Box::new(Frame { ends: [touch.ray; 2], camera: *touch.camera, found, how }))
}

/// A box, as it is drawn.
struct Frame {
    ends: [Ray; 2],
    camera: Camera,
    found: Vec<u32>,
    how: How,
}

impl Stroke for Frame {
    fn moved(&mut self, touch: &Touch<'_>, _: &mut Vec<Command>) {
        self.ends[1] = touch.ray;
        if self.ends[0].direction.distance(touch.ray.direction) < APART {
            return;
        }
        let [a, b] = self.ends.map(|ray| self.camera.slope(ray.direction).unwrap_or_default());
        let (low, high) = (a.min(b), a.max(b));
        let is_inside = |x: &Vec3| {
            let place: Option<Vec2> = self.camera.slope(*x - self.camera.eye());
            place.is_some_and(|place| place.clamp(low, high) == place)
        };
        let inside = touch.moment.x.iter().zip(0..).filter(|(x, _)| is_inside(x));
        self.found = inside.map(|(_, i)| i).collect();
    }

    fn selected(&self) -> Option<(&[u32], How)> {
        Some((&self.found, self.how))
    }

    fn trail(&self) -> Vec<Vec3> {
        let [a, b] = self.ends.map(|ray| self.camera.slope(ray.direction).unwrap_or_default());
        let corners = [a, Vec2::new(b.x, a.y), b, Vec2::new(a.x, b.y), a];
        let [right, up] = self.camera.axes();
        let to = |at: Vec2| self.camera.forward() + right * at.x + up * at.y;
        corners.map(|at| self.camera.eye() + to(at) * self.camera.distance).to_vec()
    }

    fn hint(&self) -> &'static str {
        match self.how {
            How::Replace => "let go to select these · Esc: do not",
            How::Add => "let go to add these · Esc: do not",
            How::Take => "let go to take these away · Esc: do not",
        }
    }
}
