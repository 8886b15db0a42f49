//! Pictures, animations, exports, and the scene with its changes.

use eframe::egui::Ui;
use pliant_io::export;
use pliant_io::image::FILMS;

use super::Panel;
use crate::command::Command;
use crate::state::{Record, State};

pub(super) const PANEL: Panel = Panel {
    name: "Record",
    about: "pictures, animations, exports, and the scene with its changes; all go to out/view",
    open: false,
    show,
};

fn show(ui: &mut Ui, state: &mut State) {
    ui.horizontal(|ui| {
        if ui.button("picture").on_hover_text("PNG of what is seen (F12)").clicked() {
            state.record.picture = true;
        }
        let label = if state.record.animation { "end film" } else { "film" };
        let about = format!(
            "{} pictures a second of what is seen, as fast as it is seen (F9)",
            Record::FPS
        );
        if ui.button(label).on_hover_text(about).clicked() {
            state.record.toggle();
        }
        ui.label("as");
        ui.add_enabled_ui(!state.record.animation, |ui| {
            for (k, film) in FILMS.iter().enumerate() {
                let format = &mut state.record.format;
                ui.selectable_value(format, k, film.name).on_hover_text(film.about);
            }
        });
    });
    let (exporting, is_scene) =
        state.frame().map_or((None, false), |frame| (frame.exporting, frame.is_scene));
    ui.horizontal_wrapped(|ui| {
        ui.label("export");
        match exporting {
            Some(format) => {
                if ui.button(format!("end {format}")).clicked() {
                    state.send(Command::EndExport);
                }
            }
            None => {
                for format in export::FORMATS {
                    if ui.button(format.name).on_hover_text(format.about).clicked() {
                        state.send(Command::Export(format.name));
                    }
                }
            }
        }
    });
    let save = ui.add_enabled(is_scene, eframe::egui::Button::new("save as scene file"));
    if save
        .on_hover_text("the scene with its settings, knobs and materials as they are now, as TOML")
        .clicked()
    {
        state.send(Command::SaveScene);
    }
}
