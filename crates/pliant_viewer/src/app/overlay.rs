//! What is written over the picture: title, hints, the legend, and the keys.

use std::sync::Arc;

use eframe::egui::{self, Align2, Color32, FontId, Galley, Painter, Pos2, Rect, Stroke, Ui, Vec2};
use pliant::look::{Scale, false_color};
use pliant::raster::encode_srgb;

use crate::keys;
use crate::state::State;
use crate::tool;

/// Colour of text over the picture, of what is behind it, and of what is urgent.
pub(super) const INK: Color32 = Color32::from_rgb(28, 32, 38);
const PAPER: Color32 = Color32::from_rgba_premultiplied(225, 225, 225, 225);
const RED: Color32 = Color32::from_rgb(190, 30, 30);

/// Distance from the edge of the picture (points).
pub(super) const MARGIN: f32 = 12.0;

/// Size of the legend's band of colours (points), and into how many fields it is cut.
const BAND: Vec2 = Vec2::new(180.0, 12.0);
const FIELDS: usize = 60;

pub(super) fn show(ui: &Ui, rect: Rect, state: &State) {
    let painter = ui.painter_at(rect);
    let Some(frame) = state.frame() else {
        note(&painter, rect.center(), Align2::CENTER_CENTER, ("opening …", INK));
        return;
    };
    let mut lines = vec![(frame.title.clone(), INK), (frame.shows.clone(), INK)];
    if let Some(problem) = frame.problems.first() {
        lines.push((format!("{} · see Explain", problem.what), RED));
    }
    if !frame.running {
        lines.push(("PAUSED · Space goes on".into(), RED));
    }
    let mut at = rect.left_top() + Vec2::splat(MARGIN);
    for (line, color) in lines.iter().filter(|(line, _)| !line.is_empty()) {
        at.y = note(&painter, at, Align2::LEFT_TOP, (line, *color)).bottom() + 4.0;
    }
    if state.record.animation {
        let right = rect.right_top() + Vec2::new(-MARGIN, MARGIN);
        note(&painter, right, Align2::RIGHT_TOP, ("recording · F9 ends", RED));
    }
    hint(&painter, rect, state);
    pull(&painter, ui, state);
    trail(&painter, rect, state);
    brush(&painter, ui, rect, state);
    if let Some(scale) = state.look.scale() {
        legend(&painter, rect, scale);
    }
}

/// One line at the bottom: what can be done now, or what has happened.
fn hint(painter: &Painter, rect: Rect, state: &State) {
    let tool = &tool::ALL[state.tool];
    let text = match (&state.stroke, state.notice()) {
        (Some(stroke), _) => stroke.hint().to_owned(),
        (None, Some(notice)) => notice.to_owned(),
        (None, None) if state.invites() => "drag a body with the left button · F1: keys".into(),
        (None, None) if state.tool != 0 => {
            let brush = if tool.brush > 0.0 { " · Alt and wheel: size" } else { "" };
            format!("{}{brush} · Esc: back", tool.about)
        }
        (None, None) => String::new(),
    };
    if !text.is_empty() {
        let at = Pos2::new(rect.center().x, rect.bottom() - MARGIN);
        note(painter, at, Align2::CENTER_BOTTOM, (&text, INK));
    }
}

/// The force of the hand, beside the pointer.
fn pull(painter: &Painter, ui: &Ui, state: &State) {
    let pointer = ui.input(|input| input.pointer.latest_pos());
    let pull = state.frame().and_then(|frame| frame.pull);
    if let (Some(at), Some(pull), true) = (pointer, pull, state.stroke.is_some()) {
        let text = force(pull.newtons);
        note(painter, at + Vec2::new(18.0, -10.0), Align2::LEFT_BOTTOM, (&text, INK));
    }
}

/// The brush of the tool, as large as it is on what is looked at.
fn brush(painter: &Painter, ui: &Ui, rect: Rect, state: &State) {
    let pointer = ui.input(|input| input.pointer.latest_pos());
    let size = tool::ALL[state.tool].brush * state.grip.size;
    let Some(at) = pointer.filter(|at| size > 0.0 && rect.contains(*at)) else { return };
    let half = state.camera.half_height(rect.width() / rect.height().max(1.0)).max(1e-3);
    let radius = 0.5 * rect.height() * size / half;
    painter.circle_stroke(at, radius, Stroke::new(3.0, Color32::from_black_alpha(60)));
    painter.circle_stroke(at, radius, Stroke::new(1.5, Color32::WHITE));
}

/// The line that a stroke has drawn so far.
fn trail(painter: &Painter, rect: Rect, state: &State) {
    let Some(stroke) = &state.stroke else { return };
    let project = state.camera.projection(rect.width() / rect.height().max(1.0));
    let seen = |x: &pliant::glam::Vec3| {
        let place = project.project_point3(*x);
        rect.center() + Vec2::new(place.x, -place.y) * rect.size() / 2.0
    };
    let line: Vec<Pos2> = stroke.trail().iter().map(seen).collect();
    // Light on dark, so that it is seen on every colour.
    painter.add(egui::Shape::line(line.clone(), Stroke::new(4.0, INK)));
    painter.add(egui::Shape::line(line, Stroke::new(2.0, Color32::WHITE)));
}

