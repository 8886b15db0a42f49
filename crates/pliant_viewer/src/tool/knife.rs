//! Cuts along a stroke: everything that the lines of sight under it pass through.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Stroke, Tool, Touch};
use crate::camera::{Camera, Ray};
use crate::command::Command;

pub(super) const TOOL: Tool =
    Tool { name: "Knife", key: Key::K, about: "draw a stroke; what is under it is cut", begin };

/// How far the blade reaches, in distances of the eye.
const REACH: f32 = 20.0;

/// Two lines of sight nearer than this are one (rad): a hand that rests gives no edge.
const APART: f32 = 4e-3;

fn begin(touch: &Touch<'_>, _: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    Some(Box::new(Blade { rays: vec![touch.ray], camera: *touch.camera }))
}

struct Blade {
    rays: Vec<Ray>,
    camera: Camera,
}

impl Stroke for Blade {
    fn moved(&mut self, touch: &Touch<'_>, _: &mut Vec<Command>) {
        let last = self.rays.last().map(|ray| ray.direction);
        if last.is_none_or(|last| last.distance(touch.ray.direction) > APART) {
            self.rays.push(touch.ray);
        }
    }

    fn released(self: Box<Self>, out: &mut Vec<Command>) {
        if self.rays.len() > 1 {
            let reach = REACH * self.camera.distance;
            let edges = self.rays.iter().map(|ray| [ray.origin, ray.at(reach)]).collect();
            out.push(Command::Cut { edges });
        }
    }

    fn trail(&self) -> Vec<Vec3> {
        self.rays.iter().map(|ray| ray.at(self.camera.distance)).collect()
    }

    fn hint(&self) -> &'static str {
        "let go to cut · Esc: do not"
    }
}
