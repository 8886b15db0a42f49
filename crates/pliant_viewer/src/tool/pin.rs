//! Pins what is clicked, and lets go what was pinned.

use eframe::egui::Key;

use super::{Click, Stroke, Tool, Touch};
use crate::command::Command;

pub(super) const TOOL: Tool = Tool {
    name: "Pin",
    keys: &[Key::N, Key::T],
    about: "click a body, or what is selected, to hold it there; click a pin to let it go",
    begin,
    ..Tool::PLAIN
};

fn begin(touch: &Touch<'_>, out: &mut Vec<Command>) -> Option<Box<dyn Stroke>> {
    let hit = touch.hit.as_ref()?;
    let pins = &touch.moment.frame.pins;
    let meant = touch.meant(hit);
    let pinned: Vec<u32> =
        meant.iter().copied().filter(|i| pins.binary_search(i).is_ok()).collect();
    if pinned.is_empty() {
        // Of what was hit, the nearest is meant; of what is selected, all.
        let all = meant != hit.particles;
        let count = if all { meant.len() } else { 1 };
        out.push(Command::Pin(meant.into_iter().take(count).collect()));
    } else {
        out.push(Command::Unpin(pinned));
    }
    Some(Box::new(Click))
}
