//! Every key of a scene, described once: what it means, what values it takes, and what happens
//! without it.
//!
//! Reading, checking, `pliant explain`, the JSON schema and front ends all follow [`ROOT`], so that
//! they cannot drift apart.
//!
//! [`ROOT`]: super::ROOT

use pliant::settings::{Range, SETTINGS, Setting};

use super::error::{SceneError, did_you_mean};
use super::node::{Node, Value};
use super::units::{self, Dimension};

/// A table of a scene, such as `[world]` or a `[[body]]`.
#[derive(Debug)]
pub struct Table {
    /// Its name, for people.
    pub name: &'static str,
    /// One sentence: what it describes.
    pub meaning: &'static str,
    /// Its keys, in groups that several tables may share.
    pub keys: &'static [&'static [Key]],
    /// Which settings of a world are keys of this table too.
    pub settings: Option<fn(&Setting) -> bool>,
    /// If it has kinds: the key that names the kind, and what keys each kind adds.
    pub kinds: Option<Kinds>,
}

/// The key that names the kind of a table, and what keys each kind adds.
pub type Kinds = (Key, fn() -> Vec<&'static Table>);

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What values it takes.
    pub form: Form,
    /// What happens without it.
    pub without: Without,
    /// One sentence: what it does.
    pub meaning: &'static str,
}

