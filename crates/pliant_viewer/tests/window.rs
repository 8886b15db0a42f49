//! The window without a screen: every panel, every key, the pointer.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use eframe::egui::accesskit::Role;
use eframe::egui::{self, Event, Key, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use pliant::settings::{SETTINGS, Value};
use pliant_viewer::app::App;
use pliant_viewer::command::Command;
use pliant_viewer::driver::{Slices, Thread};
use pliant_viewer::frame::Surface;
use pliant_viewer::session::{Session, Source};
use pliant_viewer::{layer, panel, tool};

mod clocks;
use clocks::ticking;

/// High enough for every panel: what is scrolled away is not there for a test.
const SIZE: Vec2 = Vec2::new(1280.0, 2400.0);

fn window(scene: &str) -> Harness<'static, App> {
    let folder = std::env::temp_dir().join(format!("pliant-window-{}", std::process::id()));
    let session = Session::new(ticking).writing_to(folder);
    let mut app = App::new(Box::new(Slices::new(session, ticking)));
    app.state.keep_log();
    app.state.send(Command::Load(Source::Quick(scene.into())));
    let show = |ui: &mut egui::Ui, app: &mut App| app.show(ui, None);
    let mut harness = Harness::builder().with_size(SIZE).build_ui_state(show, app);
    harness.run_steps(3);
    harness
}

/// The same a second later, with time standing still: things are where they are looked for, and always in
/// the same pose.
fn still(scene: &str) -> Harness<'static, App> {
    let mut app = App::new(Box::new(Slices::new(Session::new(|| 0.0), || 0.0)));
    app.state.keep_log();
    app.state.send(Command::Load(Source::Quick(scene.into())));
    (0..60).for_each(|_| app.state.send(Command::Step));
    let show = |ui: &mut egui::Ui, app: &mut App| app.show(ui, None);
    let mut harness = Harness::builder().with_size(SIZE).build_ui_state(show, app);
    harness.run_steps(5);
    assert!(harness.state().state.frame().is_some_and(|frame| frame.step == 60));
    harness
}

/// Opens a panel that is closed.
fn open(harness: &mut Harness<'_, App>, name: &str) {
    let is_open = panel::ALL.iter().any(|panel| panel.name == name && panel.open);
    if !is_open {
        harness.get_by_label(name).click();
        harness.run_steps(8);
    }
}

fn sent(harness: &Harness<'_, App>, wanted: impl Fn(&Command) -> bool) -> bool {
    harness.state().state.log().iter().any(wanted)
}

#[test]
fn every_panel_opens_and_all_of_them_together() {
    let mut harness = window("hanging-cloth");
    for panel in panel::ALL {
        open(&mut harness, panel.name);
        harness.get_by_label(panel.name);
    }
    harness.run_steps(5);
}

/// What is in a part of the window: roles, texts and states, without numbers, which depend on the machine.
fn written(node: &egui_kittest::Node<'_>, depth: usize, text: &mut String) {
    let own = node.accesskit_node();
    let said = [own.label(), own.value()].map(Option::unwrap_or_default);
    if ![Role::GenericContainer, Role::Unknown, Role::TextRun].contains(&own.role()) {
        let toggled = own.toggled().map_or(String::new(), |toggled| format!(" {toggled:?}"));
        let disabled = if own.is_disabled() { " disabled" } else { "" };
        let line = format!("{:?} {} {}{toggled}{disabled}", own.role(), said[0], said[1]);
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        *text += &format!("{}{}\n", "  ".repeat(depth), numberless(&line));
    }
    node.children().for_each(|child| written(&child, depth + 1, text));
}

/// A text with `#` for each number.
fn numberless(text: &str) -> String {
    let mut without = String::new();
    for c in text.chars() {
        let is_digit = |c: char| c.is_ascii_digit() || (c == '.' && without.ends_with('#'));
        match is_digit(c) {
            true if without.ends_with('#') => {}
            true => without.push('#'),
            false => without.push(c),
        }
    }
    without
}

/// Every panel alone, as text, compared with `tests/panels/NAME.txt`. `PLIANT_UPDATE=1` writes these.
#[test]
fn every_panel_is_as_in_its_snapshot() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/panels");
    let update = std::env::var_os("PLIANT_UPDATE").is_some();
    let known: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().collect();
    for panel in panel::ALL {
        let mut app = App::new(Box::new(Slices::new(Session::new(|| 0.0), || 0.0)));
        app.state.send(Command::Load(Source::Quick("flag".into())));
        app.state.send(Command::Pause);
        let show = |ui: &mut egui::Ui, app: &mut App| {
            app.state.poll(0.0);
            (panel.show)(ui, &mut app.state);
            app.state.send_wants();
        };
        let size = Vec2::new(330.0, 1600.0);
        let mut harness = Harness::builder().with_size(size).build_ui_state(show, app);
        harness.run_steps(2);
        (0..3).for_each(|_| {
            harness.state_mut().state.send(Command::Step);
            harness.run_steps(1);
        });
        let mut text = String::new();
        written(&harness.root(), 0, &mut text);
        let path = folder.join(format!("{}.txt", panel.name.to_lowercase().replace(' ', "-")));
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.display();
        assert!(text == before, "{name} differs; look, then run with PLIANT_UPDATE=1:\n{text}");
    }
    assert!(update || known.len() == panel::ALL.len(), "a snapshot of a panel that is gone");
}

