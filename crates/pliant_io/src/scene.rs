//! Scenes as text: TOML becomes a world, and what happens to it.
//!
//! ```
//! let text = r#"
//!     format = 1
//!     [[body]]
//!     kind = "cloth"
//!     size = ["40 cm", "40 cm"]
//!     material = "cotton"
//!     pin = [{ corner = ["-x", "-z"] }, { corner = ["+x", "-z"] }]
//!     [[check]]
//!     what = "lowest point"
//!     max = -0.3
//! "#;
//! let mut play = pliant_io::scene::Scene::parse("cloth.toml", text)?.build()?;
//! while play.frame() < play.frames() {
//!     play.advance()?;
//! }
//! assert!(play.check().iter().all(|check| check.holds));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every key is described once, in tables that start at [`ROOT`]; reading, errors, the JSON schema
//! and `pliant explain` follow them. Numbers are SI or have units; what is wrong is shown with its
//! file, line and text. Files that a scene names are opened in its own folder and nowhere else.

mod body;
mod build;
mod cast;
mod collider;
mod error;
mod event;
mod explain;
mod fields;
mod include;
pub mod keys;
pub mod library;
mod material;
mod node;
mod overrides;
mod play;
mod quantity;
mod random;
mod schema;
mod select;
mod settings;
mod source;
mod strength;
mod tie;
mod tune;
pub mod units;
mod view;
mod wind;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use build::Costume;
pub use error::{Place, SceneError, SceneErrors, Text, did_you_mean};
pub use explain::{Explained, explain, keys as all_keys};
pub use play::{Checked, Play};
pub use quantity::quantities;
pub use schema::schema;
pub use tune::{Knob, Substance};

use crate::mesh::{Cause, neighbours};
use fields::Fields;
use include::Includer;
use keys::{Form, Key, Table, Without};
use material::Materials;
use node::Node;

/// The version of the format that is read.
pub const FORMAT: u32 = 1;

/// A scene as a table: where every key is found.
pub static ROOT: Table = Table {
    name: "the scene",
    meaning: "a scene",
    keys: &[&[
        Key {
            name: "format",
            form: Form::Whole(1, FORMAT),
            without: Without::Refused,
            meaning: "the version of the format in which the scene is written",
        },
        text("name", "the name of the file", "what the scene is called"),
        text("shows", "nothing is said", "one sentence: what to look at"),
        Key {
            name: "time",
            form: Form::Number(units::TIME, 0.0, 1e6),
            without: Without::Is("4"),
            meaning: "how long it takes",
        },
        Key {
            name: "fps",
            form: Form::Number(units::FREQUENCY, 1.0, 1e4),
            without: Without::Is("60"),
            meaning: "frames per second; a frame is a step of the engine",
        },
        Key {
            name: "seed",
            form: Form::Whole(0, u32::MAX),
            without: Without::Is("1"),
            meaning: "what chance begins with",
        },
        Key {
            name: "include",
            form: Form::Texts,
            without: Without::Else("nothing"),
            meaning: "files of the same folder whose tables are taken over; this file wins",
        },
        Key {
            name: "quick",
            form: Form::Overrides,
            without: Without::Else("`--quick` changes nothing"),
            meaning: "a coarser version for a first look and for tests (`pliant run --quick`)",
        },
        table("world", &settings::WORLD),
        table("solver", &settings::SOLVER),
        table("wind", &wind::TABLE),
        Key {
            name: "material",
            form: Form::Named(&material::TABLE),
            without: Without::Else("presets only"),
            meaning: "materials by name",
        },
        tables("body", &body::TABLE),
        tables("collider", &collider::TABLE),
        tables("tie", &tie::TABLE),
        tables("event", &event::TABLE),
        tables("probe", &quantity::PROBE),
        tables("check", &quantity::CHECK),
        table("view", &view::TABLE),
    ]],
    settings: None,
    kinds: None,
};

const fn text(name: &'static str, without: &'static str, meaning: &'static str) -> Key {
    Key { name, form: Form::Text, without: Without::Else(without), meaning }
}

const fn table(name: &'static str, table: &'static Table) -> Key {
    let without = Without::Else("its defaults");
    Key { name, form: Form::Table(table), without, meaning: table.meaning }
}

const fn tables(name: &'static str, table: &'static Table) -> Key {
    let without = Without::Else("none");
    Key { name, form: Form::Tables(table), without, meaning: table.meaning }
}

/// What parts of a scene need to know of the others while they are read.
pub(crate) struct Context<'a> {
    materials: &'a Materials,
    files: &'a include::Files<'a>,
    /// What chance begins with.
    seed: u64,
}

