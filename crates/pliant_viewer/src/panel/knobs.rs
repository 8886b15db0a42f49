//! The numbers that a scene was written for.

use eframe::egui::{self, Ui};
use pliant_io::scene::Knob;
use pliant_io::scene::keys::{HUGE, TINY};

use super::Panel;
use crate::command::Command;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Knobs",
    about: "the numbers that this scene was written for, to be turned while it runs",
    open: false,
    show,
};

fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame().cloned() else { return };
    let knobs = &frame.tunables.knobs;
    if knobs.is_empty() {
        ui.weak("this scene has no numbers of its own; see Material");
    }
    let mut commands = Vec::new();
    grid(ui, "knobs", knobs, &mut commands);
    commands.into_iter().for_each(|command| state.send(command));
}

/// Knobs below each other, under the name of what they belong to.
pub(super) fn grid(ui: &mut Ui, id: &str, knobs: &[Knob], out: &mut Vec<Command>) {
    egui::Grid::new(id).num_columns(2).striped(true).show(ui, |ui| {
        let mut of = "";
        for knob in knobs {
            if knob.of != of {
                of = &knob.of;
                ui.strong(of);
                ui.end_row();
            }
            ui.label(format!("  {}", knob.name.replace('_', " "))).on_hover_text(help(knob));
            out.extend(edit(ui, knob));
            ui.end_row();
        }
    });
}

/// The values of a knob, to be dragged.
fn edit(ui: &mut Ui, knob: &Knob) -> Option<Command> {
    let mut values = knob.values.clone();
    let [low, high] = knob.range;
    let count = values.len();
    ui.horizontal(|ui| {
        for (k, value) in values.iter_mut().enumerate() {
            // Stiffness spans decades: a share of itself with every point, and a little from 0.
            let least = if high - low <= 2.0 { 2e-3 } else { 1e-9 };
            let speed = (value.abs() * 0.01).max(least);
            let mut drag = egui::DragValue::new(value).range(low..=high).speed(speed);
            drag = drag.custom_formatter(|value, _| written(value)).update_while_editing(false);
            drag = drag.custom_parser(|text| text.trim().parse().ok());
            if k + 1 == count && !knob.unit.is_empty() {
                drag = drag.suffix(format!(" {}", knob.unit));
            }
            ui.add(drag).on_hover_text(help(knob));
        }
    });
    let value = Knob::text(&values);
    (values != knob.values).then(|| Command::Tune { path: knob.path.clone(), value })
}

/// What a knob does, with its range and unit.
fn help(knob: &Knob) -> String {
    let [low, high] = knob.range;
    let range = match (low > TINY, high < HUGE) {
        (_, true) => format!("{} to {}", written(low), written(high)),
        (true, false) => format!("at least {}", written(low)),
        (false, false) if low < TINY => "0 or more".into(),
        (false, false) => "above 0".into(),
    };
    format!("{}\n{range} {}; `{}` in the scene", knob.meaning, knob.unit, knob.path)
}

/// A number with four digits, as people write it.
fn written(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        let digits = (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.digits$}");
        if !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{value:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn numbers_are_short_and_can_be_read_again() {
        let all = [0.0, 0.3, 1.5e6, 20_000.0, 1.25e-7, -3.25, 100.0, 0.00123];
        let texts = all.map(written);
        assert_eq!(texts, ["0", "0.3", "1.5e6", "20000", "1.25e-7", "-3.25", "100", "0.00123"]);
        for (text, value) in texts.iter().zip(all) {
            assert!((text.parse::<f64>().unwrap() - value).abs() <= 1e-3 * value.abs());
        }
    }
}