/// A file that somebody drops.
#[derive(Debug)]
struct File(std::path::PathBuf);

impl egui::DroppedFile for File {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn a_mesh_that_is_dropped_becomes_a_body_and_a_scene_is_opened() {
    let folder = std::env::temp_dir().join(format!("pliant-dropped-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut harness = window("hanging-cloth");
    let bodies =
        |harness: &Harness<'_, App>| harness.state().state.frame().unwrap().plan.bodies.len();
    let before = bodies(&harness);
    let corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"].map(|x| format!("v {x}\n")).concat();
    let mesh = folder.join("corner.obj");
    std::fs::write(&mesh, corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n").unwrap();
    let entry = pliant_io::scene::library::ALL.iter().find(|entry| entry.name == "flag").unwrap();
    let scene = folder.join("my flag.toml");
    std::fs::write(&scene, entry.text).unwrap();
    harness.input_mut().dropped_files.push(std::sync::Arc::new(File(mesh)));
    harness.run_steps(3);
    assert_eq!(bodies(&harness), before + 1);
    harness.input_mut().dropped_files.push(std::sync::Arc::new(File(scene)));
    harness.run_steps(3);
    assert_eq!(harness.state().state.frame().unwrap().title, "Flag");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_fingers_move_the_view_and_come_nearer() {
    let mut harness = window("soft-cube");
    let corner = harness.state().viewport().left_bottom() + Vec2::new(60.0, -120.0);
    let finger = |id: u64, phase: egui::TouchPhase, pos: Pos2| Event::Touch {
        device_id: egui::TouchDeviceId(1),
        id: egui::TouchId(id),
        phase,
        pos,
        force: None,
    };
    let before = harness.state().state.camera;
    harness.event(Event::PointerMoved(corner));
    let apart = |k: f32| Vec2::new(40.0 + 10.0 * k, 0.0);
    for (id, side) in [(1, -1.0), (2, 1.0)] {
        harness.event(finger(id, egui::TouchPhase::Start, corner + apart(0.0) * side));
    }
    harness.run_steps(2);
    for k in 1..6 {
        for (id, side) in [(1, -1.0), (2, 1.0)] {
            let to = corner + apart(k as f32) * side + Vec2::new(0.0, -8.0) * k as f32;
            harness.event(finger(id, egui::TouchPhase::Move, to));
        }
        harness.run_steps(1);
    }
    let after = harness.state().state.camera;
    assert!(after.distance < 0.8 * before.distance, "{} m", after.distance);
    assert!(after.target != before.target && after.yaw == before.yaw, "{after:?}");
}

#[test]
fn the_library_is_searched_and_opened() {
    let mut harness = window("hanging-cloth");
    harness.state_mut().state.search = "jelly edge".into();
    harness.run_steps(2);
    harness.get_by_label("Soft cube").click();
    harness.run_steps(3);
    assert!(sent(&harness, |c| *c == Command::Load(Source::Named("soft-cube".into()))));
    assert!(harness.query_by_label("Flag").is_none());
    assert_eq!(harness.state().state.frame().unwrap().title, "Soft cube");
}

#[test]
fn a_panel_that_is_opened_at_the_bottom_is_scrolled_into_view() {
    let mut app = App::new(Box::new(Slices::new(Session::new(|| 0.0), || 0.0)));
    app.state.send(Command::Load(Source::Quick("flag".into())));
    let show = |ui: &mut egui::Ui, app: &mut App| app.show(ui, None);
    let size = Vec2::new(1280.0, 800.0);
    let mut harness = Harness::builder().with_size(size).build_ui_state(show, app);
    harness.run_steps(5);
    harness.get_by_label("Tools").click();
    harness.run_steps(60);
    let last = harness.get_by_label_contains("Nothing is selected").rect();
    assert!(last.bottom() < harness.state().viewport().bottom(), "{last}");
}

#[test]
fn the_list_of_scenes_shows_the_one_that_was_opened() {
    let mut harness = window("hanging-cloth");
    let last = pliant_io::scene::library::ALL.last().unwrap().name;
    harness.state_mut().state.open(Source::Quick(last.into()));
    harness.run_steps(6);
    let title = harness.state().state.frame().unwrap().title.clone();
    let row = harness.get_by_role_and_label(Role::Button, &title).rect();
    assert!(row.top() > 0.0 && row.bottom() < 300.0, "{row}");
}

#[test]
fn every_setting_is_in_the_panel_and_a_choice_reaches_the_world() {
    let mut harness = window("hanging-cloth");
    open(&mut harness, "Solver");
    for setting in SETTINGS.iter().filter(|setting| setting.name != "gravity") {
        assert!(harness.query_all_by_label(&setting.name.replace('_', " ")).next().is_some());
    }
    // The first is that of the solver; contacts have one too.
    harness.get_all_by_value("colored").next().unwrap().click();
    harness.run_steps(2);
    harness.get_by_label("jacobi").hover();
    harness.run_steps(60);
    harness.get_by_label_contains("averaged");
    harness.get_by_label("jacobi").click();
    harness.run_steps(3);
    let value = Value::Choice("jacobi");
    assert!(sent(&harness, |c| *c == Command::Set { name: "solver", value }));
    let config = &harness.state().state.frame().unwrap().config;
    assert_eq!(config.solver.name(), "jacobi");
}

#[test]
fn layers_are_switched_and_ask_for_what_they_need() {
    let mut harness = window("soft-cube");
    open(&mut harness, "Layers");
    for layer in layer::ALL {
        harness.get_by_role_and_label(Role::CheckBox, layer.name).click();
        harness.run_steps(2);
    }
    let shown = &harness.state().state.look.shown;
    assert!(shown.iter().zip(layer::ALL).all(|(shown, layer)| *shown != layer.shown));
    assert!(sent(&harness, |c| matches!(c, Command::Want(wants) if wants.contacts)));
}

#[test]
fn measurements_are_made_while_their_panel_is_open() {
    let mut harness = window("hanging-cloth");
    assert!(harness.state().state.series.curves.is_empty());
    open(&mut harness, "Measurements");
    harness.run_steps(6);
    let curves = &harness.state().state.series.curves;
    assert!(curves.iter().any(|curve| curve.name == "largest strain" && curve.points.len() > 1));
    harness.get_by_label("Measurements").click();
    harness.run_steps(12);
    assert!(harness.state().state.frame().unwrap().readings.is_empty());
}

#[test]
fn air_record_counts_and_explain_say_what_they_should() {
    let mut harness = window("hanging-cloth");
    open(&mut harness, "Gravity and wind");
    harness.get_by_label("gust +x").click();
    harness.run_steps(2);
    assert!(sent(&harness, |c| matches!(c, Command::Gust(_))));
    open(&mut harness, "Counts");
    let count = harness.state().state.frame().unwrap().rows.len();
    assert!(harness.query_all_by_label(&count.to_string()).next().is_some());
    open(&mut harness, "Explain");
    let problems = harness.state().state.frame().unwrap().problems.clone();
    assert_eq!(harness.query_by_label_contains("Looked for").is_some(), problems.is_empty());
    for problem in problems {
        assert!(harness.query_by_label(&problem.what).is_some(), "{problem:?}");
    }
    open(&mut harness, "Record");
    harness.get_by_label("npz").click();
    harness.run_steps(4);
    harness.get_by_label("end npz").click();
    harness.run_steps(3);
    let notice = harness.state().state.notice().unwrap().to_owned();
    assert!(notice.contains("npz"), "{notice}");
    harness.get_by_label("save as scene file").click();
    harness.run_steps(3);
    let notice = harness.state().state.notice().unwrap().to_owned();
    assert!(notice.contains(".toml"), "{notice}");
    std::fs::remove_dir_all(
        std::env::temp_dir().join(format!("pliant-window-{}", std::process::id())),
    )
    .unwrap();
}

#[test]
fn time_is_stopped_stepped_turned_back_and_slowed_by_keys() {
    let mut harness = window("hanging-cloth");
    harness.run_steps(20);
    let step = |harness: &Harness<'_, App>| harness.state().state.frame().unwrap().step;
    harness.key_press(Key::Space);
    harness.run_steps(3);
    let stopped = step(&harness);
    harness.run_steps(5);
    assert_eq!(step(&harness), stopped);
    harness.key_press(Key::Period);
    harness.run_steps(3);
    assert_eq!(step(&harness), stopped + 1);
    harness.key_press(Key::Comma);
    harness.run_steps(2);
    harness.key_press(Key::Comma);
    harness.run_steps(3);
    assert_eq!(step(&harness), stopped - 1);
    harness.key_press(Key::Minus);
    harness.run_steps(3);
    assert_eq!(harness.state().state.frame().unwrap().speed, 0.5);
    harness.key_press(Key::F1);
    harness.run_steps(3);
    assert!(harness.query_by_label("throw a ball").is_some());
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("throw a ball").is_none());
    harness.key_press(Key::R);
    harness.run_steps(2);
    assert!(step(&harness) <= 1);
}

#[test]
fn who_asks_for_the_next_scene_twice_gets_the_one_after_it() {
    let mut harness = window("hanging-cloth");
    let state = &mut harness.state_mut().state;
    (0..3).for_each(|_| state.open_neighbour(1));
    state.open_neighbour(-1);
    let all = pliant_io::scene::library::ALL;
    let loads: Vec<Command> = state.log().iter().rev().take(4).rev().cloned().collect();
    let expected = [2, 3, 4, 3].map(|k| Command::Load(Source::Named(all[k].name.into())));
    assert_eq!(loads, expected);
}

/// Drags from one place to another, with the left button.
fn drag(harness: &mut Harness<'_, App>, from: Pos2, by: Vec2) {
    harness.event(Event::PointerMoved(from));
    harness.run_steps(2);
    harness.event(button(from, PointerButton::Primary, true));
    harness.run_steps(2);
    for k in 1..=4 {
        harness.event(Event::PointerMoved(from + by * (k as f32 / 4.0)));
        harness.run_steps(1);
    }
    harness.event(button(from + by, PointerButton::Primary, false));
    harness.run_steps(3);
}

#[test]
fn a_knob_is_turned_while_the_scene_runs() {
    let mut harness = window("flag");
    open(&mut harness, "Knobs");
    let knob = harness.get_all_by_role(Role::SpinButton).next().unwrap().rect().center();
    let before = harness.state().state.frame().unwrap().step;
    drag(&mut harness, knob, Vec2::new(60.0, 0.0));
    let turned = |c: &Command| matches!(c, Command::Tune { path, .. } if path == "wind.velocity");
    assert!(sent(&harness, turned));
    let frame = harness.state().state.frame().unwrap();
    assert!(frame.tunables.knobs[0].values[0] > 6.0, "{:?}", frame.tunables.knobs[0]);
    assert!(frame.step > before, "it goes on");
}

#[test]
fn a_body_is_made_of_something_else() {
    let mut harness = window("hanging-cloth");
    open(&mut harness, "Material");
    // The list comes first, then the name above the numbers.
    harness.get_all_by_value("cotton").next().unwrap().click();
    harness.run_steps(2);
    harness.get_by_label("silk").click();
    harness.run_steps(3);
    let (path, value) = ("body.0.material".to_owned(), "\"silk\"".to_owned());
    assert!(sent(&harness, |c| *c == Command::Tune { path: path.clone(), value: value.clone() }));
    let frame = harness.state().state.frame().unwrap();
    assert_eq!(frame.tunables.substances[0].material.as_deref(), Some("silk"));
    assert!(frame.step > 3, "it goes on");
}

#[test]
fn the_body_that_was_touched_last_is_the_one_whose_material_is_shown() {
    let mut harness = window("swing");
    harness.run_steps(3);
    let at = on_a_body(harness.state());
    drag(&mut harness, at, Vec2::new(20.0, 5.0));
    let state = &harness.state().state;
    let bodies: Vec<&str> = state.frame().unwrap().plan.bodies.iter().map(|b| &*b.name).collect();
    assert!(bodies.contains(&state.chosen.as_str()), "{:?} of {bodies:?}", state.chosen);
}

#[test]
fn every_picture_of_a_scene_is_shown() {
    let mut harness = window("hanging-cloth");
    for entry in pliant_io::scene::library::ALL {
        let app = harness.state_mut();
        let ctx = egui::Context::default();
        assert!(app.state.gallery.picture(&ctx, entry.name).is_some(), "{}", entry.name);
    }
}

fn button(pos: Pos2, button: PointerButton, pressed: bool) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
}

/// A place of the picture where a body is.
fn on_a_body(app: &App) -> Pos2 {
    let rect = app.viewport();
    let moment = app.state.moment().unwrap();
    let x = moment.x[moment.x.len() / 2];
    let aspect = rect.width() / rect.height();
    let place = app.state.camera.projection(aspect).project_point3(x);
    rect.center() + Vec2::new(place.x, -place.y) * rect.size() / 2.0
}

#[test]
fn a_body_is_grabbed_dragged_nailed_and_thrown() {
    let mut harness = window("hanging-cloth");
    harness.run_steps(3);
    let at = on_a_body(harness.state());
    harness.event(Event::PointerMoved(at));
    harness.run_steps(2);
    harness.event(button(at, PointerButton::Primary, true));
    harness.run_steps(2);
    assert!(sent(&harness, |c| matches!(c, Command::Grab { .. })), "{at}");
    for k in 1..10 {
        harness.event(Event::PointerMoved(at + Vec2::new(8.0, -5.0) * k as f32));
        harness.run_steps(2);
    }
    let pull = harness.state().state.frame().unwrap().pull.unwrap();
    assert!(pull.newtons > 0.0 && pull.newtons.is_finite(), "{pull:?}");
    let wheel = Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: Vec2::new(0.0, 2.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    };
    let camera = harness.state().state.camera;
    harness.event(wheel.clone());
    harness.run_steps(8);
    assert_eq!(harness.state().state.camera, camera, "the wheel moves what is held");
    let pins = harness.state().state.frame().unwrap().pins.len();
    harness.event(button(at, PointerButton::Secondary, true));
    harness.run_steps(3);
    assert!(harness.state().state.frame().unwrap().pins.len() > pins);
    harness.event(button(at, PointerButton::Secondary, false));
    harness.event(button(at, PointerButton::Primary, false));
    harness.run_steps(3);
    assert_eq!(harness.state().state.frame().unwrap().pull, None);
    harness.event(wheel);
    harness.run_steps(8);
    assert!(harness.state().state.camera.distance < camera.distance, "the wheel zooms");
}

#[test]
fn shift_grabs_whatever_the_tool_and_alt_turns_the_view_on_a_body() {
    let mut harness = window("hanging-cloth");
    harness.key_press(Key::K);
    harness.run_steps(2);
    for (held, grabs) in [(Modifiers::ALT, false), (Modifiers::SHIFT, true)] {
        let at = on_a_body(harness.state());
        let yaw = harness.state().state.camera.yaw;
        harness.event(Event::ModifiersChanged(held));
        let press = |pos: Pos2, pressed: bool| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: held,
        };
        harness.event(Event::PointerMoved(at));
        harness.run_steps(2);
        harness.event(press(at, true));
        harness.run_steps(2);
        let to = at + Vec2::new(60.0, 0.0);
        harness.event(Event::PointerMoved(to));
        harness.run_steps(2);
        harness.event(press(to, false));
        harness.run_steps(2);
        assert_eq!(sent(&harness, |c| matches!(c, Command::Grab { .. })), grabs, "{held:?}");
        assert_eq!(harness.state().state.camera.yaw == yaw, grabs, "{held:?}");
        assert!(!sent(&harness, |c| matches!(c, Command::Cut { .. })));
    }
}

#[test]
fn beside_bodies_a_drag_turns_the_view() {
    let mut harness = window("soft-cube");
    let corner = harness.state().viewport().left_bottom() + Vec2::new(20.0, -60.0);
    let before = harness.state().state.camera;
    harness.event(Event::PointerMoved(corner));
    harness.run_steps(2);
    harness.event(button(corner, PointerButton::Primary, true));
    harness.run_steps(2);
    for k in 1..5 {
        harness.event(Event::PointerMoved(corner + Vec2::new(30.0, 0.0) * k as f32));
        harness.run_steps(1);
    }
    harness.event(button(corner, PointerButton::Primary, false));
    harness.run_steps(2);
    let after = harness.state().state.camera;
    assert!(before.yaw != after.yaw && before.target == after.target);
    assert!(!sent(&harness, |c| matches!(c, Command::Grab { .. })));
}

#[test]
fn every_tool_does_something_to_a_body() {
    for (index, tool) in tool::ALL.iter().enumerate() {
        let mut harness = window("hanging-cloth");
        harness.key_press(tool.keys[0]);
        harness.run_steps(2);
        assert_eq!(harness.state().state.tool, index);
        let before = harness.state().state.log().len();
        let at = on_a_body(harness.state());
        harness.event(Event::PointerMoved(at));
        harness.run_steps(2);
        harness.event(button(at, PointerButton::Primary, true));
        harness.run_steps(3);
        let to = at + Vec2::splat(40.0);
        harness.event(Event::PointerMoved(to));
        harness.run_steps(2);
        harness.event(button(to, PointerButton::Primary, false));
        harness.run_steps(3);
        let state = &harness.state().state;
        assert!(state.log().len() > before || !state.selection.is_empty(), "{}", tool.name);
    }
}

/// The same with keys that are held.
fn held(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}

/// Drags with keys held; they are held no longer at the end.
fn drag_with(harness: &mut Harness<'_, App>, from: Pos2, by: Vec2, modifiers: Modifiers) {
    harness.event(Event::ModifiersChanged(modifiers));
    harness.event(Event::PointerMoved(from));
    harness.run_steps(2);
    harness.event(held(from, true, modifiers));
    harness.run_steps(2);
    for k in 1..=4 {
        harness.event(Event::PointerMoved(from + by * (k as f32 / 4.0)));
        harness.run_steps(1);
    }
    harness.event(held(from + by, false, modifiers));
    harness.run_steps(2);
    harness.event(Event::ModifiersChanged(Modifiers::NONE));
    harness.run_steps(1);
}

/// Where a particle is seen.
fn seen(app: &App, particle: usize) -> Pos2 {
    let rect = app.viewport();
    let x = app.state.moment().unwrap().x[particle];
    let place = app.state.camera.projection(rect.width() / rect.height()).project_point3(x);
    rect.center() + Vec2::new(place.x, -place.y) * rect.size() / 2.0
}

/// The particles in a box of the window.
fn in_box(app: &App, [a, b]: [Pos2; 2]) -> Vec<u32> {
    let around = egui::Rect::from_two_pos(a, b);
    let count = app.state.frame().unwrap().rows.len();
    (0..count).filter(|&i| around.contains(seen(app, i))).map(|i| i as u32).collect()
}

#[test]
fn a_box_selects_and_what_is_selected_is_pinned_pushed_grabbed_and_deleted() {
    let mut harness = still("hanging-cloth");
    harness.key_press(Key::S);
    harness.run_steps(2);
    let (from, by) = (on_a_body(harness.state()) - Vec2::splat(90.0), Vec2::splat(180.0));
    let expected = in_box(harness.state(), [from, from + by]);
    assert!(expected.len() > 10, "{}", expected.len());
    drag_with(&mut harness, from, by, Modifiers::NONE);
    let selected =
        |harness: &Harness<'_, App>| harness.state().state.selection.particles().to_vec();
    assert_eq!(selected(&harness), expected);
    let half = Vec2::new(87.0, 180.0);
    let taken = in_box(harness.state(), [from, from + half]);
    assert!(!taken.is_empty() && taken.len() < expected.len());
    drag_with(&mut harness, from, half, Modifiers::COMMAND);
    let rest: Vec<u32> = expected.iter().copied().filter(|i| !taken.contains(i)).collect();
    assert_eq!(selected(&harness), rest, "Ctrl takes away");
    drag_with(&mut harness, from, half, Modifiers::SHIFT);
    assert_eq!(selected(&harness), expected, "Shift adds");
    assert!(!sent(&harness, |c| matches!(c, Command::Grab { .. } | Command::Cut { .. })));
    open(&mut harness, "Tools");
    for label in ["pin", "let go", "push"] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
    }
    assert!(sent(&harness, |c| *c == Command::Pin(expected.clone())));
    assert!(sent(&harness, |c| *c == Command::Unpin(expected.clone())));
    assert!(sent(
        &harness,
        |c| matches!(c, Command::Kick { particles, .. } if *particles == expected)
    ));
    assert!(harness.query_all_by_label(&expected.len().to_string()).next().is_some());
    harness.key_press(Key::Escape);
    harness.run_steps(2);
    let middle = on_a_body(harness.state());
    drag_with(&mut harness, middle, Vec2::new(10.0, 0.0), Modifiers::NONE);
    assert!(sent(
        &harness,
        |c| matches!(c, Command::Grab { particles, .. } if *particles == expected)
    ));
    let count = harness.state().state.frame().unwrap().rows.len();
    harness.key_press(Key::Delete);
    harness.run_steps(3);
    assert_eq!(harness.state().state.frame().unwrap().rows.len(), count - expected.len());
    assert!(harness.state().state.selection.is_empty(), "what is gone is not selected");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(3);
    assert_eq!(harness.state().state.frame().unwrap().rows.len(), count);
}

#[test]
fn a_click_selects_a_body_and_escape_nothing() {
    let mut harness = still("hanging-cloth");
    harness.key_press(Key::S);
    harness.run_steps(2);
    let at = on_a_body(harness.state());
    drag_with(&mut harness, at, Vec2::ZERO, Modifiers::NONE);
    let state = &harness.state().state;
    let cloth = state.frame().unwrap().plan.bodies.iter().find(|body| body.name == state.chosen);
    let all: Vec<u32> = cloth.unwrap().particles.clone().collect();
    assert_eq!(state.selection.particles()[..], all);
    for _ in 0..2 {
        harness.key_press(Key::Escape);
        harness.run_steps(2);
    }
    assert!(harness.state().state.selection.is_empty());
    assert_eq!(harness.state().state.tool, 0);
}

#[test]
fn a_click_on_a_pin_lets_it_go_and_a_drag_does_not() {
    let mut harness = still("hanging-cloth");
    let frame = harness.state().state.frame().unwrap();
    let cloth = frame.plan.bodies.iter().max_by_key(|body| body.particles.len()).unwrap();
    let pins = frame.pins.iter().copied().filter(|pin| cloth.particles.contains(pin));
    let pins: Vec<u32> = pins.collect();
    // A little inside of the cloth, whose corner it is: towards the middle of a triangle.
    let Surface::Own(triangles) = &cloth.surface else { panic!("a cloth has triangles") };
    let mut triangles = triangles.iter().map(|corners| corners.map(|i| i + cloth.particles.start));
    let triangle = triangles.find(|corners| corners.contains(&pins[0])).unwrap();
    let pin = seen(harness.state(), pins[0] as usize);
    let corners = triangle.map(|corner| seen(harness.state(), corner as usize).to_vec2());
    let middle = corners.iter().fold(Vec2::ZERO, |sum, corner| sum + *corner / 3.0);
    let at = pin + (middle - pin.to_vec2()) * 0.3;
    harness.state_mut().state.grip.runs_on_grab = false;
    drag_with(&mut harness, at, Vec2::splat(30.0), Modifiers::NONE);
    assert!(sent(&harness, |c| matches!(c, Command::Grab { .. })));
    assert!(!sent(&harness, |c| matches!(c, Command::Unpin(_) | Command::Play)));
    drag_with(&mut harness, at, Vec2::ZERO, Modifiers::NONE);
    assert!(sent(&harness, |c| *c == Command::Unpin(vec![pins[0]])));
    assert!(!harness.state().state.frame().unwrap().pins.contains(&pins[0]));
}

#[test]
fn who_lets_shift_go_before_the_button_leaves_it_pinned() {
    for early in [true, false] {
        let mut harness = still("hanging-cloth");
        let at = on_a_body(harness.state());
        harness.event(Event::ModifiersChanged(Modifiers::SHIFT));
        harness.event(Event::PointerMoved(at));
        harness.run_steps(2);
        harness.event(held(at, true, Modifiers::SHIFT));
        harness.run_steps(2);
        harness.event(Event::PointerMoved(at + Vec2::splat(20.0)));
        harness.run_steps(2);
        let modifiers = if early { Modifiers::NONE } else { Modifiers::SHIFT };
        harness.event(Event::ModifiersChanged(modifiers));
        harness.run_steps(2);
        harness.event(held(at + Vec2::splat(20.0), false, modifiers));
        harness.run_steps(2);
        assert_eq!(sent(&harness, |c| *c == Command::Nail), early);
        assert_eq!(sent(&harness, |c| *c == Command::Release), !early);
        assert!(harness.state().state.stroke.is_none());
    }
}

#[test]
fn a_long_touch_pins_what_is_under_the_finger() {
    let mut harness = still("hanging-cloth");
    let at = on_a_body(harness.state());
    let finger = |phase: egui::TouchPhase| Event::Touch {
        device_id: egui::TouchDeviceId(1),
        id: egui::TouchId(1),
        phase,
        pos: at,
        force: None,
    };
    let pins = harness.state().state.frame().unwrap().pins.len();
    harness.event(Event::PointerMoved(at));
    harness.event(finger(egui::TouchPhase::Start));
    harness.event(button(at, PointerButton::Primary, true));
    harness.run_steps(3);
    assert!(sent(&harness, |c| matches!(c, Command::Grab { .. })));
    assert!(!sent(&harness, |c| *c == Command::Nail), "it was short so far");
    harness.run_steps(120);
    assert!(sent(&harness, |c| *c == Command::Nail));
    harness.event(finger(egui::TouchPhase::End));
    harness.event(button(at, PointerButton::Primary, false));
    harness.run_steps(3);
    assert!(harness.state().state.frame().unwrap().pins.len() > pins);
}

#[test]
fn two_clicks_of_the_knife_cut_between_them() {
    let mut harness = still("hanging-cloth");
    harness.key_press(Key::K);
    harness.run_steps(2);
    let rect = harness.state().viewport();
    let x = on_a_body(harness.state()).x;
    let bodies = harness.state().state.frame().unwrap().plan.bodies.len();
    let down = |share: f32| Pos2::new(x, rect.top() + share * rect.height());
    drag_with(&mut harness, down(0.05), Vec2::ZERO, Modifiers::NONE);
    assert!(harness.state().state.stroke.is_some(), "it waits for the other end");
    for k in 1..=6 {
        harness.event(Event::PointerMoved(down(0.05 + 0.15 * k as f32)));
        harness.run_steps(1);
    }
    drag_with(&mut harness, down(0.95), Vec2::ZERO, Modifiers::NONE);
    assert!(harness.state().state.stroke.is_none());
    assert!(sent(&harness, |c| matches!(c, Command::Cut { edges } if edges.len() == 2)));
    assert_eq!(harness.state().state.frame().unwrap().plan.bodies.len(), bodies + 1);
}

#[test]
fn brushes_do_the_opposite_with_control_and_alt_and_wheel_size_them() {
    let mut harness = still("hanging-cloth");
    harness.key_press(Key::V);
    harness.run_steps(2);
    let away = |harness: &Harness<'_, App>| {
        let state = &harness.state().state;
        let log = state.log().iter().rev();
        let push = log.filter_map(|c| match c {
            Command::Push { velocity, radius, .. } => Some((*velocity, *radius)),
            _ => None,
        });
        let (velocity, radius) = push.clone().next().unwrap();
        (velocity.dot(state.camera.forward()) > 0.0, radius)
    };
    let at = on_a_body(harness.state());
    drag_with(&mut harness, at, Vec2::splat(4.0), Modifiers::NONE);
    let (pushes, radius) = away(&harness);
    drag_with(&mut harness, at, Vec2::splat(4.0), Modifiers::COMMAND);
    assert_eq!([pushes, away(&harness).0], [true, false]);
    assert!(!sent(&harness, |c| matches!(c, Command::Cut { .. })), "Ctrl is no knife then");
    let camera = harness.state().state.camera;
    harness.event(Event::ModifiersChanged(Modifiers::ALT));
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: Vec2::new(0.0, 3.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::ALT,
    });
    harness.run_steps(20);
    harness.event(Event::ModifiersChanged(Modifiers::NONE));
    harness.run_steps(2);
    assert!(harness.state().state.grip.size > 1.1, "{}", harness.state().state.grip.size);
    assert_eq!(harness.state().state.camera, camera, "the view stays");
    drag_with(&mut harness, at, Vec2::splat(4.0), Modifiers::NONE);
    assert!(away(&harness).1 > 1.1 * radius);
}

