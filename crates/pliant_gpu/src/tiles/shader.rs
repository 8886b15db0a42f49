//! The shader of tiles, from those of the kinds of their constraints.
//!
//! The shaders of two kinds have the same names for different things. So everything that the shader of a
//! kind declares gets the number of the kind, and they can stand in one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use pliant::{Config, Method, Precision, mirror};

use super::{MOST_HEAD, MOST_KINDS, Size, words_of_places};

/// A kind as the shader of tiles needs it.
pub(super) struct Twin {
    /// Its own shader, with `project.wgsl`.
    pub(super) source: String,
    pub(super) arity: usize,
    /// How many rest values a constraint has.
    pub(super) rest: usize,
    /// Whether constraints may have dashpots, or hold differently.
    pub(super) is_damped: bool,
}

/// How constraints are solved, as far as it is known before a shader is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Solving {
    /// By XPBD, on rows that are positions.
    is_plain: bool,
    /// In one iteration: none starts from what another has left of multipliers.
    is_once: bool,
}

impl Solving {
    pub(crate) fn of(config: &Config) -> Self {
        let is_plain = config.method == Method::Xpbd && config.precision == Precision::Plain;
        Self { is_plain, is_once: config.iterations == 1 }
    }
}

/// How tiles end a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) solving: Solving,
    /// Whether there are colliders.
    pub(crate) collides: bool,
    /// Whether all of a substep is one dispatch, and all substeps that follow each other at once.
    pub(crate) takes_all: bool,
}

/// The shader of tiles with these kinds.
pub(super) fn shader(kinds: &[Twin], size: Size, solving: Solving) -> String {
    common(kinds, size, solving, "").replace("MOTION", "read").replace("STAGES", "")
}

/// The shader of tiles that go on to the end of a substep.
pub(super) fn ending_shader(kinds: &[Twin], size: Size, ending: Ending) -> String {
    let Ending { solving, collides, takes_all } = ending;
    let stages = renamed(&without_entries(&mirror::step_wgsl_without_fields()), |word, rest| {
        // A collider has numbers of the same name.
        let is_member = rest.starts_with(':');
        (word == "params" && !is_member).then(|| "given.stages".into())
    });
    let choice = format!("const COLLIDES = {collides};\n");
    let whole = if takes_all { include_str!("whole.wgsl") } else { "" };
    let end = choice + include_str!("end.wgsl") + whole;
    let tiles = common(kinds, size, solving, &end)
        .replace("MOTION", "read_write")
        .replace("STAGES", "stages: Params,");
    tiles + &stages
}

/// What both have, with more.
fn common(kinds: &[Twin], Size { lanes, rows }: Size, solving: Solving, more: &str) -> String {
    let (per_lane, Solving { is_plain, is_once }) = (rows.div_ceil(lanes), solving);
    let mut source = format!(
        "const MOST_KINDS = {MOST_KINDS}u;\nconst TILE_LANES = {lanes}u;\n\
         const MOST_ROWS = {rows}u;\nconst MOST_HEAD = {MOST_HEAD}u;\n\
         const ROWS_OF_LANE = {per_lane}u;\nconst IS_PLAIN = {is_plain};\nconst IS_ONCE = {is_once};\n"
    );
    let (mut begin, mut solve) = (String::new(), String::new());
    for (number, kind) in kinds.iter().enumerate() {
        source += &numbered(&kind.source(), number);
        // Writing to a string does not fail.
        let _ = writeln!(begin, "let begun_{number} = begin_{number}(lane);");
        let _ = writeln!(solve, "solve_steps_{number}(tile.list, lane, begun_{number}, is_first);");
    }
    let common = include_str!("../tiles.wgsl").to_owned() + more;
    source + &common.replace("BEGIN_KINDS", &begin).replace("SOLVE_KINDS", &solve)
}

