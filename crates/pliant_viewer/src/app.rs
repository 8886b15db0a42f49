//! One frame of the window: input, newest state, panels, picture.

mod diagnostics;
mod overlay;
mod pointer;
mod timeline;

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui::{self, Color32, Rect, Ui};
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;
use pliant::raster::Image;

use crate::command::{Animation, Command};
use crate::draw::{Painter, Quality, Size};
use crate::driver::Driver;
use crate::keys;
use crate::loan::Loan;
use crate::panel;
use crate::platform;
use crate::session::{Source, is_mesh};
use crate::state::{Record, State};
use crate::tool;

/// Width of the panels (points).
const PANEL_WIDTH: f32 = 330.0;

/// Most of the window that the panels take.
const PANEL_SHARE: f32 = 0.4;

/// Width of the tools (points).
const TOOLS_WIDTH: f32 = 68.0;

/// Time from frame to frame of the window where the CPU draws (s): it has to simulate too.
const SOFTWARE: f64 = 0.05;

/// How long the window waits for the next frame at most while nothing moves (s).
const IDLE: f64 = 0.25;

/// A picture of the window, and what it is for.
type Taken = (Arc<egui::ColorImage>, Animation);

/// A file that was dropped on the window.
pub(crate) struct Dropped {
    /// Where it is, or its name if it is nowhere.
    pub(crate) name: String,
    /// What is in it; `None` if it can be read from where it is.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Files that were dropped and read; some arrive later.
#[derive(Clone, Default)]
pub(crate) struct Inbox(Arc<Mutex<Vec<Dropped>>>);

impl Inbox {
    /// Adds a file.
    pub(crate) fn put(&self, file: Dropped) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    fn take(&self) -> Vec<Dropped> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The window.
pub struct App {
    /// All that it shows.
    pub state: State,
    painter: Option<Painter>,
    /// The picture, as the window knows it.
    texture: Option<egui::TextureId>,
    /// Pictures that the system has taken of the window, and what they are for.
    taken: Arc<Mutex<Vec<Taken>>>,
    inbox: Inbox,
    /// The GPU that it draws with, if the simulation may use it too.
    loan: Option<Loan>,
    /// What the window is called.
    title: String,
    /// Where the world was drawn last (points).
    viewport: Rect,
    /// Frames of the window that were shown.
    pub frames: u64,
}

impl App {
    /// A window on what `driver` simulates.
    pub fn new(driver: Box<dyn Driver>) -> Self {
        Self::of(State::new(driver))
    }

    /// A window that shows what another has left.
    pub fn of(state: State) -> Self {
        Self {
            state,
            painter: None,
            texture: None,
            taken: Arc::default(),
            inbox: Inbox::default(),
            loan: None,
            title: String::new(),
            viewport: Rect::NOTHING,
            frames: 0,
        }
    }

    /// Lends the simulation the GPU that the window draws with.
    pub fn lend(&mut self, loan: Option<Loan>) {
        self.loan.clone_from(&loan);
        self.state.send(Command::Lend(loan));
    }

    /// Where the world was drawn last (points).
    pub fn viewport(&self) -> Rect {
        self.viewport
    }

    /// Shows everything; `gpu` is missing where nothing can be drawn, as in tests.
    pub fn show(&mut self, ui: &mut Ui, gpu: Option<&RenderState>) {
        self.frames += 1;
        let now = ui.input(|input| input.time);
        self.state.poll(now);
        self.name_window(ui);
        self.take_pictures(ui.ctx().pixels_per_point());
        if !ui.ctx().egui_wants_keyboard_input() {
            let input = ui.input(|input| input.clone());
            keys::handle(&input, &mut self.state);
        }
        if std::mem::take(&mut self.state.turns_full) {
            let is_full = ui.input(|input| input.viewport().fullscreen.unwrap_or(false));
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Fullscreen(!is_full));
        }
        if let Some(text) = self.state.copies.take() {
            self.state.tell(format!("copied: {}", text.lines().next().unwrap_or_default()));
            ui.ctx().copy_text(text);
        }
        self.take_files(ui);
        if self.state.panels {
            self.show_panels(ui);
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.show_world(ui, gpu));
        if self.state.help {
            overlay::help(ui.ctx(), &mut self.state.help);
        }
        self.state.send_wants();
        self.ask_for_pictures(ui);
        self.ask_for_next_frame(ui, gpu);
    }