#[test]
fn letters_fly_while_the_right_button_is_down() {
    let mut harness = window("hanging-cloth");
    let at = harness.state().viewport().left_top() + Vec2::splat(40.0);
    let before = harness.state().state.camera;
    harness.event(Event::PointerMoved(at));
    harness.run_steps(2);
    harness.event(button(at, PointerButton::Secondary, true));
    harness.run_steps(2);
    harness.key_down(Key::W);
    harness.run_steps(10);
    harness.key_up(Key::W);
    harness.event(button(at, PointerButton::Secondary, false));
    harness.run_steps(2);
    let state = &harness.state().state;
    let way = state.camera.target - before.target;
    assert!(way.dot(before.forward()) > 0.05 * before.distance, "{way}");
    assert_eq!(state.tool, 0, "W alone is the tool Weld");
    harness.key_press(Key::W);
    harness.run_steps(2);
    assert_eq!(tool::ALL[harness.state().state.tool].name, "Weld");
}

#[test]
fn numbers_are_shown_over_the_picture_and_texts_are_copied() {
    let mut harness = window("hanging-cloth");
    for key in [Key::M, Key::F3] {
        harness.key_press(key);
        harness.run_steps(2);
        assert_eq!(harness.state().state.diagnostics, key == Key::M);
    }
    let copied = |harness: &Harness<'_, App>| {
        harness.output().platform_output.commands.iter().rev().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    };
    harness.event(Event::Copy);
    harness.step();
    let text = copied(&harness).unwrap();
    let camera = harness.state().state.camera;
    let scene = pliant_io::scene::Scene::parse("copied", &format!("format = 1\n{text}"));
    let stage = scene.unwrap().build().unwrap().stage;
    assert!(stage.camera.eye.distance(camera.eye()) < 1e-3 && text.contains("eye = ["), "{text}");
    harness.state_mut().state.send(Command::Set { name: "substeps", value: Value::Number(7.0) });
    harness.run_steps(2);
    let both = Modifiers { shift: true, ..Modifiers::COMMAND };
    harness.event(Event::ModifiersChanged(both));
    harness.event(Event::Key {
        key: Key::C,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: both,
    });
    harness.step();
    let text = copied(&harness).unwrap();
    let begin = "pliant run 'hanging-cloth' --quick --set 'substeps=7' --set 'view.eye=[";
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn the_last_seconds_are_played_backwards_and_again() {
    let mut harness = window("hanging-cloth");
    harness.run_steps(40);
    harness.key_press(Key::Space);
    harness.run_steps(3);
    let step = |harness: &Harness<'_, App>| harness.state().state.frame().unwrap().step;
    let last = step(&harness);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Comma);
    harness.run_steps(10);
    let back = step(&harness);
    assert!(back + 2 < last, "{back} of {last}");
    harness.key_press(Key::Space);
    harness.run_steps(3);
    let stopped = step(&harness);
    harness.run_steps(5);
    assert_eq!(step(&harness), stopped);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Period);
    harness.run_steps(200);
    assert_eq!(step(&harness), last, "after {stopped}");
    assert_eq!(harness.state().state.tool, 0);
}

