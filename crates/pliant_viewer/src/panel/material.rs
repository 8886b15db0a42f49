//! What a body is made of: presets, and physical numbers.

use eframe::egui::{self, Ui};
use pliant::material::presets;
use pliant_io::scene::Substance;

use super::{Panel, knobs};
use crate::command::Command;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Material",
    about: "what a body is made of, changed while it moves; Record saves it as a scene file",
    open: false,
    show,
};

fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame().cloned() else { return };
    let substances = &frame.tunables.substances;
    let chosen = substances.iter().find(|one| one.body == state.chosen).or(substances.first());
    let Some(chosen) = chosen else {
        ui.weak("no body of a scene");
        return;
    };
    let mut commands = Vec::new();
    egui::Grid::new("made of").num_columns(2).show(ui, |ui| {
        let about = "the last that was touched, or one of the list";
        ui.label("body").on_hover_text(about);
        let list = egui::ComboBox::from_id_salt("body").selected_text(&chosen.body).width(150.0);
        let list = list.show_ui(ui, |ui| {
            for other in substances {
                ui.selectable_value(&mut state.chosen, other.body.clone(), &other.body);
            }
        });
        list.response.on_hover_text(about);
        ui.end_row();
        commands.extend(preset(ui, chosen));
    });
    let shared = substances.iter().filter(|one| one.body != chosen.body);
    let shared = shared.filter(|one| one.material.is_some() && one.material == chosen.material);
    let shared: Vec<&str> = shared.map(|one| one.body.as_str()).collect();
    if !shared.is_empty() {
        ui.weak(format!("also of {}", shared.join(", ")));
    }
    knobs::grid(ui, "material", &chosen.knobs, &mut commands);
    commands.into_iter().for_each(|command| state.send(command));
}

/// The material of a body, or another of the same form.
fn preset(ui: &mut Ui, substance: &Substance) -> Option<Command> {
    ui.label("made of");
    let Some(name) = &substance.material else {
        ui.weak("plain springs");
        ui.end_row();
        return None;
    };
    let mut chosen = name.as_str();
    let list = egui::ComboBox::from_id_salt("preset").selected_text(name).width(150.0);
    let response = list.show_ui(ui, |ui| {
        for preset in &substance.presets {
            let about = presets::find(preset).map_or("", |preset| preset.shows);
            ui.selectable_value(&mut chosen, preset, *preset).on_hover_text(about);
        }
    });
    let about = presets::find(name).map(|preset| format!("{}\n{}", preset.shows, preset.source));
    response.response.on_hover_text(about.unwrap_or_else(|| "a material of this scene".into()));
    ui.end_row();
    let (path, value) = (substance.path.clone(), format!("{chosen:?}"));
    (chosen != name).then_some(Command::Tune { path, value })
}
