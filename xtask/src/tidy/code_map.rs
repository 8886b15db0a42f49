//! The code map of ARCHITECTURE.md names every source file, and nothing that is not there.
//!
//! ```text
//! ## Code map
//! ### `crates/pliant/src`              the folder of what follows
//! - `step/project.rs` `.wgsl`: text    a file, and its twin with another ending
//! ```

use std::collections::BTreeMap;

use super::{Finding, Tree};

const DOCUMENT: &str = "ARCHITECTURE.md";

/// The folders of a crate whose files are listed.
const LISTED: &[&str] = &["src", "tests", "examples", "benches"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut named = BTreeMap::new();
    for (line, path) in named_paths(tree.text(DOCUMENT)) {
        if !tree.has_file(&path) && !tree.has_folder(&path) {
            let what = format!("the code map names `{path}`, which does not exist");
            findings.push(Finding::new(DOCUMENT, line, what, "remove the line or mend the name"));
        }
        if let Some(first) = named.insert(path.clone(), line) {
            let what = format!("the code map names `{path}` again, after line {first}");
            findings.push(Finding::new(DOCUMENT, line, what, "keep one of the two"));
        }
    }
    for (path, _) in tree.texts().filter(|(path, _)| is_listed(path)) {
        if !named.contains_key(path) {
            let what = "this file is not in the code map of ARCHITECTURE.md";
            findings.push(Finding::new(path, 0, what, "add a line that says what it is for"));
        }
    }
    findings
}

/// Whether a file belongs in the code map.
fn is_listed(path: &str) -> bool {
    let inside = match path.split('/').collect::<Vec<_>>()[..] {
        ["crates", _, folder, _, ..] => LISTED.contains(&folder),
        ["xtask", "src", _, ..] => true,
        _ => false,
    };
    inside && (path.ends_with(".rs") || path.ends_with(".wgsl"))
}

/// The paths of the code map with their lines.
fn named_paths(document: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut inside = false;
    let mut folder = "";
    for (i, line) in document.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            inside = title.trim() == "Code map";
        } else if let Some(title) = line.strip_prefix("### ") {
            folder = code_spans(title).first().copied().unwrap_or_default();
        } else if let Some(entry) = line.trim_start().strip_prefix("- `").filter(|_| inside) {
            let (names, _) = entry.split_once(':').unwrap_or((entry, ""));
            let names = format!("`{names}");
            let mut last = String::new();
            for name in code_spans(&names) {
                last = match (name.strip_prefix('.'), last.rsplit_once('.')) {
                    (Some(ending), Some((stem, _))) => format!("{stem}.{ending}"),
                    _ => format!("{folder}/{name}").trim_matches('/').to_owned(),
                };
                paths.push((i + 1, last.clone()));
            }
        }
    }
    paths
}

/// What stands between back quotes.
fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "# A\n- `not/here.rs`: before the map\n## Code map\n### `crates/p/src`\n\
                       - `a.rs` `.wgsl`: the `letter` a\n- `b/c.rs`: c\n## After\n- `d.rs`: d\n";

    #[test]
    fn paths_are_read_with_folder_and_twin() {
        let paths: Vec<_> = named_paths(MAP).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["crates/p/src/a.rs", "crates/p/src/a.wgsl", "crates/p/src/b/c.rs"]);
    }

    #[test]
    fn a_complete_map_is_clean() {
        let tree = Tree::of(&[
            (DOCUMENT, MAP),
            ("crates/p/src/a.rs", ""),
            ("crates/p/src/a.wgsl", ""),
            ("crates/p/src/b/c.rs", ""),
            ("crates/p/Cargo.toml", ""),
        ]);
        assert!(check(&tree).is_empty(), "{:?}", check(&tree));
    }

    #[test]
    fn a_file_that_is_not_named_and_a_name_without_file_are_found() {
        let tree = Tree::of(&[
            (DOCUMENT, MAP),
            ("crates/p/src/a.rs", ""),
            ("crates/p/src/a.wgsl", ""),
            ("crates/p/tests/new.rs", ""),
            ("xtask/src/main.rs", ""),
        ]);
        let found: Vec<_> = check(&tree).iter().map(|f| (f.path.clone(), f.line)).collect();
        let expected = [(DOCUMENT, 6), ("crates/p/tests/new.rs", 0), ("xtask/src/main.rs", 0)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn a_file_named_twice_is_found() {
        let map = "## Code map\n### `xtask/src`\n- `a.rs`: a\n- `a.rs`: again\n";
        let tree = Tree::of(&[(DOCUMENT, map), ("xtask/src/a.rs", "")]);
        assert_eq!(check(&tree).len(), 1);
    }
}
