//! How tools work, and what can be done with what is selected.

use eframe::egui::{self, Slider, Ui};

use super::Panel;
use crate::command::Command;
use crate::state::State;
use crate::tool::Grip;

pub(super) const PANEL: Panel = Panel {
    name: "Tools",
    about: "how tools work, and what can be done with what is selected",
    open: false,
    show,
};

/// How much faster a push makes what is selected, in distances of the eye (1/s).
const PUSH: f32 = 1.0;

fn show(ui: &mut Ui, state: &mut State) {
    grip(ui, &mut state.grip);
    ui.separator();
    if state.selection.is_empty() {
        ui.label("Nothing is selected. The tool Select (S) draws a box around particles.");
        return;
    }
    state.wants.strain = true;
    numbers(ui, state);
    actions(ui, state);
}

fn grip(ui: &mut Ui, grip: &mut Grip) {
    egui::Grid::new("grip").num_columns(2).show(ui, |ui| {
        let [least, most] = Grip::SIZES;
        let help = format!(
            "size of the brushes Push, Inflate, Comb and Tear over the usual one, {least} to {most}; \
             also Alt and wheel"
        );
        ui.label("brush (×)").on_hover_text(&help);
        ui.add(Slider::new(&mut grip.size, least..=most).logarithmic(true)).on_hover_text(help);
        ui.end_row();
        let [least, most] = Grip::TEARS;
        let help = format!("strain at which Tear tears, {least} to {most} (no unit)");
        ui.label("tears at strain").on_hover_text(&help);
        ui.add(Slider::new(&mut grip.tears_at, least..=most).logarithmic(true)).on_hover_text(help);
        ui.end_row();
    });
    ui.checkbox(&mut grip.runs_on_grab, "go on when a body is grabbed")
        .on_hover_text("whether time goes on when you pull at a world that stands");
}

fn numbers(ui: &mut Ui, state: &State) {
    let Some(frame) = state.frame() else { return };
    let sums = state.selection.sums(frame);
    let [x, y, z] = sums.middle.to_array();
    let [px, py, pz] = sums.momentum.to_array();
    let bodies = match sums.bodies.as_slice() {
        [one] => one.clone(),
        many => many.len().to_string(),
    };
    let mut rows = vec![
        ("particles", sums.particles.to_string()),
        ("of bodies", bodies),
        ("pinned", sums.pinned.to_string()),
        ("middle (m)", format!("{x:.2} {y:.2} {z:.2}")),
        ("mass that moves (kg)", format!("{:.4}", sums.mass)),
        ("fastest (m/s)", format!("{:.3}", sums.fastest)),
        ("momentum (kg m/s)", format!("{px:.3} {py:.3} {pz:.3}")),
        ("energy of motion (J)", format!("{:.4}", sums.energy)),
    ];
    rows.extend(sums.strain.map(|strain| ("largest strain", format!("{strain:.4}"))));
    egui::Grid::new("selected").num_columns(2).striped(true).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
}

fn actions(ui: &mut Ui, state: &mut State) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("pin").on_hover_text("hold them where they are").clicked() {
            state.with_selected(Command::Pin);
        }
        if ui.button("let go").on_hover_text("those that are pinned").clicked() {
            state.with_selected(Command::Unpin);
        }
        if ui.button("push").on_hover_text("away from you").clicked() {
            let velocity = state.camera.forward() * (PUSH * state.camera.distance);
            state.with_selected(|particles| Command::Kick { particles, velocity });
        }
        let help = "take them out (Delete); Ctrl+Z brings them back";
        if ui.button("delete").on_hover_text(help).clicked() {
            state.with_selected(Command::Delete);
        }
        if ui.button("look there").on_hover_text("turn about their middle").clicked()
            && let Some(frame) = state.frame()
        {
            state.camera.target = state.selection.sums(frame).middle;
        }
        if ui.button("none").on_hover_text("select nothing (Esc)").clicked() {
            state.selection.clear();
        }
    });
}
