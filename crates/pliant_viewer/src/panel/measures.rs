//! Energy, strain, residuals and more over time.

use eframe::egui::{Ui, Vec2b};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints};

use super::Panel;
use crate::series::Curve;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Measurements",
    about: "energy, strain, residuals and more over time; measured while this is open",
    open: false,
    show,
};

/// Height of each plot (points).
const HEIGHT: f32 = 110.0;

fn show(ui: &mut Ui, state: &mut State) {
    state.wants.readings = true;
    if state.series.curves.is_empty() {
        ui.weak("nothing was measured yet");
    }
    let mut units: Vec<&str> = Vec::new();
    for curve in &state.series.curves {
        if !units.contains(&curve.unit) {
            units.push(curve.unit);
        }
    }
    for unit in units {
        let of_unit = state.series.curves.iter().filter(|curve| curve.unit == unit);
        plot(ui, unit, &of_unit.collect::<Vec<_>>());
    }
}

/// Curves of one unit.
fn plot(ui: &mut Ui, unit: &str, curves: &[&Curve]) {
    let shown = if unit.is_empty() { "share" } else { unit };
    Plot::new(("measure", unit))
        .height(HEIGHT)
        .legend(Legend::default().position(Corner::LeftTop))
        .x_axis_label("simulated time (s)")
        .y_axis_label(shown)
        .allow_zoom(Vec2b::FALSE)
        .allow_axis_zoom_drag(Vec2b::FALSE)
        .allow_boxed_zoom(false)
        .allow_drag(Vec2b::FALSE)
        .allow_scroll(Vec2b::FALSE)
        .show(ui, |plot| {
            for curve in curves {
                let points: Vec<[f64; 2]> = curve.points.iter().copied().collect();
                plot.line(Line::new(curve.name.clone(), PlotPoints::from(points)).width(1.5));
            }
        });
}