#[test]
fn keys_that_are_up_again_within_a_frame_of_a_slow_window_count() {
    let mut harness = still("hanging-cloth");
    let at = on_a_body(harness.state());
    harness.event(Event::PointerMoved(at));
    harness.run_steps(2);
    let key = |key: Key, modifiers: Modifiers, pressed: bool| Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers,
    };
    let both = Modifiers { shift: true, ..Modifiers::COMMAND };
    let events = [
        Event::ModifiersChanged(both),
        key(Key::Z, both, true),
        key(Key::Z, both, false),
        held(at, true, Modifiers::SHIFT),
        held(at, false, Modifiers::SHIFT),
        Event::ModifiersChanged(Modifiers::NONE),
    ];
    harness.key_press(Key::K);
    harness.run_steps(2);
    harness.input_mut().events.extend(events);
    harness.step();
    assert!(sent(&harness, |c| *c == Command::Redo));
    assert!(sent(&harness, |c| matches!(c, Command::Grab { .. })));
}

#[test]
fn shift_and_g_is_not_also_the_tool() {
    let mut harness = window("hanging-cloth");
    harness.key_press(Key::K);
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::G);
    harness.run_steps(2);
    assert_eq!(tool::ALL[harness.state().state.tool].name, "Knife");
    assert!(sent(&harness, |c| matches!(c, Command::Set { name: "gravity", .. })));
}

