//! Changes to a scene by the path of a key, and the defaults of all keys.

use super::error::{Place, SceneError, did_you_mean};
use super::keys::{Form, Table};
use super::node::{self, Entry, Node, Value};
use super::settings;

/// Sets the key at a path such as `body.cloth.cell` to a value as a person writes it.
pub(super) fn set(root: &mut Node, path: &str, value: &str) -> Result<(), SceneError> {
    let written = format!("{path} = {value}");
    let read = |text: &str| {
        let document = node::parse("--set", text).ok()?;
        // The path is in the text for people; the value is what was read last.
        let mut node = &document;
        for _ in path.split('.') {
            node = node.entries().first().map(|entry| &entry.node)?;
        }
        Some(node.clone())
    };
    // `2 cm` is a text, and `0,-1,0` a list, for those who do not know TOML.
    let quoted = format!("{path} = {value:?}");
    let listed = if value.contains(',') { format!("{path} = [{value}]") } else { quoted.clone() };
    let node = read(&written).or_else(|| read(&listed)).or_else(|| read(&quoted));
    let text = std::sync::Arc::new(super::error::Text { name: "--set".into(), text: written });
    let place = Place { bytes: 0..text.text.len(), text };
    let wrong = || SceneError { place: place.clone(), message: "is not KEY=VALUE".into() };
    put(root, path, node.ok_or_else(wrong)?, &place)
}

/// Puts a value at a path.
pub(super) fn put(
    root: &mut Node,
    path: &str,
    node: Node,
    place: &Place,
) -> Result<(), SceneError> {
    let steps: Vec<&str> = path.split('.').map(str::trim).collect();
    // A setting alone belongs to the table that has it.
    let steps = match steps[..] {
        [name] if super::ROOT.common().iter().all(|key| key.name != name) => {
            let has = |table: &Table| table.common().iter().any(|key| key.name == name);
            let table = if has(&settings::WORLD) { "world" } else { "solver" };
            vec![table, name]
        }
        _ => steps,
    };
    let Some((last, folders)) = steps.split_last() else { return Ok(()) };
    let mut at = root;
    for step in folders {
        at = down(at, step, place)?;
    }
    let Value::Table(entries) = &mut at.value else {
        return Err(error(place, format!("{path:?} leads to no table")));
    };
    match entries.iter_mut().find(|entry| entry.key == *last) {
        Some(entry) => (entry.node, entry.place) = (node, place.clone()),
        None => entries.push(Entry { key: (*last).into(), place: place.clone(), node }),
    }
    Ok(())
}

fn error(place: &Place, message: String) -> SceneError {
    SceneError { place: place.clone(), message }
}

/// A table in a table, made if it is not there; a table of a list by id, kind or number.
fn down<'a>(at: &'a mut Node, step: &str, place: &Place) -> Result<&'a mut Node, SceneError> {
    match &mut at.value {
        Value::Table(entries) => {
            let index = entries.iter().position(|entry| entry.key == step).unwrap_or_else(|| {
                let node = Node { value: Value::Table(Vec::new()), place: place.clone() };
                entries.push(Entry { key: step.into(), place: place.clone(), node });
                entries.len() - 1
            });
            Ok(&mut entries[index].node)
        }
        Value::List(items) => {
            let called = |item: &Node| {
                let names = ["id", "name", "kind", "shape"].iter().find_map(|key| item.get(key));
                names.and_then(Node::text).unwrap_or_default().to_owned()
            };
            let names: Vec<String> = items.iter().map(called).collect();
            let by_name = names.iter().position(|name| name == step);
            let index = by_name.or_else(|| step.parse().ok().filter(|&n: &usize| n < items.len()));
            let near = did_you_mean(step, names.iter().map(String::as_str));
            let missing = || error(place, format!("nothing there is called {step:?}{near}"));
            Ok(&mut items[index.ok_or_else(missing)?])
        }
        _ => Err(error(place, format!("{step:?} is a value and not a table"))),
    }
}

/// A table with the default of every key that was not written.
pub(super) fn filled(node: &Node, table: &Table) -> Node {
    let Value::Table(entries) = &node.value else { return node.clone() };
    let mut entries = entries.clone();
    for key in table.keys_of(node) {
        match entries.iter_mut().find(|entry| entry.key == key.name) {
            Some(entry) => entry.node = filled_value(&entry.node, &key.form),
            None => {
                let text = match (key.without.default(node), key.form) {
                    (Some(text), _) => text.to_owned(),
                    (_, Form::Setting(setting)) => toml_of(&setting.default()),
                    // Every setting is to be seen, also of a table that was not there.
                    (_, Form::Table(inner)) if inner.settings.is_some() => "{}".into(),
                    _ => continue,
                };
                let document = node::parse("default", &format!("value = {text}"));
                let Some(value) = document.ok().and_then(|d| d.get("value").cloned()) else {
                    continue;
                };
                let value = filled_value(&value, &key.form);
                let place = node.place.clone();
                entries.push(Entry { key: key.name.into(), place, node: value });
            }
        }
    }
    Node { value: Value::Table(entries), place: node.place.clone() }
}

fn filled_value(node: &Node, form: &Form) -> Node {
    let each = |nodes: &[Node], table: &Table| nodes.iter().map(|n| filled(n, table)).collect();
    match (form, &node.value) {
        (Form::Table(table), _) => filled(node, table),
        (Form::Tables(table), Value::List(items)) => {
            Node { value: Value::List(each(items, table)), place: node.place.clone() }
        }
        (Form::Named(table), Value::Table(entries)) => {
            let mut entries = entries.clone();
            entries.iter_mut().for_each(|entry| entry.node = filled(&entry.node, table));
            Node { value: Value::Table(entries), place: node.place.clone() }
        }
        _ => node.clone(),
    }
}

/// The value of a setting as TOML.
fn toml_of(value: &pliant::settings::Value) -> String {
    match value {
        pliant::settings::Value::Number(_) => value.to_string(),
        pliant::settings::Value::Vector(_) => format!("[{value}]"),
        pliant::settings::Value::Choice(word) => format!("{word:?}"),
    }
}
