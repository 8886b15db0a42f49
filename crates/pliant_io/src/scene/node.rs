//! Values with the place that they come from: what TOML is read into.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, SceneError, SceneErrors, Text};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Place,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(f64),
    /// Kept apart from numbers: 3.0 is not 3.
    Whole(i64),
    Truth(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A date, which no key takes.
    Date,
}

/// A key and its value, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) node: Node,
}

/// Reads a document of TOML.
pub(super) fn parse(name: &str, text: &str) -> Result<Node, SceneErrors> {
    let text = Arc::new(Text { name: name.into(), text: text.into() });
    let (document, errors) = DeTable::parse_recoverable(&text.text);
    if errors.is_empty() {
        let span = document.span();
        let place = Place { text: text.clone(), bytes: span };
        return table(document.get_ref(), place).map_err(SceneErrors::from);
    }
    let at = |error: toml::de::Error| SceneError {
        place: Place { text: text.clone(), bytes: error.span().unwrap_or(0..0) },
        message: error.message().trim().replace('\n', ", "),
    };
    // The first errors are the user's, later ones often follow from them.
    Err(SceneErrors(errors.into_iter().take(5).map(at).collect()))
}

fn node(value: &Spanned<DeValue<'_>>, text: &Arc<Text>) -> Result<Node, SceneError> {
    let place = Place { text: text.clone(), bytes: value.span() };
    let number = |digits: &str| digits.parse::<f64>().unwrap_or(f64::NAN);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(whole) => {
            let read = i64::from_str_radix(whole.as_str(), whole.radix());
            let message = "more than a whole number of 64 bits holds".to_owned();
            Value::Whole(read.map_err(|_| SceneError { place: place.clone(), message })?)
        }
        DeValue::Float(float) => Value::Number(number(float.as_str())),
        DeValue::Boolean(truth) => Value::Truth(*truth),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => {
            Value::List(list.iter().map(|item| node(item, text)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(entries) => return table(entries, place),
    };
    Ok(Node { value, place })
}

fn table(entries: &DeTable<'_>, place: Place) -> Result<Node, SceneError> {
    let text = place.text.clone();
    let mut list = Vec::new();
    for (key, value) in entries {
        let place = Place { text: text.clone(), bytes: key.span() };
        list.push(Entry { key: key.get_ref().to_string(), place, node: node(value, &text)? });
    }
    list.sort_by_key(|entry| entry.place.bytes.start);
    Ok(Node { value: Value::Table(list), place })
}

impl Node {
    /// The entries of a table; none of anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// The items of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.node)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// What it is, for people.
    pub(super) fn is(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a text",
            Value::Number(_) | Value::Whole(_) => "a number",
            Value::Truth(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Date => "a date",
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> SceneError {
        SceneError { place: self.place.clone(), message: message.into() }
    }

    /// Puts what `other` says over what is here: tables are merged, lists of tables come one after
    /// the other, and all else is replaced.
    pub(super) fn merge(&mut self, other: Self) {
        match (&mut self.value, other.value) {
            (Value::Table(ours), Value::Table(theirs)) => {
                for entry in theirs {
                    match ours.iter_mut().find(|known| known.key == entry.key) {
                        Some(known) => known.node.merge(entry.node),
                        None => ours.push(entry),
                    }
                }
            }
            (Value::List(ours), Value::List(theirs))
                if ours.iter().chain(&theirs).all(|item| item.is() == "a table") =>
            {
                ours.extend(theirs);
            }
            (_, value) => (self.value, self.place) = (value, other.place),
        }
    }

    /// The same as TOML.
    pub(super) fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Text(text) => toml::Value::String(text.clone()),
            Value::Number(number) => toml::Value::Float(*number),
            Value::Whole(whole) => toml::Value::Integer(*whole),
            Value::Truth(truth) => toml::Value::Boolean(*truth),
            Value::List(items) => toml::Value::Array(items.iter().map(Self::to_toml).collect()),
            Value::Table(entries) => toml::Value::Table(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_toml())).collect(),
            ),
            Value::Date => toml::Value::String("date".into()),
        }
    }
}