/// Draws a stroke down the picture over a body, with the button down; it is not released.
fn draw_stroke(harness: &mut Harness<'_, App>) -> Pos2 {
    let rect = harness.state().viewport();
    let x = on_a_body(harness.state()).x;
    let across = |share: f32| Pos2::new(x, rect.top() + share * rect.height());
    harness.event(Event::PointerMoved(across(0.05)));
    harness.run_steps(2);
    harness.event(button(across(0.05), PointerButton::Primary, true));
    harness.run_steps(2);
    for k in 1..=18 {
        harness.event(Event::PointerMoved(across(0.05 + 0.05 * k as f32)));
        harness.run_steps(1);
    }
    across(0.95)
}

#[test]
fn the_knife_cuts_what_is_under_its_stroke_unless_it_is_called_off() {
    let mut harness = window("hanging-cloth");
    harness.key_press(Key::K);
    harness.run_steps(2);
    let count = |harness: &Harness<'_, App>| {
        let frame = harness.state().state.frame().unwrap();
        (frame.plan.bodies.len(), frame.rows.len())
    };
    let (bodies, particles) = count(&harness);
    let end = draw_stroke(&mut harness);
    assert!(harness.state().state.stroke.as_ref().unwrap().trail().len() > 10);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    harness.event(button(end, PointerButton::Primary, false));
    harness.run_steps(3);
    assert_eq!(count(&harness), (bodies, particles));
    let end = draw_stroke(&mut harness);
    harness.event(button(end, PointerButton::Primary, false));
    harness.run_steps(5);
    assert!(sent(&harness, |c| matches!(c, Command::Cut { .. })));
    assert_eq!(count(&harness).0, bodies + 1, "one half is a body of its own");
    assert!(count(&harness).1 > particles);
}

