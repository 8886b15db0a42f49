//! How many there are of everything.

use eframe::egui::{self, Ui};

use super::Panel;
use crate::state::State;

pub(super) const PANEL: Panel =
    Panel { name: "Counts", about: "how many there are of everything", open: false, show };

fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame() else { return };
    let plan = &frame.plan;
    let asleep = frame.rows.iter().filter(|row| row.w == 0.0).count() - frame.pins.len();
    let mut rows: Vec<(String, String)> = vec![
        ("bodies".into(), plan.bodies.len().to_string()),
        ("particles".into(), frame.rows.len().to_string()),
        ("pinned".into(), frame.pins.len().to_string()),
        ("asleep or put aside".into(), asleep.to_string()),
    ];
    for (k, kind) in plan.kinds.iter().enumerate() {
        let count = plan.links.iter().filter(|link| link.kind as usize == k).count();
        rows.push((format!("{} constraints", kind.replace('_', " ")), count.to_string()));
    }
    let report = frame.report;
    rows.push(("contacts between bodies".into(), report.contacts.to_string()));
    rows.push(("pairs that may touch".into(), report.candidates.to_string()));
    if state.look.shows("broad phase") {
        let overlaps: u32 = frame.boxes.iter().map(|patch| patch.overlaps).sum();
        let name = frame.config.broad_phase.name;
        rows.push((format!("boxes compared by {name}"), frame.boxes.len().to_string()));
        rows.push(("pairs of them that overlap".into(), (overlaps / 2).to_string()));
        rows.push(("searches in the last step".into(), report.detections.to_string()));
    }
    rows.push(("deepest contact".into(), format!("{:.2} mm", 1e3 * report.deepest.max(0.0))));
    egui::Grid::new("counts").num_columns(2).striped(true).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
}