impl Twin {
    /// All that depends on the kind, without what it declares for a dispatch of its own.
    fn source(&self) -> String {
        let places = words_of_places(self.arity);
        let words = places + self.rest;
        let numbers = format!(
            "const PLACES = {places}u;\nconst WORDS = {words}u;\nconst IS_DAMPED = {};\n",
            self.is_damped
        );
        without_entries(&self.source) + &numbers + include_str!("kind.wgsl")
    }
}

/// A shader without its entry points and bindings.
fn without_entries(source: &str) -> String {
    let mut kept = String::new();
    let mut is_entry = false;
    for line in source.lines() {
        is_entry |= line.starts_with("@compute");
        if !is_entry && !line.starts_with("@group") {
            kept += line;
            kept += "\n";
        }
        is_entry &= line != "}";
    }
    kept
}

/// The shader of a kind, with its number after every name that it declares.
fn numbered(source: &str, number: usize) -> String {
    let bare: Vec<&str> = source.lines().map(without_comment).collect();
    let names: BTreeSet<&str> = bare.iter().filter_map(|line| declared(line)).collect();
    renamed(source, |word, _| match word {
        "params" => Some(format!("given.kinds[{number}].project")),
        "part" => Some(format!("given.kinds[{number}].part")),
        _ => names.contains(word).then(|| format!("{word}_{number}")),
    })
}

/// A shader without comments and with other names, by each name and what follows it on its line.
fn renamed(source: &str, name: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut done = String::with_capacity(2 * source.len());
    for mut left in source.lines().map(without_comment) {
        while let Some(start) = left.find(is_in_word) {
            let end = left[start..].find(|c| !is_in_word(c)).map_or(left.len(), |end| start + end);
            let word = &left[start..end];
            done += &left[..start];
            // What follows a point is a part of something else.
            let is_part = left[..start].ends_with('.');
            let new = if is_part { None } else { name(word, &left[end..]) };
            done += new.as_deref().unwrap_or(word);
            left = &left[end..];
        }
        done += left;
        done += "\n";
    }
    done
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// What a line at the outermost level declares.
fn declared(line: &str) -> Option<&str> {
    let rest = ["fn ", "const ", "struct "].iter().find_map(|word| line.strip_prefix(word))?;
    rest.split(|c| !is_in_word(c)).next()
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_number_of_their_kind_and_parts_keep_theirs() {
        let source = "struct Eval {\n    c: f32, // of eval\n}\nfn eval(x: f32) -> Eval {\n    \
                      return Eval(x * params.h, e.eval, retrieval);\n}\n";
        let wanted = "struct Eval_1 {\n    c: f32, \n}\nfn eval_1(x: f32) -> Eval_1 {\n    \
                      return Eval_1(x * given.kinds[1].project.h, e.eval, retrieval);\n}\n";
        assert_eq!(numbered(source, 1), wanted);
    }

    #[test]
    fn what_follows_a_name_decides_too() {
        let source = "struct Collider {\n    params: vec4f, // params\n}\nf(params.h, c.params);\n";
        let changed = renamed(source, |word, rest| {
            (word == "params" && !rest.starts_with(':')).then(|| "given.stages".into())
        });
        let wanted = "struct Collider {\n    params: vec4f, \n}\nf(given.stages.h, c.params);\n";
        assert_eq!(changed, wanted);
    }

    #[test]
    fn entries_and_bindings_of_a_kind_are_left_out() {
        let source = "const N = 3;\n@group(0) @binding(0) var<storage> x: f32;\n\
                      @compute @workgroup_size(64)\nfn project() {\n    a();\n}\nfn a() {\n}\n";
        let twin = Twin { source: source.into(), arity: 3, rest: 2, is_damped: false };
        let kept = twin.source();
        assert!(
            kept.starts_with("const N = 3;\nfn a() {\n}\nconst PLACES = 2u;\nconst WORDS = 4u;\n"),
            "{kept}"
        );
    }
}