#[test]
fn a_stroke_within_one_frame_of_a_slow_window_cuts_where_it_went() {
    let mut harness = window("hanging-cloth");
    harness.key_press(Key::K);
    harness.run_steps(2);
    let rect = harness.state().viewport();
    let x = on_a_body(harness.state()).x;
    let down = |share: f32| Pos2::new(x, rect.top() + share * rect.height());
    harness.event(Event::PointerMoved(down(0.05)));
    harness.run_steps(2);
    let bodies = harness.state().state.frame().unwrap().plan.bodies.len();
    let app = harness.state_mut();
    let before = app.frames;
    let mut events = vec![button(down(0.05), PointerButton::Primary, true)];
    events.extend((1..=18).map(|k| Event::PointerMoved(down(0.05 + 0.05 * k as f32))));
    events.push(Event::PointerMoved(Pos2::new(x + 200.0, rect.bottom() - 30.0)));
    events.push(button(down(0.95), PointerButton::Primary, false));
    harness.input_mut().events.extend(events);
    harness.step();
    assert_eq!(harness.state().frames, before + 1);
    harness.run_steps(5);
    assert!(sent(&harness, |c| matches!(c, Command::Cut { edges } if edges.len() > 10)));
    assert_eq!(harness.state().state.frame().unwrap().plan.bodies.len(), bodies + 1);
}

#[test]
fn a_step_that_takes_long_does_not_stop_the_window() {
    let mut app = App::new(Box::new(Thread::start(clocks::held_up).unwrap()));
    app.state.send(Command::Load(Source::Quick("hanging-cloth".into())));
    let show = |ui: &mut egui::Ui, app: &mut App| app.show(ui, None);
    let mut harness = Harness::builder().with_size(SIZE).build_ui_state(show, app);
    let (mut frames, mut last) = (Vec::new(), 0);
    while frames.len() < 4 {
        assert!(frames.iter().sum::<u32>() < 1000, "{frames:?}");
        harness.run_steps(1);
        clocks::drawn();
        let Some(step) = harness.state().state.frame().map(|frame| frame.step) else { continue };
        if step > last {
            frames.push(0);
            last = step;
        }
        frames.iter_mut().last().into_iter().for_each(|count| *count += 1);
    }
    // The last step is not over.
    frames.pop();
    assert!(frames.iter().all(|count| *count >= 3), "frames of the window a step: {frames:?}");
}
