//! Blows a balloon up, and swells what is none.

use eframe::egui::{Key, Modifiers};

use super::{Stroke, Tool, Touch};
use crate::command::Command;
use crate::pick::pick;

pub(super) const TOOL: Tool = Tool {
    name: "Inflate",
    keys: &[Key::I],
    about: "blow a balloon up, or swell any other body; with Ctrl it shrinks",
    brush: 0.1,
    owns: Modifiers::COMMAND,
    begin,
};

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
            let (radius, breath) = (touch.radius(&TOOL), touch.sign());
            out.push(Command::Inflate { particle, at, radius, breath });
        }
    }
}