/// A force with a unit that fits.
fn force(newtons: f32) -> String {
    match newtons {
        n if n < 1.0 => format!("{:.0} mN", 1e3 * n),
        n if n < 100.0 => format!("{n:.1} N"),
        n if n < 1e4 => format!("{n:.0} N"),
        n => format!("{:.1} kN", 1e-3 * n),
    }
}

/// A note; returns where it is.
fn note(painter: &Painter, at: Pos2, align: Align2, (text, color): (&str, Color32)) -> Rect {
    let width = (painter.clip_rect().width() - 4.0 * MARGIN).max(50.0);
    let galley = painter.layout(text.to_owned(), FontId::proportional(14.0), color, width);
    on_paper(painter, (at, align), galley, Vec2::new(6.0, 3.0))
}

/// Text on paper, which is so much larger on each side (points); returns where it is.
pub(super) fn on_paper(
    painter: &Painter,
    (at, align): (Pos2, Align2),
    text: Arc<Galley>,
    room: Vec2,
) -> Rect {
    let rect = align.anchor_size(at, text.size() + 2.0 * room);
    painter.rect_filled(rect, 5.0, PAPER);
    painter.galley(rect.min + room, text, INK);
    rect
}

/// What the colours mean.
fn legend(painter: &Painter, rect: Rect, scale: Scale) {
    let size = BAND + Vec2::new(24.0, 38.0);
    let corner = Pos2::new(rect.left() + MARGIN, rect.bottom() - MARGIN - size.y);
    painter.rect_filled(Rect::from_min_size(corner, size), 5.0, PAPER);
    let band = Rect::from_min_size(corner + Vec2::new(12.0, 20.0), BAND);
    let width = BAND.x / FIELDS as f32;
    for k in 0..FIELDS {
        let [r, g, b] = encode_srgb(false_color(k as f32 / (FIELDS - 1) as f32));
        let left_top = Pos2::new(band.left() + width * k as f32, band.top());
        let field = Rect::from_min_size(left_top, Vec2::new(width, BAND.y));
        painter.rect_filled(field, 0.0, Color32::from_rgb(r, g, b));
    }
    painter.rect_stroke(band, 0.0, Stroke::new(1.0, INK), egui::StrokeKind::Outside);
    let text = |at: Pos2, align: Align2, text: String| {
        painter.text(at, align, text, FontId::proportional(12.0), INK);
    };
    let unit = if scale.unit.is_empty() { String::new() } else { format!(" ({})", scale.unit) };
    let title = Pos2::new(band.left(), corner.y + 3.0);
    text(title, Align2::LEFT_TOP, format!("{}{unit}", scale.name));
    text(band.left_bottom() + Vec2::Y, Align2::LEFT_TOP, "0".into());
    text(band.right_bottom() + Vec2::Y, Align2::RIGHT_TOP, format!("{} and more", scale.most));
}

/// Every key and what the pointer does, as far as the window is large enough; the rest is scrolled.
pub(super) fn help(ctx: &egui::Context, open: &mut bool) {
    let window = egui::Window::new("Keys").open(open).collapsible(false).resizable(false);
    let tools = tool::ALL.iter();
    let tools = tools.map(|tool| (format!("{} ({})", tool.name, tool.shown()), tool.about));
    let keys = keys::ALL.iter().map(|key| (key.shown.to_owned(), key.about));
    let hands = keys::POINTER.iter().map(|(hand, about)| ((*hand).to_owned(), *about));
    let hands: Vec<_> = hands.chain(tools).collect();
    let room = ctx.content_rect().size() - Vec2::new(60.0, 90.0);
    window.anchor(Align2::CENTER_CENTER, Vec2::ZERO).show(ctx, |ui| {
        let scroll = egui::ScrollArea::both()
            .max_width(room.x)
            .max_height(room.y)
            .min_scrolled_width(room.x)
            .min_scrolled_height(room.y);
        scroll.show(ui, |ui| {
            ui.horizontal_top(|ui| {
                table(ui, "hands", hands);
                ui.add_space(12.0);
                table(ui, "keys", keys.collect());
            });
        });
    });
}

/// What is done, and what happens then.
fn table(ui: &mut Ui, name: &str, rows: Vec<(String, &str)>) {
    // So close that all of it fits a window of the usual size.
    let grid = egui::Grid::new(name).num_columns(2).striped(true);
    grid.spacing([10.0, 1.0]).min_row_height(17.0).show(ui, |ui| {
        for (key, about) in rows {
            ui.label(egui::RichText::new(key).size(11.5).strong());
            ui.label(egui::RichText::new(about).size(11.5));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::force;

    #[test]
    fn forces_have_a_unit_that_fits() {
        let all = [0.0, 0.25, 3.21, 450.0, 12_300.0].map(force);
        assert_eq!(all, ["0 mN", "250 mN", "3.2 N", "450 N", "12.3 kN"]);
    }
}
