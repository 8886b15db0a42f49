//! The window of a desktop, with the simulation in a thread of its own.

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;
use std::time::Instant;

use eframe::egui;

use crate::app::App;
use crate::command::Command;
use crate::driver::Thread;
use crate::session::Source;

/// Size of the window when it opens (points).
const SIZE: [f32; 2] = [1280.0, 800.0];

/// Why there is no window.
#[derive(Debug)]
pub struct NoWindow {
    why: String,
}

impl fmt::Display for NoWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no window could be opened: {}; `pliant run SCENE` needs neither a display nor a GPU",
            self.why
        )
    }
}

impl Error for NoWindow {}

/// Seconds since the program first asked.
pub fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Opens a window, and returns when it is closed.
///
/// # Errors
/// If there is no display, or nothing that can draw.
pub fn open(source: Source) -> Result<(), NoWindow> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Pliant")
            .with_app_id("pliant")
            .with_inner_size(SIZE)
            .with_min_inner_size([480.0, 320.0])
            .with_drag_and_drop(true),
        renderer: eframe::Renderer::Wgpu,
        ..Default::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |creation| {
        creation.egui_ctx.set_theme(egui::Theme::Light);
        let mut app = App::new(Box::new(Thread::start(clock)?));
        app.state.send(Command::Load(source));
        Ok(Box::new(app))
    });
    eframe::run_native("pliant", options, create)
        .map_err(|error| NoWindow { why: error.to_string() })
}
