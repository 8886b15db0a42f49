//! `unsafe` stands only in the files listed here, which say why types cannot do it.

use super::source::{code, lines_with_word};
use super::{Finding, Tree};

/// The files that may contain `unsafe`: the pool, shaders without checks, and the test that counts allocations.
const ALLOWED: &[&str] = &[
    "crates/pliant/src/parallel.rs",
    "crates/pliant_gpu/src/program.rs",
    "crates/pliant/tests/allocation.rs",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if !path.ends_with(".rs") || ALLOWED.contains(&path) {
            continue;
        }
        for line in lines_with_word(&code(text), "unsafe") {
            let what = "`unsafe` outside of the files that may contain it";
            let remedy = format!("call what {} offers instead", ALLOWED[0]);
            findings.push(Finding::new(path, line, what, remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_is_found() {
        let text = "fn f() {\n    unsafe { g() }\n}";
        assert_eq!(check(&Tree::of(&[("crates/x/src/a.rs", text)]))[0].line, 2);
        assert!(check(&Tree::of(&[(ALLOWED[0], text)])).is_empty());
    }

    #[test]
    fn words_about_it_are_clean() {
        let text = "//! No unsafe here.\n#![deny(unsafe_code)]\nconst A: &str = \"unsafe\";";
        assert!(check(&Tree::of(&[("crates/x/src/a.rs", text)])).is_empty());
    }
}
