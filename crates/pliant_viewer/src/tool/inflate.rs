//! Blows a balloon up, and swells what is none.

use eframe::egui::Key;

use super::{Stroke, Tool, Touch};
use crate::command::Command;
use crate::pick::pick;

pub(super) const TOOL: Tool = Tool {
    name: "Inflate",
    key: Key::I,
    about: "hold a balloon to blow it up; any other body swells under the pointer",
    begin,
};

/// How far around the pointer a body swells, as a part of the distance of the eye.
const RADIUS: f32 = 0.1;

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    touch.hit.as_ref()?;
    let mut stroke = Breath;
    stroke.moved(touch, out);
    Some(Box::new(stroke))
}

struct Breath;

impl Stroke for Breath {
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>) {
        let hit = pick(touch.moment, touch.ray);
        let found = hit.and_then(|hit| Some((*hit.particles.first()?, hit.point)));
        if let Some((particle, at)) = found {
            let radius = RADIUS * touch.camera.distance;
            out.push(Command::Inflate { particle, at, radius });
        }
    }
}
