//! The library of scenes, with pictures and a search.

use std::sync::OnceLock;

use eframe::egui::text::LayoutJob;
use eframe::egui::{
    self, Color32, FontId, Pos2, Rect, Response, Role, Sense, TextureHandle, TextureId, Ui, Vec2,
    WidgetInfo,
};
use pliant_io::scene::{Scene, library};

use super::Panel;
use crate::session::Source;
use crate::state::State;

pub(super) const PANEL: Panel = Panel {
    name: "Scenes",
    about: "the scenes that come with the program; drop a file on the window to open your own",
    open: true,
    show,
};

/// Height of the list, and size of a picture in it (points).
const HEIGHT: f32 = 232.0;
const PICTURE: Vec2 = Vec2::new(80.0, 50.0);

/// Scenes that are seen in full while nothing is scrolled.
const WHOLE: usize = 4;

/// A scene of the library.
struct Entry {
    name: &'static str,
    title: String,
    shows: String,
}

/// All scenes with their titles, read once.
fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let read = |entry: &library::Entry| {
            let scene = Scene::parse(entry.name, entry.text).ok()?;
            Some(Entry { name: entry.name, title: scene.title(), shows: scene.shows() })
        };
        library::ALL.iter().filter_map(read).collect()
    })
}

fn show(ui: &mut Ui, state: &mut State) {
    let present = state.frame().map(|frame| frame.title.clone()).unwrap_or_default();
    let search = ui.add(
        egui::TextEdit::singleline(&mut state.search)
            .hint_text("search")
            .desired_width(f32::INFINITY),
    );
    if std::mem::take(&mut state.finds) {
        search.request_focus();
    }
    search.on_hover_text("a word of the name or of what is to be seen (Ctrl+O)");
    let words: Vec<String> =
        state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let found = entries().iter().filter(|entry| {
        let text = format!("{} {} {}", entry.name, entry.title, entry.shows).to_lowercase();
        words.iter().all(|word| text.contains(word))
    });
    let found: Vec<&Entry> = found.collect();
    let mut chosen = None;
    let mut scroll = egui::ScrollArea::vertical().id_salt("scenes").max_height(HEIGHT);
    if state.listed != present {
        // Another scene is shown: the list shows it too, with those around it.
        let row = found.iter().position(|entry| entry.title == present);
        let below = PICTURE.y + ui.spacing().item_spacing.y;
        if let Some(row) = row.filter(|row| *row >= WHOLE || !state.listed.is_empty()) {
            scroll = scroll.vertical_scroll_offset(below * row.saturating_sub(1) as f32);
        }
        state.listed = present.clone();
    }
    // Rows that are scrolled away cost nothing, and neither do their pictures.
    scroll.show_rows(ui, PICTURE.y, found.len(), |ui, rows| {
        ui.set_width(ui.available_width());
        for entry in &found[rows] {
            let picture = state.gallery.picture(ui.ctx(), entry.name).map(TextureHandle::id);
            let row = row(ui, entry, (picture, entry.title == present));
            if row.on_hover_text(&entry.shows).clicked() {
                chosen = Some(entry.name);
            }
        }
    });
    if let Some(name) = chosen {
        state.open(Source::Named(name.into()));
    }
}

/// A scene of the list: its picture, what it is called, and the beginning of what it shows.
fn row(ui: &mut Ui, entry: &Entry, (picture, present): (Option<TextureId>, bool)) -> Response {
    let size = Vec2::new(ui.available_width(), PICTURE.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let info = || WidgetInfo::selected(Role::Button, true, present, &entry.title);
    response.widget_info(info);
    let visuals = ui.style().interact_selectable(&response, present);
    let painter = ui.painter_at(rect);
    if present || response.hovered() {
        painter.rect_filled(rect, 4.0, visuals.weak_bg_fill);
    }
    if let Some(picture) = picture {
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        let at = Rect::from_min_size(rect.min, PICTURE).shrink(2.0);
        painter.image(picture, at, whole, Color32::WHITE);
    }
    let left = rect.min.x + PICTURE.x + 6.0;
    let width = rect.max.x - left - 4.0;
    let layout = |text: &str, size: f32, rows: usize, color: Color32| {
        let mut job = LayoutJob::simple(text.into(), FontId::proportional(size), color, width);
        job.wrap.max_rows = rows;
        painter.layout_job(job)
    };
    let title = layout(&entry.title, 13.5, 1, visuals.text_color());
    let shows = layout(&entry.shows, 10.5, 2, ui.visuals().weak_text_color());
    let top = rect.center().y - (title.size().y + shows.size().y) / 2.0;
    let below = top + title.size().y;
    painter.galley(Pos2::new(left, top), title, visuals.text_color());
    painter.galley(Pos2::new(left, below), shows, visuals.text_color());
    response
}
