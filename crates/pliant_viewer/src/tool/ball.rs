//! Throws a ball at what is clicked.

use eframe::egui::Key;

use super::{Click, Stroke, Tool, Touch};
use crate::camera::{Camera, Ray};
use crate::command::Command;

pub(super) const TOOL: Tool = Tool {
    name: "Ball",
    keys: &[Key::L],
    about: "click to throw a rubber ball there (B throws one with any tool)",
    begin,
    ..Tool::PLAIN
};

/// Radius of the ball, as a part of the distance of the eye.
const RADIUS: f32 = 0.03;

/// How fast it flies: distances of the eye in a second (1/s).
const SPEED: f32 = 3.0;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    out.push(throw(touch.camera, touch.ray));
    Some(Box::new(Click))
}

/// A ball that flies along a line of sight, from beside the eye.
pub(super) fn throw(camera: &Camera, ray: Ray) -> Command {
    Command::Shoot {
        from: ray.at(0.15 * camera.distance),
        velocity: ray.direction * (SPEED * camera.distance),
        radius: RADIUS * camera.distance,
    }
}
