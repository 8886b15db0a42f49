//! Every key of a scene by its path, with what is to be known of it.

use super::error::did_you_mean;
use super::keys::{Key, Table};
use super::schema::describe;

/// A key, where it stands, and what is to be known of it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Where it stands, such as `body.cloth.size` or `solver.substeps`.
    pub path: String,
    /// The key itself.
    pub key: Key,
    /// Meaning, form and default in a sentence.
    pub text: String,
}

/// Every key of a scene, in the order of the file.
pub fn keys() -> Vec<Explained> {
    let mut list = Vec::new();
    walk("", &super::ROOT, &mut list);
    list
}

/// The keys that a word means: its path, the end of its path, or its name.
///
/// # Errors
/// If there is none: the nearest that there is.
pub fn explain(word: &str) -> Result<Vec<Explained>, String> {
    let end = format!(".{word}");
    let all = keys();
    let found: Vec<Explained> =
        all.iter().filter(|e| e.path == word || e.path.ends_with(&end)).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = all.iter().flat_map(|e| [e.key.name, e.path.as_str()]);
    Err(format!("no key of a scene is called {word:?}{}", did_you_mean(word, names)))
}

fn walk(path: &str, table: &Table, list: &mut Vec<Explained>) {
    let mut add = |path: &str, keys: Vec<Key>| {
        for key in keys {
            let path =
                if path.is_empty() { key.name.into() } else { format!("{path}.{}", key.name) };
            list.push(Explained { path: path.clone(), key, text: describe(&key) });
            if let Some(inner) = key.form.table() {
                walk(&path, inner, list);
            }
        }
    };
    add(path, table.common());
    for kind in table.variants() {
        add(&format!("{path}.{}", kind.name), kind.common());
    }
}