    /// Calls the window by what it shows.
    fn name_window(&mut self, ui: &Ui) {
        let title = self.state.frame().map(|frame| format!("{} · Pliant", frame.title));
        if let Some(title) = title.filter(|title| *title != self.title) {
            self.title.clone_from(&title);
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Title(title));
        }
    }

    fn show_panels(&mut self, ui: &mut Ui) {
        egui::Panel::bottom("time").show(ui, |ui| timeline::show(ui, &mut self.state));
        egui::Panel::left("tools").exact_size(TOOLS_WIDTH).show(ui, |ui| {
            // A window may be lower than they are high.
            let bar = egui::scroll_area::ScrollBarVisibility::AlwaysHidden;
            let scroll = egui::ScrollArea::vertical().scroll_bar_visibility(bar);
            scroll.show(ui, |ui| tools(ui, &mut self.state));
        });
        // In a small window the world is what there must be room for.
        let most = (PANEL_SHARE * ui.ctx().content_rect().width()).clamp(180.0, 600.0);
        egui::Panel::right("panels")
            .default_size(PANEL_WIDTH.min(most))
            .size_range(180.0..=most)
            .show(ui, |ui| panel::show_all(ui, &mut self.state));
    }

    fn show_world(&mut self, ui: &mut Ui, gpu: Option<&RenderState>) {
        let rect = ui.available_rect_before_wrap();
        self.viewport = rect;
        let response = ui.allocate_rect(rect, egui::Sense::click_and_drag());
        let moment = self.state.moment();
        if let Some(mut moment) = moment.map(|moment| moment.seen_by(self.loan.as_ref())) {
            pointer::handle(ui, &response, &mut self.state, &moment);
            moment.selected = Arc::clone(self.state.selection.particles());
            let drawing = self.state.look.draw(&moment);
            if let Some(texture) = gpu.and_then(|gpu| self.draw(gpu, &drawing, ui)) {
                let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(texture, rect, whole, Color32::WHITE);
            }
        }
        overlay::show(ui, rect, &self.state);
        if self.state.diagnostics {
            diagnostics::show(ui, rect, &self.state);
        }
    }

    /// Draws the world into a texture.
    fn draw(
        &mut self,
        gpu: &RenderState,
        drawing: &crate::drawing::Drawing,
        ui: &Ui,
    ) -> Option<egui::TextureId> {
        let scale = ui.ctx().pixels_per_point();
        let most = gpu.device.limits().max_texture_dimension_2d as f32;
        let side = |points: f32| (points * scale).round().clamp(1.0, most) as u32;
        let (width, height) = (side(self.viewport.width()), side(self.viewport.height()));
        let size = Size { width, height, pixels_per_point: scale };
        let quality = Quality::of(gpu.adapter.get_info().device_type);
        let painter = self.painter.get_or_insert_with(|| Painter::new(&gpu.device, quality));
        let place = (&gpu.device, &gpu.queue);
        let (picture, is_new) = painter.paint(place, drawing, &self.state.camera, size);
        if is_new || self.texture.is_none() {
            let view = picture.create_view(&wgpu::TextureViewDescriptor::default());
            let mut renderer = gpu.renderer.write();
            let filter = wgpu::FilterMode::Linear;
            match self.texture {
                Some(id) => {
                    renderer.update_egui_texture_from_wgpu_texture(&gpu.device, &view, filter, id);
                }
                None => {
                    let id = renderer.register_native_texture(&gpu.device, &view, filter);
                    self.texture = Some(id);
                }
            }
        }
        self.texture
    }

    /// Files that were dropped on the window.
    fn take_files(&mut self, ui: &Ui) {
        for file in ui.input(|input| input.raw.dropped_files.clone()) {
            platform::take(&file, &self.inbox);
        }
        for Dropped { name, bytes } in self.inbox.take() {
            if is_mesh(&name) {
                self.state.send(Command::Drop { name, bytes });
            } else {
                self.state.open(Source::of_file(name, bytes));
            }
        }
    }

