//! The keys of a scene as a JSON schema, for editors and for other programs.

use pliant::settings::Range;
use serde_json::{Map, Value, json};

use super::keys::{Form, Key, Table, Without};
use super::units::{self, Dimension};

/// The schema of scenes (JSON Schema, draft 2020-12).
pub fn schema() -> String {
    let mut root = object(&super::ROOT);
    let mut tables = Map::new();
    define(&super::ROOT, &mut tables);
    if let Value::Object(fields) = &mut root {
        fields.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".into(), "A scene of pliant".into());
        fields.insert("$defs".into(), Value::Object(tables));
    }
    // Only values that serialise are in it.
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

/// Notes every table below this one, once.
fn define(table: &Table, tables: &mut Map<String, Value>) {
    let kinds = table.variants().into_iter().flat_map(|kind| kind.common());
    for inner in table.common().into_iter().chain(kinds).filter_map(|key| key.form.table()) {
        if tables.insert(reference(inner), object(inner)).is_none() {
            define(inner, tables);
        }
    }
}

/// The name of a table among the definitions: letters only.
fn reference(table: &Table) -> String {
    table.name.chars().filter(|c| c.is_ascii_alphabetic()).collect()
}

/// A table; of several kinds, one of them.
fn object(table: &Table) -> Value {
    let variants = table.variants();
    if variants.is_empty() {
        return closed(table, &table.common(), None);
    }
    let kinds = variants.iter().map(|kind| {
        let keys: Vec<Key> = table.common().into_iter().chain(kind.common()).collect();
        let tag = table.kinds.as_ref().map(|(key, _)| (key.name, kind.name));
        closed(kind, &keys, tag)
    });
    json!({ "description": table.meaning, "oneOf": kinds.collect::<Vec<_>>() })
}

/// A table with these keys and no others.
fn closed(table: &Table, keys: &[Key], tag: Option<(&str, &str)>) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut value = form(&key.form);
        if let (Some((name, kind)), Value::Object(_)) = (tag, &value)
            && name == key.name
        {
            value = json!({ "const": kind });
        }
        if let Value::Object(fields) = &mut value {
            fields.insert("description".into(), describe(key).into());
        }
        properties.insert(key.name.into(), value);
    }
    let needed = keys.iter().filter(|key| matches!(key.without, Without::Refused));
    let required: Vec<&str> = needed.map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": table.meaning,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Meaning, unit and default of a key, in a sentence.
pub(super) fn describe(key: &Key) -> String {
    let without = match key.without {
        Without::Refused => "must be given".into(),
        Without::Is(value) => format!("default {value}"),
        Without::Unless(other, value) => format!("default {value}, unless {other} is given"),
        Without::Else(what) => format!("without it: {what}"),
    };
    let without = match key.form {
        Form::Setting(setting) => format!("default {}", setting.default()),
        _ => without,
    };
    match key.form.table() {
        Some(_) => format!("{}; {without}", key.meaning),
        None => format!("{}; {}; {without}", key.meaning, key.form.text()),
    }
}

fn form(form: &Form) -> Value {
    let list = |items: Value, count: usize| json!({ "type": "array", "items": items, "minItems": count, "maxItems": count });
    let point = || list(number(units::LENGTH, None), 3);
    let defined = |table: &Table| json!({ "$ref": format!("#/$defs/{}", reference(table)) });
    match form {
        Form::Number(dimension, low, high) => number(*dimension, Some([*low, *high])),
        Form::OneOrTwo(dimension, low, high) => {
            let one = number(*dimension, Some([*low, *high]));
            json!({ "anyOf": [one.clone(), list(one, 2)] })
        }
        Form::Numbers(count, dimension, low, high) => {
            list(number(*dimension, Some([*low, *high])), *count)
        }
        Form::Corners => list(point(), 2),
        Form::Points => json!({ "type": "array", "items": point(), "minItems": 2 }),
        Form::Whole(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Form::Wholes => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        Form::Hold(dimension) => number(*dimension, None),
        Form::Word(words) => json!({ "enum": words() }),
        Form::Words(words) => {
            let one = json!({ "enum": words() });
            json!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
        }
        Form::Text => json!({ "type": "string" }),
        Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Form::Truth => json!({ "type": "boolean" }),
        Form::Turns => json!({ "type": "array", "minItems": 1 }),
        Form::Setting(setting) => range(&setting.range),
        Form::Table(table) => defined(table),
        Form::Tables(table) => json!({ "type": "array", "items": defined(table) }),
        Form::Named(table) => json!({ "type": "object", "additionalProperties": defined(table) }),
        Form::Overrides => json!({ "type": "object" }),
    }
}

/// A plain number, or a text with a unit.
fn number(dimension: Dimension, ends: Option<[f64; 2]>) -> Value {
    let mut plain = json!({ "type": "number" });
    if let (Some([low, high]), Value::Object(fields)) = (ends, &mut plain) {
        fields.insert("minimum".into(), low.into());
        fields.insert("maximum".into(), high.into());
    }
    let unit = if dimension == units::ONE { "%" } else { dimension.unit };
    let text = json!({ "type": "string", "examples": [format!("1 {unit}")] });
    json!({ "anyOf": [plain, text] })
}

fn range(range: &Range) -> Value {
    match range {
        Range::Whole(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Range::Number(low, high) => {
            let plain = json!({ "type": "number", "minimum": low, "maximum": high });
            json!({ "anyOf": [plain, { "type": "string" }] })
        }
        Range::Vector(far) => {
            let plain = json!({ "type": "number", "minimum": -far, "maximum": far });
            let item = json!({ "anyOf": [plain, { "type": "string" }] });
            json!({ "type": "array", "items": item, "minItems": 3, "maxItems": 3 })
        }
        Range::Choice(words) => {
            json!({ "enum": words.iter().map(|word| word.name).collect::<Vec<_>>() })
        }
    }
}
