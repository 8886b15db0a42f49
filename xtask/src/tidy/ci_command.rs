//! CI runs the very command that the README names.

use super::{Finding, Tree};

const SCRIPT: &str = ".ci/run";
const README: &str = "README.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let last = tree.text(SCRIPT).lines().map(str::trim).rfind(|line| !line.is_empty());
    let Some(command) = last.and_then(|line| line.strip_prefix("exec ")) else {
        let what = "the last line is not `exec` and the test command";
        return vec![Finding::new(SCRIPT, 0, what, "end it in `exec cargo xtask test`")];
    };
    if commands(tree.text(README)).any(|line| line == command) {
        return Vec::new();
    }
    let what = format!("no line is `{command}`, which {SCRIPT} runs");
    vec![Finding::new(README, 0, what, "name the same command in both")]
}

/// The lines of a document without what follows a `#`.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split_once(" #").map_or(line, |(command, _)| command).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(script: &str, readme: &str) -> usize {
        check(&Tree::of(&[(SCRIPT, script), (README, readme)])).len()
    }

    #[test]
    fn the_same_command_is_clean() {
        let readme =
            "# p\n\n    cargo run --release   # pictures\n    cargo xtask test      # all\n";
        assert_eq!(findings("set -e\nexec cargo xtask test\n\n", readme), 0);
    }

    #[test]
    fn another_command_is_found() {
        assert_eq!(findings("exec cargo test", "cargo xtask test"), 1);
        assert_eq!(findings("exec cargo xtask test", "cargo xtask test --only fmt"), 1);
        assert_eq!(findings("cargo xtask test", "cargo xtask test"), 1);
    }
}
