//! No note of unfinished work without somebody who will finish it.

use super::source::lines_with_word;
use super::{Finding, Tree};

/// The marks, in two pieces each so that this file has none.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Endings of the files that are looked at.
const CODE: &[&str] = &[".rs", ".wgsl", ".toml", ".py", ".js", ".ts", ".html", ".css", ".bib"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if !CODE.iter().any(|ending| path.ends_with(ending)) {
            continue;
        }
        for mark in MARKS {
            for line in lines_with_word(text, mark) {
                let owned = text.lines().nth(line - 1).is_some_and(|text| has_owner(text, mark));
                if !owned {
                    let what = format!("`{mark}` without an owner");
                    let remedy = format!("write `{mark}(name, #issue)`, or do it now");
                    findings.push(Finding::new(path, line, what, remedy));
                }
            }
        }
    }
    findings
}

/// Whether every `mark` of the line is followed by a name in parentheses.
fn has_owner(line: &str, mark: &str) -> bool {
    line.split(mark).skip(1).all(|rest| {
        let owner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        owner.is_some_and(|(owner, _)| !owner.trim().is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> usize {
        let text = text.replace("MARK", MARKS[0]);
        check(&Tree::of(&[("a.rs", &text), ("a.md", &text)])).len()
    }

    #[test]
    fn a_mark_with_an_owner_is_clean() {
        assert_eq!(findings("// MARK(ada, #12): widen\nfn f_MARK_g() {}"), 0);
    }

    #[test]
    fn a_mark_without_an_owner_is_found() {
        for text in ["// MARK: widen", "// MARK(): widen", "// MARK(ada): a, MARK b", "/* MARK */"]
        {
            assert_eq!(findings(text), 1, "{text}");
        }
    }
}
