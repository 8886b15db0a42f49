//! Welds what was cut along a stroke; where nothing was, sews its two ends together.

use eframe::egui::Key;
use pliant::glam::Vec3;

use super::{Stroke, Tool, Touch};
use crate::command::Command;
use crate::pick::{Hit, pick};

pub(super) const TOOL: Tool = Tool {
    name: "Weld",
    keys: &[Key::W],
    about: "draw along a cut to close it, or between two places to sew them",
    begin,
    ..Tool::PLAIN
};

/// How far from the stroke a cut is closed, as a part of the distance of the eye.
const REACH: f32 = 0.05;

fn begin(touch: &Touch<'_>, _: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let hit = touch.hit.clone()?;
    let distance = REACH * touch.camera.distance;
    Some(Box::new(Seam { path: vec![hit.point], ends: [hit.clone(), hit], distance }))
}

struct Seam {
    /// Where the stroke was on bodies (m).
    path: Vec<Vec3>,
    ends: [Hit; 2],
    distance: f32,
}

impl Stroke for Seam {
    fn moved(&mut self, touch: &Touch<'_>, _: &mut Vec<Command>) {
        let Some(hit) = pick(touch.moment, touch.ray) else { return };
        let last = self.path.last().copied().unwrap_or(hit.point);
        if last.distance(hit.point) > 0.25 * self.distance {
            self.path.push(hit.point);
            self.ends[1] = hit;
        }
    }

    fn released(self: Box<Self>, out: &mut Vec<Command>) {
        let [from, to] = self.ends.map(|hit| hit.particles.first().copied());
        let ends = from.zip(to).filter(|(from, to)| from != to).map(|(from, to)| [from, to]);
        out.push(Command::Weld { path: self.path, distance: self.distance, ends });
    }

    fn trail(&self) -> Vec<Vec3> {
        self.path.clone()
    }

    fn hint(&self) -> &'static str {
        "let go to weld · Esc: do not"
    }
}