/// A scene that has been read and checked against the keys that there are.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name under which it was found.
    pub name: String,
    root: Node,
    /// Where files that it names are; `None` if it is in no folder.
    folder: Option<PathBuf>,
    /// What was read from there.
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Scene {
    /// Reads a scene of the library by name, or a file.
    ///
    /// # Errors
    /// If there is neither, or something is wrong with it.
    pub fn open(name: &str) -> Result<Self, SceneErrors> {
        if let Some(entry) = library::find(name) {
            return Self::parse(entry.name, entry.text);
        }
        let path = Path::new(name);
        if path.extension().is_none() && !path.exists() {
            let near = error::did_you_mean(name, library::ALL.iter().map(|entry| entry.name));
            let message = format!(
                "no scene and no file has this name{near} (`pliant scenes` lists \
                                   scenes; files end in .toml)"
            );
            return Err(include::whole(name, message));
        }
        Self::load(path)
    }

    /// Reads a scene from a file.
    ///
    /// # Errors
    /// If the file cannot be read, or something is wrong with the scene.
    pub fn load(path: &Path) -> Result<Self, SceneErrors> {
        let name = path.display().to_string();
        let bytes = crate::mesh::contents(path);
        let bytes = bytes.map_err(|cause| include::whole(&name, cause.to_string()))?;
        let text = include::text(&bytes).map_err(|message| include::whole(&name, message))?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::new(&name, text, Some(folder))
    }

    /// Reads a scene from a text, which is in no folder.
    ///
    /// # Errors
    /// If something is wrong with it.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneErrors> {
        Self::new(name, text, None)
    }

    fn new(name: &str, text: &str, folder: Option<PathBuf>) -> Result<Self, SceneErrors> {
        if text.len() > include::LARGEST {
            let message = format!("{} bytes; a scene has at most {}", text.len(), include::LARGEST);
            return Err(include::whole(name, message));
        }
        let root = node::parse(name, text)?;
        let mut scene = Self { name: name.into(), root, folder, read: RefCell::default() };
        let file = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let root = scene.root.clone();
        let files = |name: &str| scene.file(name);
        let mut includer = Includer { files: &files, open: vec![file.into_owned()], count: 0 };
        let resolved = includer.resolve(root)?;
        scene.root = resolved;
        // Includes are in the scene now; what they were read from is not needed again.
        scene.read.borrow_mut().clear();
        scene.check()?;
        Ok(scene)
    }

    /// Reads a file of the scene's folder.
    fn file(&self, name: &str) -> Result<Vec<u8>, Cause> {
        let Some(folder) = &self.folder else { return include::none(name) };
        let bytes = neighbours::read(folder, name)?;
        self.read.borrow_mut().insert(name.into(), bytes.clone());
        Ok(bytes)
    }

    /// Meshes and other files that were read while the scene was built, by the names that it gives.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.read.borrow().iter().map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    }

    /// Checks every key and value.
    fn check(&self) -> Result<(), SceneErrors> {
        version(&self.root)?;
        let mut errors = Vec::new();
        keys::check(&self.root, &ROOT, &mut errors);
        if errors.is_empty() { Ok(()) } else { Err(SceneErrors(errors)) }
    }

    fn fields(&self) -> Fields<'_> {
        Fields::new(&self.root, &ROOT)
    }

    /// What it is called.
    pub fn title(&self) -> String {
        self.fields().text("name").unwrap_or_else(|| self.name.clone())
    }

    /// One sentence: what to look at.
    pub fn shows(&self) -> String {
        self.fields().text("shows").unwrap_or_default()
    }

    /// How long it takes (s).
    pub fn seconds(&self) -> f64 {
        self.fields().precise("time")
    }

    /// How many `[[body]]` tables there are.
    pub fn bodies(&self) -> usize {
        self.root.get("body").map_or(0, |bodies| bodies.items().len())
    }

    /// Changes a key, as `--set` does: `set("body.cloth.cell", "5 mm")`.
    ///
    /// # Errors
    /// If there is no such key, or it does not take that value; the scene is as it was then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SceneErrors> {
        let before = self.root.clone();
        let changed = overrides::set(&mut self.root, key, value).map_err(SceneErrors::from);
        changed.and_then(|()| self.check()).inspect_err(|_| self.root = before)
    }

    /// Makes it coarser, as its table `quick` says.
    ///
    /// # Errors
    /// If that table names a key that there is not, or gives it a value that it does not take; the
    /// scene is as it was then.
    pub fn quicken(&mut self) -> Result<(), SceneErrors> {
        let before = self.root.clone();
        self.coarser().inspect_err(|_| self.root = before)
    }

    fn coarser(&mut self) -> Result<(), SceneErrors> {
        let quick = self.root.get("quick").cloned();
        for entry in quick.iter().flat_map(|quick| quick.entries()) {
            let place = &entry.place;
            overrides::put(&mut self.root, &entry.key, entry.node.clone(), place)?;
        }
        self.check()
    }

    /// The whole scene with its includes and every default, as TOML.
    pub fn resolved(&self) -> String {
        let mut filled = overrides::filled(&self.root, &ROOT);
        if let node::Value::Table(entries) = &mut filled.value {
            // What it says has been done, or was not wanted.
            entries.retain(|entry| entry.key != "quick");
        }
        toml::to_string(&filled.to_toml()).unwrap_or_default()
    }
}

/// Refuses scenes of a newer format, before anything else seems to be wrong with them.
fn version(root: &Node) -> Result<(), SceneErrors> {
    match root.get("format") {
        Some(node) => match node.value {
            node::Value::Whole(found) if found > i64::from(FORMAT) => Err(node
                .error(format!(
                    "format {found} is newer than {FORMAT}, which this program reads; \
                                update pliant"
                ))
                .into()),
            _ => Ok(()),
        },
        None => Ok(()),
    }
}