    /// Asks the system for pictures of the window, if some are wanted.
    fn ask_for_pictures(&mut self, ui: &Ui) {
        let record = &mut self.state.record;
        let mut wanted = Vec::new();
        if std::mem::take(&mut record.picture) {
            wanted.push(Animation::No);
        }
        if record.ending {
            (record.ending, record.animation) = (false, false);
            wanted.push(Animation::Last(record.reel(self.state.now)));
        } else if record.animation && self.state.now >= record.next {
            record.next = self.state.now + 1.0 / Record::FPS;
            wanted.push(Animation::Frame(record.reel(self.state.now)));
        }
        for animation in wanted {
            let (taken, ctx) = (Arc::clone(&self.taken), ui.ctx().clone());
            ui.ctx().request_screenshot(move |image| {
                // What it guards is whole at any time, even if somebody panicked.
                taken.lock().unwrap_or_else(PoisonError::into_inner).push((image, animation));
                ctx.request_repaint();
            });
        }
    }

    /// Sends the pictures that have come to be written.
    fn take_pictures(&mut self, scale: f32) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let pictures: Vec<_> = taken.drain(..).collect();
        drop(taken);
        for (image, animation) in pictures {
            let image = cut_out(&image, self.viewport, scale);
            self.state.send(Command::Picture { image, animation });
        }
    }

    fn ask_for_next_frame(&self, ui: &Ui, gpu: Option<&RenderState>) {
        let running = self.state.frame().is_none_or(|frame| frame.running);
        let moves = running || self.state.stroke.is_some() || self.state.is_busy();
        let by_cpu =
            gpu.is_some_and(|gpu| gpu.adapter.get_info().device_type == wgpu::DeviceType::Cpu);
        let wait = match (moves, by_cpu) {
            (true, false) => 0.0,
            (true, true) => SOFTWARE,
            (false, _) => IDLE,
        };
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(wait));
    }
}

/// The tools, one above the other.
fn tools(ui: &mut Ui, state: &mut State) {
    ui.add_space(6.0);
    for (index, tool) in tool::ALL.iter().enumerate() {
        let button = egui::Button::selectable(state.tool == index, tool.name)
            .wrap_mode(egui::TextWrapMode::Extend);
        let response = ui.add_sized([52.0, 28.0], button);
        let about = format!("{} ({})", tool.about, tool.shown());
        if response.on_hover_text(about).clicked() {
            state.cancel();
            state.tool = index;
        }
    }
    ui.separator();
    for shortcut in keys::ALL.iter().filter(|key| ["B", "J", "F1, ?"].contains(&key.shown)) {
        let label = match shortcut.shown {
            "B" => "Throw",
            "J" => "Gust",
            _ => "Keys",
        };
        let button = egui::Button::new(label).wrap_mode(egui::TextWrapMode::Extend);
        let button = ui.add_sized([52.0, 24.0], button);
        let about = format!("{} ({})", shortcut.about, shortcut.shown);
        if button.on_hover_text(about).clicked() {
            (shortcut.act)(state);
        }
    }
}

/// The part of a picture of the window that shows the world; `scale` is in pixels per point.
fn cut_out(image: &egui::ColorImage, rect: Rect, scale: f32) -> Image {
    let [columns, rows] = image.size;
    let edge = |points: f32, most: usize| ((points * scale).round().max(0.0) as usize).min(most);
    let [left, right] = [rect.left(), rect.right()].map(|x| edge(x, columns));
    let [top, bottom] = [rect.top(), rect.bottom()].map(|y| edge(y, rows));
    let rgb = (top..bottom).flat_map(|row| {
        let line = &image.pixels[row * columns..][left.min(right)..right];
        line.iter().map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
    });
    let rgb: Vec<[u8; 3]> = rgb.collect();
    let width = right.saturating_sub(left) as u32;
    Image { width, height: bottom.saturating_sub(top) as u32, rgb }
}
