//! Time: play, pause, step, go back, and how fast it goes.

use eframe::egui::{self, RichText, Ui};

use crate::command::Command;
use crate::frame::Frame;
use crate::state::State;

/// Width below which there is no room for words beside the slider (points).
const NARROW: f32 = 260.0;

/// Colour of what is slower than it should be.
const SLOW: egui::Color32 = egui::Color32::from_rgb(190, 100, 0);

pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let Some(frame) = state.frame().cloned() else {
        ui.label("opening …");
        return;
    };
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        steps(ui, state, &frame);
        speed(ui, state, &frame);
        ui.separator();
        ui.monospace(format!("{:7.2} s", frame.time)).on_hover_text("simulated time");
        factor(ui, &frame);
        ui.separator();
        scrub(ui, state, &frame);
    });
    ui.add_space(2.0);
}

/// Play, pause, and single steps.
fn steps(ui: &mut Ui, state: &mut State, frame: &Frame) {
    let (label, help) =
        if frame.running { ("Pause", "stop time (Space)") } else { ("Play", "go on (Space)") };
    if ui.add_sized([48.0, 20.0], egui::Button::new(label)).on_hover_text(help).clicked() {
        state.toggle_pause();
    }
    if ui.button("Restart").on_hover_text("from the beginning (R)").clicked() {
        state.stroke = None;
        state.send(Command::Restart);
    }
    if ui.button("Back").on_hover_text("one step back (,)").clicked() {
        state.send(Command::Back);
    }
    if ui.button("Step").on_hover_text("one step (.)").clicked() {
        state.send(Command::Step);
    }
}

/// How fast time should go.
fn speed(ui: &mut Ui, state: &mut State, frame: &Frame) {
    if ui.button("−").on_hover_text("half as fast (-)").clicked() {
        state.change_speed(0.5);
    }
    ui.label(format!("{}×", frame.speed)).on_hover_text("simulated time over real time, as asked");
    if ui.button("+").on_hover_text("twice as fast (+)").clicked() {
        state.change_speed(2.0);
    }
}

/// How fast the simulation is.
fn factor(ui: &mut Ui, frame: &Frame) {
    let words = if ui.available_width() < NARROW { "" } else { " real time" };
    let text = match frame.factor {
        Some(factor) if frame.running => format!("{factor:4.2}×{words}"),
        _ => format!("   –×{words}"),
    };
    let is_slow = frame.running && frame.factor.is_some_and(|factor| factor < 0.9 * frame.speed);
    let text = RichText::new(text).monospace();
    if is_slow {
        let help = "slower than asked for; fewer substeps would be faster";
        ui.label(text.color(SLOW)).on_hover_text(help);
    } else {
        ui.label(text).on_hover_text("simulated time over real time, in the last second");
    }
}

/// The last seconds as a slider.
fn scrub(ui: &mut Ui, state: &mut State, frame: &Frame) {
    let [first, last] = frame.history.unwrap_or([frame.step; 2]);
    let mut step = frame.step;
    ui.spacing_mut().slider_width = (ui.available_width() - 20.0).max(40.0);
    let slider = egui::Slider::new(&mut step, first..=last.max(first + 1)).show_value(false);
    let response = ui.add_enabled(last > first, slider);
    let changed = response.on_hover_text("the last seconds: drag to go back").changed();
    if changed && step != frame.step {
        state.send(Command::Seek(step));
    }
}
