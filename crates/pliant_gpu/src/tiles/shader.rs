//! The shader of tiles, from those of the kinds of their constraints.
//!
//! The shaders of two kinds have the same names for different things. So everything that the shader of a
//! kind declares gets the number of the kind, and they can stand in one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A kind as the shader of tiles needs it.
pub(super) struct Twin {
    /// Its own shader, with `project.wgsl`.
    pub(super) source: String,
    pub(super) arity: usize,
    /// Whether constraints may have dashpots, or hold differently.
    pub(super) is_damped: bool,
}

/// The shader of tiles with these kinds, for workgroups of so many lanes with so many rows.
pub(super) fn shader(kinds: &[Twin], lanes: u32, rows: u32) -> String {
    let count = kinds.len();
    let mut source = format!(
        "const KINDS = {count}u;\nconst TILE_LANES = {lanes}u;\nconst MOST_ROWS = {rows}u;\n"
    );
    let (mut begin, mut solve) = (String::new(), String::new());
    for (number, kind) in kinds.iter().enumerate() {
        source += &numbered(&kind.source(), number);
        // Writing to a string does not fail.
        let _ = writeln!(begin, "let begun_{number} = begin_{number}(head, lane);");
        let _ = writeln!(solve, "solve_colors_{number}(head, lane, begun_{number}, is_plain);");
    }
    let common = include_str!("../tiles.wgsl");
    source + &common.replace("BEGIN_KINDS", &begin).replace("SOLVE_KINDS", &solve)
}

impl Twin {
    /// All that depends on the kind, without what it declares for a dispatch of its own.
    fn source(&self) -> String {
        let words = self.arity.div_ceil(2);
        let numbers = format!("const WORDS = {words}u;\nconst IS_DAMPED = {};\n", self.is_damped);
        let mut kept = String::new();
        let mut is_entry = false;
        for line in self.source.lines() {
            is_entry |= line.starts_with("@compute");
            if !is_entry && !line.starts_with("@group") {
                kept += line;
                kept += "\n";
            }
            is_entry &= line != "}";
        }
        kept + &numbers + include_str!("kind.wgsl")
    }
}

/// The shader of a kind, with its number after every name that it declares.
fn numbered(source: &str, number: usize) -> String {
    let bare: Vec<&str> =
        source.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let names: BTreeSet<&str> = bare.iter().filter_map(|line| declared(line)).collect();
    let mut done = String::with_capacity(2 * source.len());
    for line in bare {
        let mut left = line;
        while let Some(start) = left.find(is_in_word) {
            let end = left[start..].find(|c| !is_in_word(c)).map_or(left.len(), |end| start + end);
            let word = &left[start..end];
            done += &left[..start];
            // What follows a point is a part of something else.
            let is_name = !left[..start].ends_with('.');
            let _ = match word {
                "params" if is_name => write!(done, "of_kinds[{number}].project"),
                "part" if is_name => write!(done, "of_kinds[{number}].part"),
                _ if is_name && names.contains(word) => write!(done, "{word}_{number}"),
                _ => write!(done, "{word}"),
            };
            left = &left[end..];
        }
        done += left;
        done += "\n";
    }
    done
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
                      return Eval_1(x * of_kinds[1].project.h, e.eval, retrieval);\n}\n";
        assert_eq!(numbered(source, 1), wanted);
    }

    #[test]
    fn entries_and_bindings_of_a_kind_are_left_out() {
        let source = "const N = 3;\n@group(0) @binding(0) var<storage> x: f32;\n\
                      @compute @workgroup_size(64)\nfn project() {\n    a();\n}\nfn a() {\n}\n";
        let twin = Twin { source: source.into(), arity: 3, is_damped: false };
        let kept = twin.source();
        assert!(kept.starts_with("const N = 3;\nfn a() {\n}\nconst WORDS = 2u;\n"), "{kept}");
    }
}
