//! Every setting of the engine, from its one table.

use std::ops::RangeInclusive;

use eframe::egui::{self, Ui};
use pliant::settings::{Range, SETTINGS, Setting, Value, Word};

use super::Panel;
use crate::command::Command;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Solver",
    about: "every setting of the engine; hover for its meaning, unit and range",
    open: false,
    show,
};

fn show(ui: &mut Ui, state: &mut State) {
    let Some(config) = state.frame().map(|frame| frame.config.clone()) else { return };
    let mut changed = None;
    egui::Grid::new("settings").num_columns(2).striped(true).show(ui, |ui| {
        // Gravity is beside the wind.
        for setting in SETTINGS.iter().filter(|setting| setting.name != "gravity") {
            let value = (setting.get)(&config);
            let name = ui.label(setting.name.replace('_', " "));
            name.on_hover_text(help(setting));
            if let Some(value) = edit(ui, setting, value) {
                changed = Some(Command::Set { name: setting.name, value });
            }
            ui.end_row();
        }
    });
    if let Some(command) = changed {
        state.send(command);
    }
}

/// What a setting means, with its unit, range and default.
pub(super) fn help(setting: &Setting) -> String {
    let range = match setting.range {
        Range::Whole(min, max) => format!("{min} to {max}"),
        Range::Number(min, max) => format!("{min} to {max} {}", setting.unit),
        Range::Vector(max) => format!("each −{max} to {max} {}", setting.unit),
        Range::Choice(words) => Word::list(words),
    };
    let default = match setting.default() {
        Value::Number(number) => short(number),
        Value::Vector(v) => v.map(short).join(", "),
        Value::Choice(name) => name.to_owned(),
    };
    format!("{}\n{range}; usually {default}", setting.meaning)
}

/// A number as people write it: settings are kept in single precision.
fn short(number: f64) -> String {
    format!("{}", number as f32)
}

/// A widget for a value; the value that was chosen, if one was.
pub(super) fn edit(ui: &mut Ui, setting: &Setting, value: Value) -> Option<Value> {
    let response_and_value = match (setting.range, value) {
        (Range::Whole(min, max), Value::Number(number)) => {
            let (range, mut number) = (f64::from(min)..=f64::from(max), number);
            let response = ui.add(drag(&mut number, range, 0.2).fixed_decimals(0));
            (response, Value::Number(number.round()))
        }
        (Range::Number(min, max), Value::Number(number)) => {
            let mut number = number;
            let speed = (number.abs() * 0.02).max((max - min).min(1.0) * 1e-3);
            let drag = drag(&mut number, min..=max, speed).max_decimals(6);
            let response = ui.add(drag.suffix(unit(setting)));
            (response, Value::Number(number))
        }
        (Range::Vector(most), Value::Vector(mut v)) => {
            let changed = ui.horizontal(|ui| {
                let parts = v.iter_mut().map(|part| {
                    let response = ui.add(drag(part, -most..=most, 0.05));
                    response.on_hover_text(help(setting)).changed()
                });
                // All of them are shown, whichever has changed.
                parts.fold(false, |any, one| any | one)
            });
            return changed.inner.then_some(Value::Vector(v));
        }
        (Range::Choice(words), Value::Choice(name)) => return choose(ui, setting, (words, name)),
        _ => return None,
    };
    let (response, value) = response_and_value;
    let changed = response.changed();
    response.on_hover_text(help(setting));
    changed.then_some(value)
}

fn choose(
    ui: &mut Ui,
    setting: &Setting,
    (words, name): (&'static [Word], &'static str),
) -> Option<Value> {
    let mut chosen = name;
    let combo = egui::ComboBox::from_id_salt(setting.name).selected_text(name).width(120.0);
    let response = combo.show_ui(ui, |ui| {
        for word in words {
            let option = ui.selectable_value(&mut chosen, word.name, word.name);
            // Beside the list, so that no other word is hidden.
            let mut tooltip = egui::Tooltip::for_enabled(&option).gap(12.0);
            tooltip.popup = tooltip.popup.align(egui::RectAlign::LEFT);
            tooltip.show(|ui| ui.label(word.meaning));
        }
    });
    response.response.on_hover_text(help(setting));
    (chosen != name).then_some(Value::Choice(chosen))
}

fn drag(value: &mut f64, range: RangeInclusive<f64>, speed: f64) -> egui::DragValue<'_> {
    egui::DragValue::new(value).range(range).speed(speed).max_decimals(3)
}

fn unit(setting: &Setting) -> String {
    if setting.unit.is_empty() { String::new() } else { format!(" {}", setting.unit) }
}
