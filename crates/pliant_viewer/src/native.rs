//! The window of a desktop, with the simulation in a thread of its own.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use eframe::{egui, wgpu};

use crate::app::{App, Dropped, Inbox};
use crate::command::Command;
use crate::driver::Thread;
use crate::loan::Loan;
use crate::session::Source;
use crate::state::State;

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

/// What is told if a file cannot be written.
pub(crate) const NO_FILES: &str = "start the program where files may be written";

/// Takes a file that was dropped on the window; whoever wants it reads it.
pub(crate) fn take(file: &egui::DroppedFileHandle, inbox: &Inbox) {
    inbox.put(Dropped { name: file.path().display().to_string(), bytes: None });
}

/// How often a window is opened again whose GPU was lost.
const MOST_LOSSES: usize = 5;

/// A variable with the time after which the window gives its GPU away (s), once: nobody can pull one
/// out for `cargo xtask viewer`.
const LOSE_GPU: &str = "PLIANT_LOSE_GPU_AFTER";

/// Opens a window, and returns when it is closed. If its GPU is lost it is opened again, and the
/// simulation goes on meanwhile.
///
/// # Errors
/// If there is no display, nothing that can draw, or nothing that draws for long.
pub fn open(source: Source) -> Result<(), NoWindow> {
    let driver = Thread::start(clock).map_err(|error| NoWindow { why: error.to_string() })?;
    let mut state = State::new(Box::new(driver));
    state.send(Command::Load(source));
    let lose_at = std::env::var(LOSE_GPU).ok().and_then(|text| text.parse().ok());
    let mut left = Left { state: Some(state), lost: None, lose_at };
    for _ in 0..=MOST_LOSSES {
        let slot = Rc::new(RefCell::new(left));
        show(&slot)?;
        left = slot.take();
        let (Some(why), Some(state)) = (&left.lost, &mut left.state) else { return Ok(()) };
        state.reopened(format!("the GPU was lost ({why}); this is a new window on the same world"));
    }
    let why = format!("the GPU was lost {MOST_LOSSES} times; its driver may need an update");
    Err(NoWindow { why })
}

/// What a window leaves behind when it closes.
#[derive(Default)]
struct Left {
    state: Option<State>,
    /// Why its GPU was lost, if that is why it closed.
    lost: Option<String>,
    /// When it gives its GPU away (s).
    lose_at: Option<f64>,
}

/// Shows a window until it closes, by itself or by somebody.
fn show(slot: &Rc<RefCell<Left>>) -> Result<(), NoWindow> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Pliant")
            .with_app_id("pliant")
            .with_inner_size(SIZE)
            .with_min_inner_size([480.0, 320.0])
            .with_drag_and_drop(true),
        renderer: eframe::Renderer::Wgpu,
        wgpu_options: wgpu_options(),
        ..Default::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |creation| {
        creation.egui_ctx.set_theme(egui::Theme::Light);
        let left = slot.take();
        let state = left.state.ok_or("no window is left")?;
        let loan = creation.wgpu_render_state.as_ref().and_then(Loan::of);
        let lost = Loss { lent: loan.clone(), ..Loss::default() };
        if let Some(gpu) = &creation.wgpu_render_state {
            lost.watch(&gpu.device);
        }
        let mut app = App::of(state);
        app.lend(loan);
        let lose_at = left.lose_at;
        Ok(Box::new(Window { app: Some(app), lost, lose_at, slot: Rc::clone(slot) }))
    });
    eframe::run_native("pliant", options, create)
        .map_err(|error| NoWindow { why: error.to_string() })
}

/// How a GPU is asked for: with buffers as large as it has them, for the simulation.
fn wgpu_options() -> eframe::egui_wgpu::WgpuConfiguration {
    let mut options = eframe::egui_wgpu::WgpuConfiguration::default();
    #[cfg(feature = "gpu")]
    if let eframe::egui_wgpu::WgpuSetup::CreateNew(setup) = &mut options.wgpu_setup {
        let plain = Arc::clone(&setup.device_descriptor);
        setup.device_descriptor = Arc::new(move |adapter| {
            let mut asked = plain(adapter);
            // OpenGL is for drawing alone.
            if adapter.get_info().backend != wgpu::Backend::Gl {
                let wide = asked.required_limits.max_texture_dimension_2d;
                asked.required_limits = wgpu::Limits {
                    max_texture_dimension_2d: wide,
                    ..pliant_gpu::Gpu::limits(adapter, &pliant_gpu::Choice::default())
                };
            }
            asked
        });
    }
    options
}

/// Why a GPU was lost, if it was.
#[derive(Clone, Default)]
struct Loss {
    why: Arc<Mutex<Option<String>>>,
    /// Who must hear of it too: a device tells one alone.
    lent: Option<Loan>,
}

impl Loss {
    /// Notes what happens to a device. Without this, an error of the driver would end the program.
    fn watch(&self, device: &wgpu::Device) {
        let loss = self.clone();
        device.set_device_lost_callback(move |reason, text| {
            loss.note(if text.is_empty() { format!("{reason:?}") } else { text });
        });
        let loss = self.clone();
        device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| loss.note(error.to_string())));
    }

    fn note(&self, why: String) {
        if let Some(loan) = &self.lent {
            loan.report_lost(&why);
        }
        // What it guards is whole at any time, even if somebody panicked.
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    fn why(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A window that can be lost.
struct Window {
    app: Option<App>,
    lost: Loss,
    lose_at: Option<f64>,
    slot: Rc<RefCell<Left>>,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let gpu = frame.wgpu_render_state().cloned();
        let now = ui.input(|input| input.time);
        if let (Some(gpu), Some(_)) = (&gpu, self.lose_at.take_if(|at| now > *at)) {
            gpu.device.destroy();
            // The driver tells of it when all is done that was asked for, which may be after this frame.
            self.lost.note("it was given away".into());
        }
        if let Some(gpu) = &gpu {
            // Says what is known of the device, to `self.lost` among others.
            let _ = gpu.device.poll(wgpu::PollType::Poll);
        }
        let why = self.lost.why();
        if why.is_some() {
            self.slot.borrow_mut().lost = why;
            // Nothing may be drawn in this frame: egui expects that a buffer can be had.
            return ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        if let Some(app) = &mut self.app {
            app.show(ui, gpu.as_ref());
        }
    }

    fn on_exit(&mut self) {
        let mut left = self.slot.borrow_mut();
        left.state = self.app.take().map(|app| app.state);
        left.lose_at = self.lose_at;
    }
}
