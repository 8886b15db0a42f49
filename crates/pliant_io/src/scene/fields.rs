//! Reads the keys of a table that has been checked.

use pliant::Hold;
use pliant::glam::{Quat, Vec3};

use super::error::SceneError;
use super::keys::{Form, Key, Table, number};
use super::node::{self, Node, Value};
use super::units;

/// A table of a scene, to be read by name. What is not there is what its key says.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) node: &'a Node,
    pub(super) table: &'static Table,
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node, table: &'static Table) -> Self {
        Self { node, table }
    }

    /// What was written, if anything.
    pub(super) fn written(&self, name: &str) -> Option<&'a Node> {
        self.node.get(name)
    }

    fn key(&self, name: &str) -> Key {
        let keys = self.table.keys_of(self.node);
        let found = keys.into_iter().find(|key| key.name == name);
        found.unwrap_or_else(|| panic!("{name:?} is read but not described in {}", self.table.name))
    }

    /// Reads what was written, or else the default of the key.
    fn read<T>(&self, name: &str, read: impl Fn(&Node, &Key) -> Option<T>) -> Option<T> {
        let key = self.key(name);
        if let Some(node) = self.written(name) {
            return read(node, &key);
        }
        let text = key.without.default(self.node)?;
        let document = node::parse("default", &format!("value = {text}")).ok()?;
        read(document.get("value")?, &key)
    }

    /// An error about a key, or about the table if the key is not there.
    pub(super) fn error(&self, name: &str, message: impl Into<String>) -> SceneError {
        self.written(name).unwrap_or(self.node).error(message)
    }

    pub(super) fn maybe(&self, name: &str) -> Option<f32> {
        self.read(name, one).map(|value| value as f32)
    }

    pub(super) fn number(&self, name: &str) -> f32 {
        self.maybe(name).unwrap_or_default()
    }

    /// In double precision, for times.
    pub(super) fn precise(&self, name: &str) -> f64 {
        self.read(name, one).unwrap_or_default()
    }

    pub(super) fn whole(&self, name: &str) -> Option<u32> {
        self.read(name, |node, _| match node.value {
            Value::Whole(whole) => u32::try_from(whole).ok(),
            _ => None,
        })
    }

    pub(super) fn truth(&self, name: &str) -> bool {
        self.read(name, |node, _| Some(node.value == Value::Truth(true))).unwrap_or_default()
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.read(name, |node, _| node.text().map(str::to_owned))
    }

    pub(super) fn word(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// One text or several.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        self.read(name, |node, _| match &node.value {
            Value::Text(text) => Some(vec![text.clone()]),
            Value::List(items) => items.iter().map(|item| item.text().map(str::to_owned)).collect(),
            _ => None,
        })
        .unwrap_or_default()
    }

    pub(super) fn wholes(&self, name: &str) -> Vec<u32> {
        let whole = |node: &Node| match node.value {
            Value::Whole(whole) => u32::try_from(whole).ok(),
            _ => None,
        };
        self.read(name, |node, _| node.items().iter().map(whole).collect()).unwrap_or_default()
    }

    pub(super) fn pair(&self, name: &str) -> [f32; 2] {
        self.maybe_pair(name).unwrap_or_default()
    }

    /// Two numbers; one that was written alone stands for both.
    pub(super) fn maybe_pair(&self, name: &str) -> Option<[f32; 2]> {
        self.read(name, |node, key| match &node.value {
            Value::List(_) => numbers(node, key),
            _ => one(node, key).map(|value| [value as f32; 2]),
        })
    }

    pub(super) fn vector(&self, name: &str) -> Vec3 {
        self.maybe_vector(name).unwrap_or_default()
    }

    pub(super) fn maybe_vector(&self, name: &str) -> Option<Vec3> {
        self.read(name, numbers).map(Vec3::from_array)
    }

    pub(super) fn points(&self, name: &str) -> Vec<Vec3> {
        let point = |node: &Node, key: &Key| numbers(node, key).map(Vec3::from_array);
        self.read(name, |node, key| node.items().iter().map(|item| point(item, key)).collect())
            .unwrap_or_default()
    }

    /// The turns, the first of them made first.
    pub(super) fn turns(&self, name: &str) -> Quat {
        let turns = self.read(name, |node, key| {
            let nested = matches!(node.items().first()?.value, Value::List(_));
            let list = if nested { node.items() } else { std::slice::from_ref(node) };
            list.iter().try_fold(Quat::IDENTITY, |done, item| Some(turn(item, key)? * done))
        });
        turns.unwrap_or(Quat::IDENTITY)
    }

    /// A spring with its dashpot, or something rigid; `None` if it was not written.
    pub(super) fn hold(&self, name: &str, dashpot: f32) -> Option<Hold> {
        self.read(name, |node, key| match node.text() {
            Some("rigid") => Some(Hold::RIGID),
            _ => one(node, key).map(|stiffness| Hold::spring(stiffness as f32).damped(dashpot)),
        })
    }

    /// The tables of a list.
    pub(super) fn tables(&self, name: &str) -> impl Iterator<Item = Fields<'a>> + use<'a> {
        let table = self.key(name).form.table();
        let items = self.written(name).map_or(&[][..], Node::items);
        items.iter().filter_map(move |node| Some(Fields { node, table: table? }))
    }

    /// The one table of that name, if it was written.
    pub(super) fn table(&self, name: &str) -> Option<Fields<'a>> {
        Some(Fields { node: self.written(name)?, table: self.key(name).form.table()? })
    }

    /// Which of these is written; an error if it is more than one.
    pub(super) fn only_one_of(
        &self,
        names: &[&'static str],
    ) -> Result<Option<&'static str>, SceneError> {
        let written: Vec<&&str> =
            names.iter().filter(|name| self.written(name).is_some()).collect();
        if let [first, second, ..] = written.as_slice() {
            let message = format!("{second} and {first} exclude each other; leave one of them out");
            return Err(self.error(second, message));
        }
        Ok(written.first().map(|name| **name))
    }
}

/// A number in SI.
fn one(node: &Node, key: &Key) -> Option<f64> {
    let (dimension, low, high) = match key.form {
        Form::Number(dimension, low, high)
        | Form::OneOrTwo(dimension, low, high)
        | Form::Numbers(_, dimension, low, high) => (dimension, low, high),
        Form::Hold(dimension) => (dimension, f64::MIN, f64::MAX),
        Form::Corners | Form::Points => (units::LENGTH, f64::MIN, f64::MAX),
        Form::Turns => (units::ANGLE, f64::MIN, f64::MAX),
        _ => return None,
    };
    number(node, key, dimension, low, high).ok()
}

fn numbers<const N: usize>(node: &Node, key: &Key) -> Option<[f32; N]> {
    let list: Option<Vec<f32>> =
        node.items().iter().map(|item| one(item, key).map(|value| value as f32)).collect();
    list?.try_into().ok()
}

/// One turn about an axis.
fn turn(node: &Node, key: &Key) -> Option<Quat> {
    let [axis, angle] = node.items() else { return None };
    let axis = match axis.text()? {
        "x" => Vec3::X,
        "y" => Vec3::Y,
        _ => Vec3::Z,
    };
    let (sin, cos) = libm::sincosf(one(angle, key)? as f32 / 2.0);
    let Vec3 { x, y, z } = axis * sin;
    Some(Quat::from_xyzw(x, y, z, cos))
}
