//! What the pointer does over the world: tools on bodies, the camera beside them.

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Response, Ui};
use pliant::glam::{Vec2, Vec3};

use crate::camera::Ray;
use crate::command::Command;
use crate::keys;
use crate::moment::Moment;
use crate::pick::{pick, place};
use crate::state::State;
use crate::tool::{self, Ends, Grip, Touch};

/// Points that a notch of the wheel scrolls.
const NOTCH: f32 = 50.0;

/// How much nearer the camera comes with a notch.
const ZOOM: f32 = 0.88;

/// How much farther it goes by a drag over the height of the picture.
const DRAG_ZOOM: f32 = 8.0;

/// How much larger a brush gets with a notch.
const BRUSH: f32 = 1.1;

/// How fast one flies, and with Shift: distances of the eye in a second (1/s).
const FLIGHT: f32 = 0.6;
const FAST: f32 = 2.4;

pub(super) fn handle(ui: &Ui, response: &Response, state: &mut State, moment: &Moment) {
    let Some(at) = ui.input(|input| input.pointer.latest_pos()) else { return };
    let (middle, half) = (response.rect.center(), response.rect.size() / 2.0);
    let camera = state.camera;
    let sight = |at: Pos2| {
        let x = (at.x - middle.x) / half.x.max(1.0);
        let y = (middle.y - at.y) / half.y.max(1.0);
        camera.ray(Vec2::new(x, y), half.x / half.y.max(1.0))
    };
    let way = way(ui);
    let ray = sight(at);
    fly(ui, response, state);
    press(ui, response, state, (moment, sight(way.first().copied().unwrap_or(at))));
    follow(ui, state, (moment, &way.into_iter().map(sight).collect::<Vec<_>>()));
    wheel(ui, response, state, (moment, ray));
    turn(ui, response, state, (moment, ray));
}

/// Where the pointer was since the last frame of the window, or since it was pressed: who draws fast
/// draws far in a frame.
fn way(ui: &Ui) -> Vec<Pos2> {
    ui.input(|input| {
        let mut way: Vec<Pos2> = Vec::new();
        for event in &input.events {
            match event {
                Event::PointerMoved(at) => way.push(*at),
                Event::PointerButton {
                    pos, button: PointerButton::Primary, pressed: true, ..
                } => {
                    way = vec![*pos];
                }
                _ => {}
            }
        }
        if way.is_empty() { input.pointer.latest_pos().into_iter().collect() } else { way }
    })
}

/// Which way the left button went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turned {
    Down,
    Up,
}

/// The keys that are held, or were when the left button went that way: in a slow window they are up
/// again when the frame is shown.
fn held_as(ui: &Ui, turned: Turned) -> Modifiers {
    ui.input(|input| {
        let then =
            input.events.iter().rev().find_map(|event| match event {
                Event::PointerButton {
                    button: PointerButton::Primary, pressed, modifiers, ..
                } if *pressed == (turned == Turned::Down) => Some(*modifiers),
                _ => None,
            });
        then.unwrap_or(input.modifiers)
    })
}

/// While the right button is down, letters fly.
fn fly(ui: &Ui, response: &Response, state: &mut State) {
    let (down, dt, fast) = ui.input(|input| {
        (input.pointer.secondary_down(), input.stable_dt.min(0.1), input.modifiers.shift)
    });
    if !down || state.stroke.is_some() || !response.contains_pointer() {
        return;
    }
    let along = |to: Key, fro: Key| {
        let held = |key| if ui.input(|input| input.key_down(key)) { 1.0 } else { 0.0 };
        held(to) - held(fro)
    };
    let way = Vec3::new(along(Key::D, Key::A), along(Key::E, Key::Q), along(Key::W, Key::S));
    if way != Vec3::ZERO {
        state.camera.fly(way * dt * if fast { FAST } else { FLIGHT });
        ui.ctx().request_repaint();
    }
}

