//! Every key in one table: what it does, and the help that F1 shows.

use eframe::egui::{InputState, Key, Modifiers};
use pliant::glam::{Vec2, Vec3};
use pliant::settings::Value;

use crate::command::Command;
use crate::state::State;
use crate::tool;

/// A key.
pub struct Shortcut {
    /// The keys that do it.
    pub keys: &'static [Key],
    /// What is held down with them.
    pub with: Modifiers,
    /// How it is written.
    pub shown: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Does it.
    pub act: fn(&mut State),
}

const PLAIN: Modifiers = Modifiers::NONE;
const CONTROL: Modifiers = Modifiers::COMMAND;
const SHIFT: Modifiers = Modifiers::SHIFT;

/// Speed of the air in a gust (m/s).
const GUST: f32 = 12.0;

const fn key(
    keys: &'static [Key],
    with: Modifiers,
    shown: &'static str,
    about: &'static str,
    act: fn(&mut State),
) -> Shortcut {
    Shortcut { keys, with, shown, about, act }
}

/// Every key, in the order of the help.
pub const ALL: &[Shortcut] = &[
    key(&[Key::Space, Key::P], PLAIN, "Space, P", "pause, and go on", State::toggle_pause),
    key(&[Key::Period, Key::O, Key::ArrowRight], PLAIN, ". O Right", "one step", |s| {
        s.send(Command::Step);
    }),
    key(&[Key::Comma, Key::ArrowLeft], PLAIN, ", Left", "one step back", |s| s.send(Command::Back)),
    key(&[Key::Minus], PLAIN, "-", "half as fast", |s| s.change_speed(0.5)),
    key(&[Key::Plus, Key::Equals], PLAIN, "+", "twice as fast", |s| s.change_speed(2.0)),
    key(&[Key::R], PLAIN, "R", "the scene from its beginning", |s| {
        s.stroke = None;
        s.send(Command::Restart);
    }),
    key(&[Key::R], CONTROL, "Ctrl+R", "the same: its file is read again", |s| {
        s.stroke = None;
        s.send(Command::Restart);
    }),
    key(&[Key::OpenBracket], PLAIN, "[", "the scene before", |s| s.open_neighbour(-1)),
    key(&[Key::CloseBracket], PLAIN, "]", "the next scene", |s| s.open_neighbour(1)),
    key(&[Key::O], CONTROL, "Ctrl+O", "search the scenes", |s| (s.panels, s.finds) = (true, true)),
    key(&[Key::S], CONTROL, "Ctrl+S", "keep this state", |s| s.send(Command::Keep)),
    key(&[Key::Z], CONTROL, "Ctrl+Z", "go back to the state that was kept", |s| {
        s.stroke = None;
        s.send(Command::Recall);
    }),
    key(&[Key::B], PLAIN, "B", "throw a ball", |s| {
        let ray = s.camera.ray(Vec2::ZERO, 1.0);
        s.send(tool::throw_ball(&s.camera, ray));
    }),
    key(&[Key::J], PLAIN, "J", "a gust of wind, the way you look", |s| {
        let along = s.camera.forward();
        let level = Vec3::new(along.x, 0.0, along.z).normalize_or(Vec3::X);
        s.send(Command::Gust(level * GUST));
    }),
    key(&[Key::G], SHIFT, "Shift+G", "gravity off and on", gravity),
    key(&[Key::U], PLAIN, "U", "let all pins go", |s| s.send(Command::UnpinAll)),
    key(&[Key::F, Key::Home], PLAIN, "F, Home", "look at everything", State::frame_all),
    key(&[Key::Tab, Key::H], PLAIN, "Tab, H", "hide or show the panels", |s| {
        s.panels = !s.panels;
    }),
    key(&[Key::F11], PLAIN, "F11", "the whole screen", |s| s.turns_full = true),
    key(&[Key::F12], PLAIN, "F12", "a picture", |s| s.record.picture = true),
    key(&[Key::P], CONTROL, "Ctrl+P", "the same", |s| s.record.picture = true),
    key(&[Key::F9], PLAIN, "F9", "start or end a film", |s| s.record.toggle()),
    key(&[Key::F1, Key::Questionmark], PLAIN, "F1, ?", "these keys", |s| s.help = !s.help),
    key(&[Key::Escape], PLAIN, "Esc", "let go; close this; back to the first tool", |s| {
        match (s.stroke.is_some(), s.help) {
            (true, _) => s.cancel(),
            (false, true) => s.help = false,
            (false, false) => s.tool = 0,
        }
    }),
];

/// What the pointer does, for the help.
pub const POINTER: &[(&str, &str)] = &[
    ("left drag on a body", "what the tool does: grab and throw"),
    ("Shift and left drag", "grab, whatever the tool"),
    ("Ctrl and left drag", "a cut, whatever the tool"),
    ("left drag beside it, middle drag", "turn the view; also with Alt"),
    ("right drag, Shift and middle drag", "move the view"),
    ("wheel", "nearer or farther, about the pointer"),
    ("wheel while dragging", "what is held comes nearer or goes away"),
    ("right button or N while dragging", "pin what is held"),
    ("double click", "look at that point"),
    ("two fingers", "move the view, nearer or farther"),
    ("drop a file", "a mesh becomes a body, a .toml a scene"),
];

fn gravity(state: &mut State) {
    let Some(frame) = state.frame() else { return };
    let none = frame.config.gravity == Vec3::ZERO;
    let gravity = if none { [0.0, -9.81, 0.0] } else { [0.0; 3] };
    state.send(Command::Set { name: "gravity", value: Value::Vector(gravity) });
}

/// Does what the keys say that were pressed since the last frame of the window.
pub fn handle(input: &InputState, state: &mut State) {
    for shortcut in ALL {
        let pressed = shortcut.keys.iter().any(|key| input.key_pressed(*key));
        if pressed && exactly(input.modifiers, shortcut.with) {
            (shortcut.act)(state);
        }
    }
    for (index, tool) in tool::ALL.iter().enumerate() {
        if input.key_pressed(tool.key) && exactly(input.modifiers, PLAIN) {
            state.cancel();
            state.tool = index;
        }
    }
    if input.key_pressed(Key::N) {
        nail(state);
    }
}

/// Pins what the pointer holds, if it holds something.
pub fn nail(state: &mut State) {
    let mut commands = Vec::new();
    let ends = state.stroke.as_mut().map(|stroke| stroke.nail(&mut commands));
    commands.into_iter().for_each(|command| state.send(command));
    if ends == Some(tool::Ends::Yes) {
        state.stroke = None;
    }
}

/// Whether these are held down and no others. Shift may be: some signs need it.
fn exactly(held: Modifiers, with: Modifiers) -> bool {
    held.command == with.command && !held.alt && (!with.shift || held.shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things() {
        let mut all: Vec<(Key, bool, bool)> = ALL
            .iter()
            .flat_map(|shortcut| shortcut.keys.iter().map(move |key| (*key, shortcut.with)))
            .chain(tool::ALL.iter().map(|tool| (tool.key, PLAIN)))
            .map(|(key, with)| (key, with.shift, with.command))
            .collect();
        let count = all.len();
        all.sort_by_key(|(key, shift, command)| (key.name(), *shift, *command));
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
