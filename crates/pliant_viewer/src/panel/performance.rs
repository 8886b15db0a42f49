//! Where the time of a step goes: a stacked area for each stage.

use eframe::egui::{self, Color32, Sense, Ui, Vec2, Vec2b};
use egui_plot::{FilledArea, Plot};
use pliant::step::Stage;

use super::Panel;
use crate::layer::nth_color;
use crate::series::Series;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Performance",
    about: "where the time of a step goes, stage by stage",
    open: true,
    show,
};

/// Height of the plot (points).
const HEIGHT: f32 = 150.0;

fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame() else { return };
    let milliseconds = 1e3 * state.series.step_time();
    let room = 1e3 * f64::from(frame.dt);
    let place = &frame.runs_on;
    let text = format!("{milliseconds:.2} ms a step of {room:.1} ms, on {place}");
    ui.label(text).on_hover_text("time that a step takes, and time that it simulates");
    let areas = areas(&state.series);
    Plot::new("performance")
        .height(HEIGHT)
        .include_y(0.0)
        .x_axis_label("simulated time (s)")
        .y_axis_label("ms")
        .allow_zoom(Vec2b::FALSE)
        .allow_axis_zoom_drag(Vec2b::FALSE)
        .allow_boxed_zoom(false)
        .allow_drag(Vec2b::FALSE)
        .allow_scroll(Vec2b::FALSE)
        .show(ui, |plot| areas.into_iter().for_each(|area| plot.add(area)));
    // Beside the plot, where it hides nothing; the last is on top.
    ui.horizontal_wrapped(|ui| {
        for (k, stage) in Stage::ALL.iter().enumerate() {
            // Of one piece, so that a row does not end between a colour and its name.
            let size = Vec2::new(18.0 + 7.0 * stage.name().len() as f32, 14.0);
            let layout = egui::Layout::left_to_right(egui::Align::Center);
            ui.allocate_ui_with_layout(size, layout, |ui| {
                let (rect, _) = ui.allocate_exact_size(Vec2::splat(10.0), Sense::hover());
                ui.painter().rect_filled(rect, 2.0, color(k));
                ui.label(stage.name());
            });
        }
    });
}

/// The colour of a stage.
fn color(stage: usize) -> Color32 {
    let [r, g, b] = pliant::raster::encode_srgb(nth_color(stage));
    Color32::from_rgb(r, g, b)
}

/// One area above the other.
fn areas(series: &Series) -> Vec<FilledArea> {
    let times: Vec<f64> = series.stages.iter().map(|(time, _)| *time).collect();
    let mut below = vec![0.0; times.len()];
    let mut areas = Vec::new();
    for (k, stage) in Stage::ALL.iter().enumerate() {
        let own = series.stages.iter().map(|(_, stages)| 1e3 * stages[k]);
        let above: Vec<f64> = below.iter().zip(own).map(|(below, own)| below + own).collect();
        let area = FilledArea::new(stage.name(), &times, &below, &above);
        areas.push(area.fill_color(color(k)).stroke((1.0, color(k))));
        below = above;
    }
    areas
}
