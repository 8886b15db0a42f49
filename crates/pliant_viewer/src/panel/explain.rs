//! What is wrong, where, and what to change.

use eframe::egui::{Color32, RichText, Ui};

use super::Panel;
use crate::command::Command;
use crate::problem;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Explain",
    about: "what is wrong, where, and what to change; red balls mark the places",
    open: false,
    show,
};

/// Colour of what is wrong.
const RED: Color32 = Color32::from_rgb(214, 60, 60);

fn show(ui: &mut Ui, state: &mut State) {
    state.wants.problems = true;
    let problems = state.frame().map(|frame| frame.problems.clone()).unwrap_or_default();
    if problems.is_empty() {
        let names: Vec<&str> = problem::names().collect();
        ui.label(format!("Nothing is wrong. Looked for: {}.", names.join(", ")));
    }
    for problem in problems {
        ui.label(RichText::new(&problem.what).color(RED).strong());
        ui.label(&problem.remedy);
        ui.horizontal(|ui| {
            let middle = problem.places.iter().sum::<pliant::glam::Vec3>();
            let middle = middle / problem.places.len().max(1) as f32;
            if !problem.places.is_empty() && ui.button("look there").clicked() {
                state.camera.target = middle;
            }
            if let Some(body) = &problem.body
                && ui.button("let it go").on_hover_text("from its last good pose").clicked()
            {
                state.send(Command::Free(body.clone()));
            }
            if ui
                .button("back 1 s")
                .on_hover_text("to before it happened, if it is not long ago")
                .clicked()
            {
                back_a_second(state);
            }
        });
        ui.separator();
    }
}

fn back_a_second(state: &mut State) {
    if let Some(frame) = state.frame() {
        let steps = (1.0 / frame.dt.max(1e-6)).round() as u64;
        let step = frame.step.saturating_sub(steps);
        state.send(Command::Seek(step));
    }
}
