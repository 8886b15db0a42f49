//! Gravity and wind.

use eframe::egui::{self, Ui};
use pliant::glam::Vec3;
use pliant::settings::Setting;

use super::{Panel, solver};
use crate::command::Command;
use crate::session::FASTEST_WIND;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Gravity and wind",
    about: "what pulls and blows at everything",
    open: false,
    show,
};

fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame().cloned() else { return };
    let mut commands = Vec::new();
    egui::Grid::new("air").num_columns(2).show(ui, |ui| {
        if let Ok(setting) = Setting::find("gravity") {
            ui.label("gravity (m/s²)").on_hover_text(solver::help(setting));
            let value = (setting.get)(&frame.config);
            if let Some(value) = solver::edit(ui, setting, value) {
                commands.push(Command::Set { name: setting.name, value });
            }
            ui.end_row();
        }
        let help = format!(
            "how the air moves along x, y and z, beside what the scene lets blow; at most \
             {FASTEST_WIND} m/s"
        );
        ui.label("wind (m/s)").on_hover_text(&help);
        let mut wind = frame.wind.to_array();
        ui.horizontal(|ui| {
            let range = -FASTEST_WIND..=FASTEST_WIND;
            for part in &mut wind {
                let drag = egui::DragValue::new(part).range(range.clone()).speed(0.1);
                ui.add(drag.max_decimals(1)).on_hover_text(&help);
            }
        });
        if wind != frame.wind.to_array() {
            commands.push(Command::Wind(Vec3::from(wind)));
        }
        ui.end_row();
    });
    ui.horizontal(|ui| {
        let gusts = [("gust +x", Vec3::X), ("gust -x", Vec3::NEG_X)];
        for (label, along) in gusts {
            let button = ui.button(label).on_hover_text("12 m/s for a second (J: as you look)");
            if button.clicked() {
                commands.push(Command::Gust(along * 12.0));
            }
        }
        if ui.button("calm").on_hover_text("no wind but the scene's").clicked() {
            commands.push(Command::Wind(Vec3::ZERO));
        }
    });
    commands.into_iter().for_each(|command| state.send(command));
}
