//! The panels at the side. One more is one file here and one line in [`ALL`].

mod air;
mod counts;
mod explain;
mod knobs;
mod layers;
mod material;
mod measures;
mod performance;
mod record;
mod scenes;
mod solver;
mod tools;

use eframe::egui::{self, RichText, Ui};

use crate::state::State;

/// A panel.
pub struct Panel {
    /// Its title.
    pub name: &'static str,
    /// One sentence: what it is for.
    pub about: &'static str,
    /// Whether it is open when the program starts.
    pub open: bool,
    /// Shows it.
    pub show: fn(&mut Ui, &mut State),
}

/// Every panel, from top to bottom.
pub const ALL: &[Panel] = &[
    scenes::PANEL,
    knobs::PANEL,
    material::PANEL,
    solver::PANEL,
    air::PANEL,
    layers::PANEL,
    performance::PANEL,
    measures::PANEL,
    counts::PANEL,
    explain::PANEL,
    record::PANEL,
    tools::PANEL,
];

/// Shows all of them, each to be opened and closed.
pub fn show_all(ui: &mut Ui, state: &mut State) {
    egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        for panel in ALL {
            let title = RichText::new(panel.name).strong();
            let header = egui::CollapsingHeader::new(title).id_salt(panel.name);
            let response = header.default_open(panel.open).show(ui, |ui| (panel.show)(ui, state));
            if response.header_response.clicked() {
                state.unfolds = Some(panel.name);
            }
            let is_open = state.unfolds == Some(panel.name) && response.openness >= 1.0;
            if let Some(body) = response.body_response.filter(|_| is_open) {
                // What was opened is to be seen, also at the bottom.
                body.scroll_to_me(None);
                state.unfolds = None;
            }
            response.header_response.on_hover_text(panel.about);
        }
    });
}
