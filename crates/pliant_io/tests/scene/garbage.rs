//! Scenes that make no sense: an error, never a panic.

use pliant_io::scene::keys::{Form, Without};
use pliant_io::scene::{Scene, all_keys, library};

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }
}

/// Everything that can be done with a text; what comes out does not matter.
fn try_out(text: &str) -> bool {
    let Ok(mut scene) = Scene::parse("garbage.toml", text) else { return false };
    let _ = scene.quicken();
    let _ = scene.resolved();
    true
}

const WORDS: &[&str] = &[
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "\"",
    "'",
    ",",
    ".",
    "\n",
    "#",
    "-1",
    "1e999",
    "nan",
    "inf",
    "0x7f",
    "true",
    "\"1 m\"",
    "\"\"",
    "[]",
    "{}",
    "1979-05-27",
    "é",
    "\0",
    "\"\"\"",
    "18446744073709551616",
];

#[test]
fn mutated_scenes_never_panic() {
    let mut random = Random(1);
    let mut valid = 0;
    for round in 0..3000 {
        let entry = &library::ALL[round % library::ALL.len()];
        let mut text = entry.text.to_owned();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len());
            let Some(at) = (0..=at).rev().find(|&at| text.is_char_boundary(at)) else { continue };
            match random.below(4) {
                0 => text.truncate(at),
                1 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
                2 => {
                    text.remove(at);
                }
                _ => {
                    // A line goes somewhere else.
                    let lines: Vec<&str> = text.lines().collect();
                    let line = lines[random.below(lines.len())].to_owned();
                    text.insert_str(at, &format!("\n{line}\n"));
                }
            }
            if text.is_empty() {
                break;
            }
        }
        valid += u32::from(try_out(&text));
    }
    assert!((1..2900).contains(&valid), "{valid} of 3000 mutants are scenes: they test nothing");
}

#[test]
fn random_text_never_panics() {
    let mut random = Random(2);
    for _ in 0..3000 {
        let mut text = String::from(if random.below(2) == 0 { "format = 1\n" } else { "" });
        for _ in 0..random.below(60) {
            let keys = ["body", "kind", "cloth", "size", "world", "gravity", "collider", "event"];
            match random.below(3) {
                0 => text.push_str(keys[random.below(keys.len())]),
                1 => text.push_str(WORDS[random.below(WORDS.len())]),
                _ => text.push(char::from(random.below(128) as u8)),
            }
        }
        try_out(&text);
    }
}

/// What must stand before a key so that it is where its path says.
fn header(path: &str) -> String {
    let path: Vec<&str> = path.split('.').collect();
    match path.as_slice() {
        ["world" | "solver" | "wind" | "view", _] => format!("[{}]\n", path[0]),
        ["tie" | "probe" | "check", _] => format!("[[{}]]\n", path[0]),
        ["tie" | "probe" | "check", inner, _] => format!("[[{0}]]\n[[{0}.{inner}]]\n", path[0]),
        ["material", _] => "[material.m]\nkind = \"solid\"\n".into(),
        ["material", kind, _] => format!("[material.m]\nkind = \"{kind}\"\n"),
        ["collider", _] => "[[collider]]\nshape = \"plane\"\n".into(),
        ["collider", "keyframes", _] => {
            "[[collider]]\nshape = \"plane\"\n[[collider.keyframes]]\n".into()
        }
        ["collider", shape, _] => format!("[[collider]]\nshape = \"{shape}\"\n"),
        ["body", _] => "[[body]]\nkind = \"rod\"\n".into(),
        ["body", "pin", _] => "[[body]]\nkind = \"rod\"\n[[body.pin]]\n".into(),
        ["body", inner @ ("copies" | "strength" | "folds"), _] => {
            format!("[[body]]\nkind = \"rod\"\n[body.{inner}]\n")
        }
        ["event", _] => "[[event]]\nkind = \"gravity\"\n".into(),
        ["event", kind, "particles", _] => {
            format!("[[event]]\nkind = \"{kind}\"\n[[event.particles]]\n")
        }
        ["body" | "event", kind, _] => format!("[[{}]]\nkind = \"{kind}\"\n", path[0]),
        [_] => String::new(),
        _ => panic!("{path:?} is nowhere"),
    }
}

#[test]
fn every_number_refuses_what_is_not_finite_or_of_its_range() {
    let bad = ["nan", "inf", "-inf", "1e300", "-1e300", "\"nan m\"", "\"1 parsec\"", "{}", "\"\""];
    let mut tried = 0;
    for key in all_keys().into_iter().filter(|key| key.path != "format") {
        let name = key.key.name;
        let pattern = match key.key.form {
            Form::Number(..) | Form::OneOrTwo(..) | Form::Whole(..) | Form::Hold(_) => "{}",
            Form::Setting(setting) if setting.name != "gravity" => "{}",
            Form::Setting(_) | Form::Numbers(3, ..) => "[0, {}, 0]",
            Form::Numbers(2, ..) => "[1, {}]",
            Form::Corners | Form::Points => "[[0, 0, 0], [0, {}, 1]]",
            Form::Wholes => "[{}]",
            Form::Turns => "[\"x\", {}]",
            _ => continue,
        };
        for value in bad {
            let line = format!("{name} = {}", pattern.replace("{}", value));
            let text = format!("format = 1\n{}{line}\n", header(&key.path));
            let Err(errors) = Scene::parse("bad.toml", &text) else {
                panic!("{} takes {value}", key.path)
            };
            let last = text.lines().count();
            let about = errors.0.iter().any(|error| {
                error.place.line_and_column().0 == last && error.message.starts_with(name)
            });
            assert!(about, "{} = {value}: {errors}", key.path);
            tried += 1;
        }
    }
    assert!(tried > 1000, "only {tried} values were tried");
}

/// Defaults are values that their keys take.
#[test]
fn every_default_is_of_its_form() {
    for key in all_keys() {
        let (Without::Is(default) | Without::Unless(_, default)) = key.key.without else {
            continue;
        };
        let text = format!("format = 1\n{}{} = {default}\n", header(&key.path), key.key.name);
        if let Err(errors) = Scene::parse("default.toml", &text) {
            let last = text.lines().count();
            let about = errors.0.iter().find(|error| error.place.line_and_column().0 == last);
            assert!(about.is_none(), "{}: {errors}", key.path);
        }
    }
}
