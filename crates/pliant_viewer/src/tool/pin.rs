//! Pins what is clicked, and lets go what was pinned.

use eframe::egui::Key;

use super::{Click, Stroke, Tool, Touch};
use crate::command::Command;

pub(super) const TOOL: Tool = Tool {
    name: "Pin",
    key: Key::T,
    about: "click a body to hold it there; click a pin to let it go",
    begin,
};

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let hit = touch.hit.as_ref()?;
    let pins = &touch.moment.frame.pins;
    let pinned: Vec<u32> =
        hit.particles.iter().copied().filter(|i| pins.binary_search(i).is_ok()).collect();
    if pinned.is_empty() {
        out.extend(hit.particles.first().map(|&i| Command::Pin(vec![i])));
    } else {
        out.push(Command::Unpin(pinned));
    }
    Some(Box::new(Click))
}
