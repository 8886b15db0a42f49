//! What is shown, and in which colours.

use eframe::egui::{self, Checkbox, Ui};

use super::Panel;
use crate::layer::{self, LinkPaint, Paint};
use crate::state::State;

pub(super) const PANEL: Panel =
    Panel { name: "Layers", about: "what is shown, and in which colours", open: false, show };

fn show(ui: &mut Ui, state: &mut State) {
    let look = &mut state.look;
    ui.columns(2, |columns| {
        for (k, (layer, shown)) in layer::ALL.iter().zip(&mut look.shown).enumerate() {
            columns[k % 2].checkbox(shown, layer.name).on_hover_text(layer.about);
        }
    });
    egui::Grid::new("colours").num_columns(2).show(ui, |ui| {
        ui.label("surfaces by");
        ui.horizontal(|ui| {
            for (paint, name) in Paint::ALL {
                ui.selectable_value(&mut look.paint, *paint, *name);
            }
        });
        ui.end_row();
        ui.label("they are");
        ui.horizontal(|ui| {
            let woven = Checkbox::new(&mut look.fabric, "woven");
            ui.add_enabled(look.paint == Paint::Body, woven)
                .on_hover_text("cloth is striped every 2 cm; from near its threads show");
            let textured = Checkbox::new(&mut look.textures, "textured");
            ui.add_enabled(look.paint == Paint::Body, textured)
                .on_hover_text("meshes show the pictures and normal maps of their files");
        });
        ui.end_row();
        ui.label("links by");
        ui.horizontal(|ui| {
            // Four of them are as wide as the panel.
            ui.spacing_mut().item_spacing.x = 2.0;
            for (paint, name) in LinkPaint::ALL {
                ui.selectable_value(&mut look.links, *paint, *name);
            }
        });
        ui.end_row();
        let about = "what has the last colour";
        ui.label("strain up to").on_hover_text(about);
        let drag = egui::DragValue::new(&mut look.most_strain).range(1e-4..=10.0);
        ui.add(drag.speed(1e-3).max_decimals(4)).on_hover_text(about);
        ui.end_row();
        ui.label("speed up to").on_hover_text(about);
        let drag = egui::DragValue::new(&mut look.most_speed).range(1e-3..=100.0);
        ui.add(drag.speed(0.02).max_decimals(3).suffix(" m/s")).on_hover_text(about);
        ui.end_row();
    });
    if look.links == LinkPaint::Residual {
        ui.horizontal(|ui| {
            ui.label("residual up to");
            let mut millimetres = 1e3 * look.most_residual;
            let drag = egui::DragValue::new(&mut millimetres).range(1e-6..=1e3);
            ui.add(drag.speed(1e-3).max_decimals(6).suffix(" mm")).on_hover_text(
                "how far the particles of a link are from solving it, alone: what has the last colour",
            );
            look.most_residual = 1e-3 * millimetres;
        });
    }
    kinds(ui, state);
}

/// Which colour is which kind of constraint.
fn kinds(ui: &mut Ui, state: &State) {
    let Some(frame) = state.frame().filter(|_| state.look.shows("links")) else { return };
    if state.look.links == LinkPaint::Kind {
        ui.horizontal_wrapped(|ui| {
            for (k, kind) in frame.plan.kinds.iter().enumerate() {
                let [r, g, b] = pliant::raster::encode_srgb(layer::nth_color(k));
                ui.colored_label(egui::Color32::from_rgb(r, g, b), *kind);
            }
        });
    }
}
