//! Every key in one table: what it does, and the help that F1 shows.

use eframe::egui::{Event, InputState, Key, Modifiers};
use pliant::glam::{Vec2, Vec3};
use pliant::settings::Value;

use crate::command::Command;
use crate::state::{State, Way};
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
const CONTROL_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

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
    key(&[Key::Comma], SHIFT, "Shift+,", "the last seconds backwards", |s| s.replay(Way::Back)),
    key(&[Key::Period], SHIFT, "Shift+.", "the last seconds again", |s| s.replay(Way::Forth)),
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
    key(&[Key::Z], CONTROL, "Ctrl+Z", "undo a cut and its like; back to what was kept", |s| {
        s.stroke = None;
        s.send(Command::Recall);
    }),
    key(&[Key::Z], CONTROL_SHIFT, "Ctrl+Shift+Z", "redo what was undone", redo),
    key(&[Key::Y], CONTROL, "Ctrl+Y", "the same", redo),
    key(&[Key::C], CONTROL, "Ctrl+C", "copy where you look from, for a scene", |s| {
        s.copies = Some(s.camera.as_text());
    }),
    key(&[Key::C], CONTROL_SHIFT, "Ctrl+Shift+C", "copy all changes, as a command", copy_command),
    key(&[Key::Delete, Key::Backspace], PLAIN, "Delete", "remove what is selected", |s| {
        s.with_selected(Command::Delete);
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
    key(&[Key::M, Key::F3], PLAIN, "M, F3", "numbers over the picture", |s| {
        s.diagnostics = !s.diagnostics;
    }),
    key(&[Key::F11], PLAIN, "F11", "the whole screen", |s| s.turns_full = true),
    key(&[Key::F12], PLAIN, "F12", "a picture", |s| s.record.picture = true),
    key(&[Key::P], CONTROL, "Ctrl+P", "the same", |s| s.record.picture = true),
    key(&[Key::F9], PLAIN, "F9", "start or end a film", |s| s.record.toggle()),
    key(&[Key::F1, Key::Questionmark], PLAIN, "F1, ?", "these keys", |s| s.help = !s.help),
    key(
        &[Key::Escape],
        PLAIN,
        "Esc",
        "let go; close this; first tool; select nothing",
        |s| match (s.stroke.is_some(), s.help, s.tool) {
            (true, ..) => s.cancel(),
            (false, true, _) => s.help = false,
            (false, false, 0) => s.selection.clear(),
            (false, false, _) => s.tool = 0,
        },
    ),
];

/// What the pointer does, for the help.
pub const POINTER: &[(&str, &str)] = &[
    ("left drag on a body", "what the tool does: grab and throw"),
    ("Shift and left drag", "grab, whatever the tool"),
    ("Ctrl and left drag", "a cut, whatever the tool"),
    ("left drag beside it, middle drag", "turn the view; also with Alt"),
    ("right drag, Shift and middle drag", "move the view; also Alt and middle"),
    ("wheel, Ctrl and middle drag", "nearer or farther; also Alt and right"),
    ("W A S D Q E with the right button", "fly; Shift: faster"),
    ("wheel while dragging", "what is held comes nearer or goes away"),
    ("Alt and wheel", "a larger or smaller brush"),
    ("right button or N while dragging", "pin what is held"),
    ("Shift let go before the button", "pin what is held; so does a long touch"),
    ("click a pin", "let it go"),
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

fn redo(state: &mut State) {
    state.stroke = None;
    state.send(Command::Redo);
}

/// The scene with all changes and the view, as a command; the view alone if there is none for it.
fn copy_command(state: &mut State) {
    let command = state.frame().map(|frame| frame.as_command.to_string()).unwrap_or_default();
    let view = state.camera.as_text();
    let set =
        |line: &str| line.split_once(" = ").map(|(key, value)| (key.to_owned(), value.to_owned()));
    let flags = view.lines().filter_map(set);
    let flags: String = flags.map(|(key, value)| format!(" --set 'view.{key}={value}'")).collect();
    state.copies = Some(if command.is_empty() { view } else { command + &flags });
}

/// Does what the keys say that were pressed since the last frame of the window.
pub fn handle(input: &InputState, state: &mut State) {
    // Who flies has letters for that.
    if input.pointer.secondary_down() && state.stroke.is_none() {
        return;
    }
    if input.key_pressed(Key::N) && state.stroke.is_some() {
        return nail(state);
    }
    for shortcut in ALL {
        let pressed = shortcut.keys.iter().any(|key| is_pressed(input, *key, shortcut.with));
        if pressed {
            (shortcut.act)(state);
        }
    }
    for (index, tool) in tool::ALL.iter().enumerate() {
        if tool.keys.iter().any(|key| is_pressed(input, *key, PLAIN)) {
            state.cancel();
            state.tool = index;
        }
    }
}

/// Whether a key was pressed that does something with what is held, and nothing else with Shift.
fn is_pressed(input: &InputState, key: Key, with: Modifiers) -> bool {
    // Systems have a word of their own for Ctrl+C.
    let copies = key == Key::C && with == CONTROL && input.events.contains(&Event::Copy);
    let shifted = |other: &Shortcut| {
        other.keys.contains(&key) && other.with == Modifiers { shift: true, ..with }
    };
    let has_other = !with.shift && ALL.iter().any(shifted);
    // What was held then counts: in a slow window all is up again when the frame is shown.
    let is_it = |event: &Event| match event {
        Event::Key { key: pressed, pressed: true, modifiers, .. } => {
            *pressed == key && exactly(*modifiers, with) && !(has_other && modifiers.shift)
        }
        _ => false,
    };
    copies || input.events.iter().any(is_it)
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
            .chain(tool::ALL.iter().flat_map(|tool| tool.keys.iter().map(|key| (*key, PLAIN))))
            .map(|(key, with)| (key, with.shift, with.command))
            .collect();
        let count = all.len();
        all.sort_by_key(|(key, shift, command)| (key.name(), *shift, *command));
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
