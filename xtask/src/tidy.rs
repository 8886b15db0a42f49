//! Checks that documents and code agree. A check is a file in `tidy/` and a line in [`ALL`].

mod ci_command;
mod citations;
mod code_map;
mod links;
mod marks;
mod paths;
mod readme_example;
mod registries;
mod sizes;
mod source;
mod twins;
mod unsafe_code;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use crate::cmd::root;
use crate::steps::Done;

/// A property of the whole tree.
struct Check {
    name: &'static str,
    run: fn(&Tree) -> Vec<Finding>,
}

/// Every check, alphabetically.
const ALL: &[Check] = &[
    Check { name: "ci_command", run: ci_command::check },
    Check { name: "citations", run: citations::check },
    Check { name: "code_map", run: code_map::check },
    Check { name: "links", run: links::check },
    Check { name: "marks", run: marks::check },
    Check { name: "paths", run: paths::check },
    Check { name: "readme_example", run: readme_example::check },
    Check { name: "registries", run: registries::check },
    Check { name: "sizes", run: sizes::check },
    Check { name: "twins", run: twins::check },
    Check { name: "unsafe_code", run: unsafe_code::check },
];

/// Something that is not as it should be: where, what, and what to do.
#[derive(Debug)]
struct Finding {
    path: String,
    /// Counted from 1; 0 stands for the whole file.
    line: usize,
    what: String,
    remedy: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, what, remedy } = self;
        match line {
            0 => write!(f, "{path}: {what}; {remedy}"),
            _ => write!(f, "{path}:{line}: {what}; {remedy}"),
        }
    }
}

/// The project's files by path, with `/` between folders.
#[derive(Default)]
struct Tree(BTreeMap<String, File>);

struct File {
    bytes: u64,
    /// Empty for pictures and other files that are not UTF-8.
    text: String,
}

impl Tree {
    /// Reads every file that git does not ignore.
    fn read(root: &Path) -> Result<Self, String> {
        let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let mut tree = Self::default();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().map_err(|e| format!("{}: {e}", folder.display()))? {
                let path = entry.map_err(|e| e.to_string())?.path();
                let relative = path.strip_prefix(root).unwrap_or(&path);
                let relative = relative.to_string_lossy().replace('\\', "/");
                if relative == ".git" || is_ignored(&relative, &ignored) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).map_err(|e| format!("{relative}: {e}"))?;
                    tree.insert(&relative, bytes);
                }
            }
        }
        Ok(tree)
    }

    fn insert(&mut self, path: &str, bytes: Vec<u8>) {
        let file =
            File { bytes: bytes.len() as u64, text: String::from_utf8(bytes).unwrap_or_default() };
        self.0.insert(path.into(), file);
    }

    /// A made-up tree for tests.
    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.insert(path, text.as_bytes().to_vec());
        }
        tree
    }

    /// The text of a file; empty if there is no such file.
    fn text(&self, path: &str) -> &str {
        self.0.get(path).map_or("", |file| &file.text)
    }

    /// Every path with its text.
    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file.text.as_str()))
    }

    fn has_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn has_folder(&self, path: &str) -> bool {
        let prefix = format!("{path}/");
        self.0.range(prefix.clone()..).next().is_some_and(|(path, _)| path.starts_with(&prefix))
    }
}

/// Whether a `.gitignore` of the forms `/path`, `name` and `*.ending` ignores `path`.
fn is_ignored(path: &str, patterns: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    patterns.lines().any(|pattern| match pattern.trim_end_matches('/') {
        "" => false,
        pattern => match (pattern.strip_prefix('/'), pattern.strip_prefix('*')) {
            (Some(from_root), _) => path == from_root,
            (_, Some(ending)) => name.ends_with(ending),
            _ => name == pattern,
        },
    })
}

/// `cargo xtask tidy`.
pub(crate) fn main(_: &[String]) -> Result<ExitCode, String> {
    let (Done::Passed(note) | Done::NotRun(note)) = check()?;
    println!("tidy: {note}");
    Ok(ExitCode::SUCCESS)
}

/// Runs every check on the project; the error lists the findings.
pub(crate) fn check() -> Result<Done, String> {
    let tree = Tree::read(root())?;
    let mut lines = Vec::new();
    for Check { name, run } in ALL {
        lines.extend(run(&tree).iter().map(|finding| format!("[{name}] {finding}")));
    }
    match lines.len() {
        0 => Ok(Done::Passed(format!("{} checks, {} files, clean", ALL.len(), tree.0.len()))),
        n => Err(format!("tidy found {n} faults\n{}", lines.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        if let Err(findings) = check() {
            panic!("{findings}");
        }
    }

    #[test]
    fn a_finding_says_where_what_and_what_to_do() {
        let finding = Finding::new("a.rs", 3, "bad", "mend it");
        assert_eq!(finding.to_string(), "a.rs:3: bad; mend it");
        assert_eq!(Finding::new("a.rs", 0, "bad", "mend it").to_string(), "a.rs: bad; mend it");
    }

    #[test]
    fn ignored_files_are_known() {
        let patterns = "/out\n\n*.pyc\nnode_modules/\n";
        for path in ["out", "a/b.pyc", "web/node_modules"] {
            assert!(is_ignored(path, patterns), "{path}");
        }
        for path in ["a/out", "outer", "b.py", "a/modules"] {
            assert!(!is_ignored(path, patterns), "{path}");
        }
    }

    #[test]
    fn folders_are_known_by_their_files() {
        let tree = Tree::of(&[("a/b.rs", ""), ("ab/c.rs", "")]);
        assert!(tree.has_folder("a") && tree.has_file("a/b.rs"));
        assert!(!tree.has_folder("a/b.rs") && !tree.has_folder("b"));
    }
}
