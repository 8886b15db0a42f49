//! Cuts along a stroke: everything that the lines of sight under it pass through.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Ends, Stroke, Tool, Touch};
use crate::camera::{Camera, Ray};
use crate::command::Command;

pub(super) const TOOL: Tool = Tool {
    name: "Knife",
    keys: &[Key::K],
    about: "draw a stroke, or click at its two ends; what is under it is cut",
    begin,
    ..Tool::PLAIN
};

/// How far the blade reaches, in distances of the eye.
const REACH: f32 = 20.0;

/// Two lines of sight nearer than this are one (rad): a hand that rests gives no edge.
const APART: f32 = 4e-3;

fn begin(touch: &Touch<'_>, _: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    Some(Box::new(Blade { rays: vec![touch.ray], camera: *touch.camera, by: By::Stroke }))
}

struct Blade {
    rays: Vec<Ray>,
    camera: Camera,
    by: By,
}

/// How the line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// With the button down.
    Stroke,
    /// By clicks at its ends: one was there, and the line is straight.
    Clicks,
}

impl Stroke for Blade {
    fn moved(&mut self, touch: &Touch<'_>, _: &mut Vec<Command>) {
        if self.by == By::Clicks {
            self.rays.truncate(1);
        }
        let last = self.rays.last().map(|ray| ray.direction);
        if last.is_none_or(|last| last.distance(touch.ray.direction) > APART) {
            self.rays.push(touch.ray);
        }
    }

    fn lifted(&mut self) -> Ends {
        let is_click = self.by == By::Stroke && self.rays.len() == 1;
        if is_click {
            self.by = By::Clicks;
        }
        if is_click { Ends::No } else { Ends::Yes }
    }

    fn needs_no_button(&self) -> bool {
        self.by == By::Clicks
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
        match self.by {
            By::Stroke => "let go to cut · Esc: do not",
            By::Clicks => "click where the cut ends · Esc: do not",
        }
    }
}