/// The values that a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A number from the first to the second.
    Number(Dimension, f64, f64),
    /// One number, or one along each of two directions.
    OneOrTwo(Dimension, f64, f64),
    /// So many numbers from the first to the second.
    Numbers(usize, Dimension, f64, f64),
    /// Two points of space: the low and the high corner of a box.
    Corners,
    /// Points of space, two at least.
    Points,
    /// A whole number from the first to the second.
    Whole(u32, u32),
    /// Any number of whole numbers.
    Wholes,
    /// The stiffness of a spring, or `"rigid"`.
    Hold(Dimension),
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// One or several of these words.
    Words(fn() -> Vec<&'static str>),
    /// Anything in quotes.
    Text,
    /// A list of texts.
    Texts,
    /// `true` or `false`.
    Truth,
    /// A turn such as `["y", "30 deg"]`, or a list of turns, made one after the other.
    Turns,
    /// A setting of the engine.
    Setting(&'static Setting),
    /// A table.
    Table(&'static Table),
    /// Tables, one after the other: `[[name]]`.
    Tables(&'static Table),
    /// Tables with names of their own: `[name.NAME]`.
    Named(&'static Table),
    /// Values for other keys, written as `"body.cloth.cell" = "2 cm"`.
    Overrides,
}

/// What happens without a key.
#[derive(Clone, Copy, Debug)]
pub enum Without {
    /// The scene is refused.
    Refused,
    /// It is this, as TOML.
    Is(&'static str),
    /// It is the second, as TOML, if the first is not written either.
    Unless(&'static str, &'static str),
    /// Something that depends on other keys, in words.
    Else(&'static str),
}

impl Without {
    /// The default in a table, as TOML.
    pub(super) fn default(&self, table: &Node) -> Option<&'static str> {
        match *self {
            Self::Is(text) => Some(text),
            Self::Unless(other, text) if table.get(other).is_none() => Some(text),
            _ => None,
        }
    }
}

/// Largest length of a scene (m): beyond, single precision is coarser than a tenth of a millimetre.
pub const FAR: f64 = 1e3;
/// Largest number where nothing else bounds it.
pub const HUGE: f64 = 1e12;
/// Smallest number of what must be positive.
pub const TINY: f64 = 1e-12;
/// Smallest length of a part (m).
pub const THIN: f64 = 1e-6;

impl Table {
    /// Keys that all of its kinds have.
    pub fn common(&self) -> Vec<Key> {
        let tag = self.kinds.iter().map(|(key, _)| *key);
        let own = self.keys.iter().flat_map(|group| group.iter().copied());
        let wanted = |setting: &&Setting| self.settings.is_some_and(|wants| wants(setting));
        let settings = SETTINGS.iter().filter(wanted).map(|setting| Key {
            name: setting.name,
            form: Form::Setting(setting),
            without: Without::Else("the engine's default"),
            meaning: setting.meaning,
        });
        tag.chain(own).chain(settings).collect()
    }

    /// The kinds that it has.
    pub fn variants(&self) -> Vec<&'static Self> {
        self.kinds.map_or_else(Vec::new, |(_, kinds)| kinds())
    }

    /// The keys that `node` may have: the common ones, and those of its kind.
    pub(super) fn keys_of(&self, node: &Node) -> Vec<Key> {
        let mut keys = self.common();
        if let Some((tag, kinds)) = self.kinds
            && let Some(name) = node.get(tag.name).and_then(Node::text)
            && let Some(kind) = kinds().into_iter().find(|kind| kind.name == name)
        {
            keys.extend(kind.common());
        }
        keys
    }
}

/// Notes everything in `node` that `table` does not allow.
pub(super) fn check(node: &Node, table: &Table, errors: &mut Vec<SceneError>) {
    if !matches!(node.value, Value::Table(_)) {
        errors.push(node.error(format!("expected the table {}, found {}", table.name, node.is())));
        return;
    }
    let keys = table.keys_of(node);
    for entry in node.entries() {
        match keys.iter().find(|key| key.name == entry.key) {
            Some(key) => check_value(&entry.node, key, errors),
            None => {
                let near = did_you_mean(&entry.key, keys.iter().map(|key| key.name));
                let hint = if near.is_empty() {
                    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                    format!("; there are {}", names.join(", "))
                } else {
                    near
                };
                let message = format!("no key {:?} in {}{hint}", short(&entry.key), table.name);
                errors.push(SceneError { place: entry.place.clone(), message });
            }
        }
    }
    for key in keys.iter().filter(|key| matches!(key.without, Without::Refused)) {
        if node.get(key.name).is_none() {
            let message = format!("{} needs {} ({})", table.name, key.name, key.meaning);
            errors.push(node.error(message));
        }
    }
}

fn check_value(node: &Node, key: &Key, errors: &mut Vec<SceneError>) {
    match key.form {
        Form::Table(table) => check(node, table, errors),
        Form::Tables(table) => match &node.value {
            Value::List(items) => items.iter().for_each(|item| check(item, table, errors)),
            _ => errors.push(expected(node, key)),
        },
        Form::Named(table) => match &node.value {
            Value::Table(entries) => {
                entries.iter().for_each(|entry| check(&entry.node, table, errors));
            }
            _ => errors.push(expected(node, key)),
        },
        Form::Turns => errors.extend(turns(node, key).err()),
        form => {
            errors.extend(fits(node, key, form).err());
        }
    }
}

/// Whether a value that has no tables in it is of a form.
fn fits(node: &Node, key: &Key, form: Form) -> Result<(), SceneError> {
    let all = |count: Option<usize>, form: Form| match &node.value {
        Value::List(items) if count.is_none_or(|count| items.len() == count) => {
            items.iter().try_for_each(|item| fits(item, key, form))
        }
        _ => Err(expected(node, key)),
    };
    match form {
        Form::Number(dimension, low, high) => number(node, key, dimension, low, high).map(|_| ()),
        Form::OneOrTwo(dimension, low, high) => match &node.value {
            Value::List(_) => all(Some(2), Form::Number(dimension, low, high)),
            _ => number(node, key, dimension, low, high).map(|_| ()),
        },
        Form::Numbers(count, dimension, low, high) => {
            all(Some(count), Form::Number(dimension, low, high))
        }
        Form::Corners => all(Some(2), Form::Numbers(3, units::LENGTH, -FAR, FAR)),
        Form::Points if node.items().len() < 2 => Err(expected(node, key)),
        Form::Points => all(None, Form::Numbers(3, units::LENGTH, -FAR, FAR)),
        Form::Wholes => all(None, Form::Whole(0, u32::MAX)),
        Form::Hold(_) if node.text() == Some("rigid") => Ok(()),
        Form::Hold(dimension) => number(node, key, dimension, TINY, HUGE).map(|_| ()),
        Form::Words(words) if matches!(node.value, Value::List(_)) => all(None, Form::Word(words)),
        Form::Word(words) | Form::Words(words) => word(node, key, &words()),
        Form::Texts => all(None, Form::Text),
        Form::Setting(known) => setting(node, known).map(|_| ()),
        Form::Whole(low, high) => match node.value {
            Value::Whole(n) if (i64::from(low)..=i64::from(high)).contains(&n) => Ok(()),
            _ => Err(expected(node, key)),
        },
        Form::Text if node.text().is_some() => Ok(()),
        Form::Truth if matches!(node.value, Value::Truth(_)) => Ok(()),
        Form::Overrides if matches!(node.value, Value::Table(_)) => Ok(()),
        _ => Err(expected(node, key)),
    }
}

/// A number with a unit or without, in SI.
pub(super) fn number(
    node: &Node,
    key: &Key,
    dimension: Dimension,
    low: f64,
    high: f64,
) -> Result<f64, SceneError> {
    let value = match &node.value {
        Value::Number(number) => *number,
        Value::Whole(whole) => *whole as f64,
        Value::Text(text) => units::parse(text, dimension).map_err(|error| {
            node.error(format!("{} {error}; expected {}", key.name, key.form.text()))
        })?,
        _ => return Err(expected(node, key)),
    };
    if (low..=high).contains(&value) { Ok(value) } else { Err(expected(node, key)) }
}

fn word(node: &Node, key: &Key, words: &[&str]) -> Result<(), SceneError> {
    match node.text() {
        Some(text) if words.contains(&text) => Ok(()),
        Some(text) => {
            let near = did_you_mean(text, words.iter().copied());
            let hint =
                if near.is_empty() { format!("; there are {}", words.join(", ")) } else { near };
            Err(node.error(format!("{} cannot be {:?}{hint}", key.name, short(text))))
        }
        None => Err(expected(node, key)),
    }
}

/// The value of a setting, as the engine takes it.
pub(super) fn setting(
    node: &Node,
    setting: &'static Setting,
) -> Result<pliant::settings::Value, SceneError> {
    let dimension = setting_dimension(setting);
    let one = |node: &Node| match &node.value {
        Value::Number(number) => Some(*number),
        Value::Whole(whole) => Some(*whole as f64),
        Value::Text(text) => units::parse(text, dimension).ok(),
        _ => None,
    };
    let wrong = || {
        let unit = setting.unit;
        node.error(format!("{} must be {} {unit}", setting.name, setting.range))
    };
    let value = match (&setting.range, &node.value) {
        (Range::Choice(_), Value::Text(text)) => setting.parse(text).map_err(|_| wrong())?,
        (Range::Vector(_), Value::List(items)) => {
            let numbers: Option<Vec<f64>> = items.iter().map(one).collect();
            let vector = numbers.and_then(|numbers| numbers.try_into().ok());
            pliant::settings::Value::Vector(vector.ok_or_else(wrong)?)
        }
        (Range::Whole(..) | Range::Number(..), _) => {
            pliant::settings::Value::Number(one(node).ok_or_else(wrong)?)
        }
        _ => return Err(wrong()),
    };
    // What does not fit is found by setting it on a world that nobody uses.
    pliant::Config::default().set(setting.name, value).map_err(|_| wrong())?;
    Ok(value)
}

/// The dimension of a setting's unit.
fn setting_dimension(setting: &Setting) -> Dimension {
    match setting.unit {
        "m" => units::LENGTH,
        "s" => units::TIME,
        "1/s" => units::FREQUENCY,
        "m/s" => units::SPEED,
        "m/s²" => units::ACCELERATION,
        _ => units::ONE,
    }
}

/// A turn is an axis and an angle.
fn turns(node: &Node, key: &Key) -> Result<(), SceneError> {
    let one = |items: &[Node]| match items {
        [axis, angle] => {
            let axes = ["x", "y", "z"];
            if axis.text().is_none_or(|text| !axes.contains(&text)) {
                return Err(axis.error(format!("{} turns about \"x\", \"y\" or \"z\"", key.name)));
            }
            number(angle, key, units::ANGLE, -1e3, 1e3).map(|_| ())
        }
        _ => Err(expected(node, key)),
    };
    match node.items() {
        [] => Err(expected(node, key)),
        items if matches!(items[0].value, Value::List(_)) => {
            items.iter().try_for_each(|turn| one(turn.items()))
        }
        items => one(items),
    }
}

fn expected(node: &Node, key: &Key) -> SceneError {
    let source = node.place.text.text.get(node.place.bytes.clone()).unwrap_or_default();
    let found = if matches!(node.value, Value::List(_) | Value::Table(_)) || source.is_empty() {
        node.is().to_owned()
    } else {
        short(source)
    };
    node.error(format!("{} is {found}, but must be {}", key.name, key.form.text()))
}

/// The start of a text, which may be as long as the file.
pub(super) fn short(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    text.chars().take(57).chain("...".chars()).collect()
}

impl Form {
    /// What values it takes, in words.
    pub fn text(&self) -> String {
        match self {
            Self::Number(dimension, low, high) => {
                format!("a number{}{}", between(*low, *high), unit(*dimension))
            }
            Self::OneOrTwo(dimension, low, high) => {
                format!("a number, or two,{}{}", between(*low, *high), unit(*dimension))
            }
            Self::Numbers(count, dimension, low, high) => {
                format!("{count} numbers{}{}", between(*low, *high), unit(*dimension))
            }
            Self::Corners => "two corners [[x, y, z], [x, y, z]] (m)".into(),
            Self::Points => "two or more points [[x, y, z], …] (m)".into(),
            Self::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Self::Wholes => "a list of whole numbers".into(),
            Self::Hold(dimension) => format!("\"rigid\", or a positive number{}", unit(*dimension)),
            Self::Word(words) => format!("one of {}", quoted(&words())),
            Self::Words(words) => format!("one or a list of {}", quoted(&words())),
            Self::Text => "a text".into(),
            Self::Texts => "a list of texts".into(),
            Self::Truth => "true or false".into(),
            Self::Turns => "a turn such as [\"y\", \"30 deg\"], or a list of turns".into(),
            Self::Setting(setting) => {
                format!("{} {}", setting.range, setting.unit).trim_end().into()
            }
            Self::Table(table) => format!("a table: {}", table.name),
            Self::Tables(table) => format!("a list of tables: {}", table.name),
            Self::Named(table) => format!("tables with names: {}", table.name),
            Self::Overrides => "a table of keys and their values, as --set takes them".into(),
        }
    }

    /// The table that it holds, if any.
    pub fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Table(table) | Self::Tables(table) | Self::Named(table) => Some(table),
            _ => None,
        }
    }
}

fn between(low: f64, high: f64) -> String {
    match (low, high) {
        (TINY, HUGE) => " above 0".into(),
        (low, HUGE) if low > -HUGE => format!(" of at least {low}"),
        (low, high) if low > -HUGE => format!(" from {low} to {high}"),
        _ => String::new(),
    }
}

fn unit(dimension: Dimension) -> String {
    if dimension == units::ONE { String::new() } else { format!(" in {}", dimension.unit) }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}
