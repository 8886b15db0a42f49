//! `include`: scenes that are put together from several files of one folder.

use std::path::Path;

use super::error::{SceneError, SceneErrors};
use super::node::{self, Node};
use crate::mesh::Cause;

/// How deep files may include files.
const DEEPEST: usize = 8;
/// How many files one scene may include.
const MOST: usize = 64;
/// Most bytes of a scene file.
pub(super) const LARGEST: usize = 16 << 20;

/// Reads a file of the scene's folder, by the name that the scene gives.
pub(super) type Files<'a> = dyn Fn(&str) -> Result<Vec<u8>, Cause> + 'a;

/// Reads includes.
pub(super) struct Includer<'a> {
    pub(super) files: &'a Files<'a>,
    /// The files that are being read, each included by the one before.
    pub(super) open: Vec<String>,
    pub(super) count: usize,
}

impl Includer<'_> {
    /// The scene with all that it includes below it: what is nearer to the scene wins.
    pub(super) fn resolve(&mut self, mut scene: Node) -> Result<Node, SceneErrors> {
        let Some(include) = scene.get("include").cloned() else { return Ok(scene) };
        let mut base: Option<Node> = None;
        for item in include.items() {
            let included = self.read(item)?;
            match &mut base {
                Some(base) => base.merge(included),
                None => base = Some(included),
            }
        }
        if include.items().is_empty() {
            let message = "include is a list of files, such as [\"fabrics.toml\"]";
            return Err(include.error(message).into());
        }
        if let node::Value::Table(entries) = &mut scene.value {
            entries.retain(|entry| entry.key != "include");
        }
        Ok(match base {
            Some(mut base) => {
                // Errors about the scene as a whole are about the file that was asked for.
                let place = scene.place.clone();
                base.merge(scene);
                Node { place, ..base }
            }
            None => scene,
        })
    }

    fn read(&mut self, item: &Node) -> Result<Node, SceneErrors> {
        let wrong = |message: String| SceneErrors::from(item.error(message));
        let name = item.text().ok_or_else(|| wrong("include is a list of file names".into()))?;
        if self.open.iter().any(|open| open == name) {
            let circle = self.open.join(" includes ");
            return Err(wrong(format!("includes in a circle: {circle} includes {name}")));
        }
        self.count += 1;
        if self.open.len() > DEEPEST || self.count > MOST {
            let message = format!("more than {DEEPEST} levels or {MOST} files of includes");
            return Err(wrong(message));
        }
        if Path::new(name).extension().is_none_or(|ending| ending != "toml") {
            return Err(wrong(format!("{name:?} is no scene; the name must end in .toml")));
        }
        let bytes = (self.files)(name).map_err(|cause| wrong(cause.to_string()))?;
        let text = text(&bytes).map_err(|message| wrong(format!("{name}: {message}")))?;
        self.open.push(name.to_owned());
        let included = self.resolve(node::parse(name, text)?);
        self.open.pop();
        included
    }
}

/// The bytes of a file as text.
pub(super) fn text(bytes: &[u8]) -> Result<&str, String> {
    if bytes.len() > LARGEST {
        return Err(format!("{} bytes; a scene has at most {LARGEST}", bytes.len()));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        format!("byte {} is not UTF-8; save the file as UTF-8", error.valid_up_to())
    })
}

/// No files: for scenes that are not in a folder.
pub(super) fn none(name: &str) -> Result<Vec<u8>, Cause> {
    let reason = "is a file, and this scene is in no folder; save the scene beside it".to_owned();
    Err(Cause::Neighbour { name: name.chars().take(100).collect(), reason })
}

/// An error about a file as a whole.
pub(super) fn whole(name: &str, message: String) -> SceneErrors {
    let text = std::sync::Arc::new(super::error::Text { name: name.into(), text: String::new() });
    let place = super::error::Place { text, bytes: 0..0 };
    SceneErrors(vec![SceneError { place, message }])
}
