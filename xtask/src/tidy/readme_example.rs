//! The Rust that the README shows is a doc test of the engine, so it compiles and runs.

use super::{Finding, Tree};

const README: &str = "README.md";
const LIBRARY: &str = "crates/pliant/src/lib.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let docs = tree.text(LIBRARY).lines().filter_map(|line| line.strip_prefix("//!"));
    let docs = docs.collect::<Vec<_>>().join("\n");
    let tested = rust_blocks(&docs);
    let mut findings = Vec::new();
    for (line, block) in rust_blocks(tree.text(README)) {
        if !tested.iter().any(|(_, other)| *other == block) {
            let what = format!("this Rust is not an example in the documentation of {LIBRARY}");
            findings.push(Finding::new(README, line, what, "copy one to the other, word for word"));
        }
    }
    findings
}

/// The code blocks in Rust outside of HTML comments, with the lines where they begin; without
/// indentation and without the lines that rustdoc hides.
fn rust_blocks(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Vec<&str>, bool)> = None;
    let mut in_comment = false;
    for (i, line) in text.lines().map(str::trim).enumerate() {
        in_comment |= line.contains("<!--");
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let is_rust = language.is_empty() || language.starts_with("rust");
                open = Some((i + 1, Vec::new(), is_rust && !in_comment));
            }
            (Some((start, lines, is_rust)), Some(_)) => {
                if *is_rust {
                    blocks.push((*start, std::mem::take(lines)));
                }
                open = None;
            }
            (Some((_, lines, _)), None) if line != "#" && !line.starts_with("# ") => {
                lines.push(line);
            }
            _ => {}
        }
        in_comment &= !line.contains("-->");
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCS: &str = "//! # pliant\n//!\n//! ```text\n//! f();\n//! ```\n//! ```\n//! # use x;\n\
                        //! g(1);\n//! ```\nfn g() {}\n";

    fn findings(readme: &str) -> Vec<usize> {
        let tree = Tree::of(&[(README, readme), (LIBRARY, DOCS)]);
        check(&tree).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_tested_example_is_clean() {
        assert_eq!(findings("# p\n```rust\ng(1);\n```\n```sh\nls\n```\n"), [0; 0]);
        assert_eq!(findings("<!--\n```rust\nlater\n```\n-->\n"), [0; 0]);
    }

    #[test]
    fn another_example_is_found() {
        assert_eq!(findings("```rust\ng(2);\n```\n"), [1]);
        assert_eq!(findings("\n```rust\nf();\n```\n"), [2]);
    }
}