/// A press begins a stroke of the tool.
fn press(ui: &Ui, response: &Response, state: &mut State, (moment, ray): (&Moment, Ray)) {
    let pressed = |button| ui.input(|input| input.pointer.button_pressed(button));
    let long = response.long_touched();
    if state.stroke.is_some() && (long || pressed(PointerButton::Secondary)) {
        keys::nail(state);
    }
    let alone = response.contains_pointer() && state.stroke.is_none();
    if !(alone && pressed(PointerButton::Primary)) {
        return;
    }
    let (camera, grip) = (state.camera, state.grip);
    let held = held_as(ui, Turned::Down);
    let touch = Touch { moment, camera: &camera, ray, hit: pick(moment, ray), held, grip };
    let mut commands = Vec::new();
    if held.alt {
        return;
    }
    state.shifted = held.shift;
    state.stroke = (tool::of_press(state.tool, held).begin)(&touch, &mut commands);
    let touched = touch.hit.as_ref().and_then(|hit| moment.frame.plan.bodies.get(hit.body));
    if let Some(body) = touched {
        state.chosen.clone_from(&body.name);
    }
    if state.stroke.is_some() {
        state.pulled = true;
        // Who pulls at a world that stands wants it to move.
        let stands = !moment.frame.running && grip.runs_on_grab;
        if stands && commands.iter().any(|c| matches!(c, Command::Grab { .. })) {
            commands.push(Command::Play);
        }
    }
    commands.into_iter().for_each(|command| state.send(command));
}

/// A stroke follows the pointer until it is released.
fn follow(ui: &Ui, state: &mut State, (moment, way): (&Moment, &[Ray])) {
    let (camera, grip) = (state.camera, state.grip);
    let (is_down, is_up) = ui.input(|input| {
        let pointer = &input.pointer;
        (pointer.primary_down(), pointer.button_released(PointerButton::Primary))
    });
    let held = held_as(ui, Turned::Up);
    let Some(stroke) = &mut state.stroke else { return };
    let mut commands = Vec::new();
    for &ray in way {
        let touch = Touch { moment, camera: &camera, ray, hit: None, held, grip };
        stroke.moved(&touch, &mut commands);
    }
    let ends = is_up && stroke.lifted() == Ends::Yes;
    // A button that went up where nobody saw it ends what needs it to be down.
    let lost = !is_down && !is_up && !stroke.needs_no_button();
    commands.into_iter().for_each(|command| state.send(command));
    if ends && state.shifted && !held.shift {
        keys::nail(state);
    }
    if ends || lost {
        state.release();
    }
}

/// The wheel moves what is held, or the camera.
fn wheel(ui: &Ui, response: &Response, state: &mut State, (moment, ray): (&Moment, Ray)) {
    let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
    let held = ui.input(|input| input.modifiers);
    if !response.contains_pointer() || (scroll == 0.0 && pinch == 1.0) {
        return;
    }
    let notches = scroll / NOTCH;
    let (camera, grip) = (state.camera, state.grip);
    if held.alt && tool::ALL[state.tool].brush > 0.0 {
        let [least, most] = Grip::SIZES;
        state.grip.size = (grip.size * libm::powf(BRUSH, notches)).clamp(least, most);
        return;
    }
    match &mut state.stroke {
        Some(stroke) => {
            let mut commands = Vec::new();
            let touch = Touch { moment, camera: &camera, ray, hit: None, held, grip };
            stroke.wheel(notches, &touch, &mut commands);
            commands.into_iter().for_each(|command| state.send(command));
        }
        None => state.camera.zoom(ray, libm::powf(ZOOM, notches) / pinch.max(0.01)),
    }
}

/// Drags beside bodies turn and move the view.
fn turn(ui: &Ui, response: &Response, state: &mut State, (moment, ray): (&Moment, Ray)) {
    if state.stroke.is_some() {
        return;
    }
    let height = response.rect.height().max(1.0);
    let aspect = response.rect.width() / height;
    if let Some(touch) = ui.input(|input| input.multi_touch()) {
        let moved = touch.translation_delta / height;
        return state.camera.pan(Vec2::new(moved.x, moved.y), aspect);
    }
    let drag = response.drag_delta() / height;
    let drag = Vec2::new(drag.x, drag.y);
    let dragged = |button| response.dragged_by(button);
    let held = ui.input(|input| input.modifiers);
    let (middle, right) = (dragged(PointerButton::Middle), dragged(PointerButton::Secondary));
    if (middle && held.command) || (right && held.alt) {
        state.camera.zoom(ray, libm::powf(DRAG_ZOOM, drag.y));
    } else if right || (middle && (held.shift || held.alt)) {
        state.camera.pan(drag, aspect);
    } else if dragged(PointerButton::Primary) || middle {
        state.camera.orbit(drag);
    }
    if response.double_clicked_by(PointerButton::Primary)
        && let Some(point) = place(moment, ray)
    {
        state.camera.target = point;
    }
}
