//! The library of scenes, with a search.

use std::sync::OnceLock;

use eframe::egui::{self, Ui};
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

/// Height of the list (points).
const HEIGHT: f32 = 170.0;

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
    ui.add(
        egui::TextEdit::singleline(&mut state.search)
            .hint_text("search")
            .desired_width(f32::INFINITY),
    )
    .on_hover_text("a word of the name or of what is to be seen");
    let words: Vec<String> =
        state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let found = entries().iter().filter(|entry| {
        let text = format!("{} {} {}", entry.name, entry.title, entry.shows).to_lowercase();
        words.iter().all(|word| text.contains(word))
    });
    let mut chosen = None;
    egui::ScrollArea::vertical().id_salt("scenes").max_height(HEIGHT).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for entry in found {
            let label = ui.selectable_label(entry.title == present, &entry.title);
            if label.on_hover_text(&entry.shows).clicked() {
                chosen = Some(entry.name);
            }
        }
    });
    if let Some(name) = chosen {
        state.open(Source::Named(name.into()));
    }
}
