//! The window in a web page, with the simulation in time slices between its frames.
//!
//! A page calls [`open`] with a canvas of its own. There are no threads, no folders, and nobody waits:
//! meshes and scenes come by dropping them on the page, and what would be written is refused.

use std::sync::Arc;

use eframe::egui;
use eframe::wasm_bindgen::JsValue;
use eframe::web_sys::{self, HtmlCanvasElement};

use crate::app::{App, Dropped, Inbox};
use crate::command::Command;
use crate::driver::Slices;
use crate::session::{Session, Source};
use crate::state::State;

/// What is told if a file cannot be written.
pub(crate) const NO_FILES: &str =
    "a web page has no folder; the program of the desktop writes files";

/// Seconds since the page was opened.
pub fn clock() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.now() / 1000.0)
}

/// Shows a world on a canvas, until the page is closed.
///
/// # Errors
/// If the browser can draw with neither WebGPU nor WebGL.
pub async fn open(canvas: HtmlCanvasElement, source: Source) -> Result<(), JsValue> {
    let create: eframe::AppCreator<'static> = Box::new(move |creation| {
        creation.egui_ctx.set_theme(egui::Theme::Light);
        let driver = Slices::new(Session::new(clock).on_threads(1), clock);
        let mut state = State::new(Box::new(driver));
        state.send(Command::Load(source));
        Ok(Box::new(Page { app: App::of(state) }))
    });
    eframe::WebRunner::new().start(canvas, eframe::WebOptions::default(), create).await
}

/// Takes a file that was dropped on the page; what is in it comes later.
pub(crate) fn take(file: &egui::DroppedFileHandle, inbox: &Inbox) {
    let (file, inbox) = (Arc::clone(file), inbox.clone());
    wasm_bindgen_futures::spawn_local(async move {
        let name = file.path().display().to_string();
        // What the browser does not read is an empty file, which is told as such.
        let bytes = file.bytes_async().await.unwrap_or_default();
        inbox.put(Dropped { name, bytes: Some(bytes) });
    });
}

struct Page {
    app: App,
}

impl eframe::App for Page {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.app.show(ui, frame.wgpu_render_state());
    }
}
