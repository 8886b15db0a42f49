//! Numbers over the picture: how fast, how many, how well.

use eframe::egui::{Align2, FontId, Rect, Ui, Vec2};
use pliant::step::Stage;

use super::overlay::{INK, MARGIN, on_paper};
use crate::frame::Frame;
use crate::state::State;

/// Stages that are listed, the longest first.
const STAGES: usize = 4;

/// Below a film that is recorded, which has a note of its own.
const TOP: f32 = 36.0;

pub(super) fn show(ui: &Ui, rect: Rect, state: &State) {
    let Some(frame) = state.frame() else { return };
    let window = ui.input(|input| input.stable_dt);
    let text = lines(frame, window).join("\n");
    let painter = ui.painter_at(rect);
    let galley = painter.layout_no_wrap(text, FontId::monospace(12.0), INK);
    let at = rect.right_top() + Vec2::new(-MARGIN, TOP);
    on_paper(&painter, (at, Align2::RIGHT_TOP), galley, Vec2::new(6.0, 4.0));
}

/// What is written; `window` is the time from picture to picture (s).
fn lines(frame: &Frame, window: f32) -> Vec<String> {
    let row = |name: &str, value: String| format!("{name:<20}{value:>14}");
    let config = &frame.config;
    let step: f64 = frame.stages.iter().sum();
    let mut lines = vec![
        row("pictures", format!("{:.0} /s", 1.0 / window.max(1e-3))),
        row("real time", frame.factor.map_or("–".into(), |factor| format!("{factor:.2}×"))),
        row("step", milliseconds(step)),
    ];
    let mut stages: Vec<(f64, Stage)> =
        frame.stages.iter().copied().zip(Stage::ALL.iter().copied()).collect();
    stages.sort_by(|a, b| b.0.total_cmp(&a.0));
    let longest = stages.iter().take(STAGES).filter(|(spent, _)| *spent > 0.0);
    lines.extend(
        longest.map(|(spent, stage)| row(&format!("  {}", stage.name()), milliseconds(*spent))),
    );
    let links = frame.plan.links.len();
    lines.extend([
        row("substeps, iterations", format!("{}, {}", config.substeps, config.iterations)),
        row("runs on", frame.runs_on.chars().take(14).collect()),
        row("bodies", frame.plan.bodies.len().to_string()),
        row("particles", frame.rows.len().to_string()),
        row("constraints", links.to_string()),
        row("contacts", frame.report.contacts.to_string()),
        row("pairs that may touch", frame.report.candidates.to_string()),
        row("problems", frame.problems.len().to_string()),
    ]);
    lines
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", 1e3 * seconds)
}
