//! The steps of `cargo xtask test`, in their order.

use std::path::Path;
use std::process::Command;

use crate::cmd::{cargo, cargo_from, empty_folder, output, root, run, scratch};
use crate::tools::{self, CLIPPY, DENY, PYTHON, RUSTFMT, Tool, VALGRIND, VULKAN, WASM};
use crate::{determinism, formats, instructions, tidy};

/// One check.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) needs: &'static [Tool],
    pub(crate) run: fn() -> Result<Done, String>,
}

/// How a step ended that did not fail.
#[derive(Debug)]
pub(crate) enum Done {
    /// With a note for the table.
    Passed(String),
    /// With the reason.
    NotRun(String),
}

/// Every step; cheap ones first, so that a slip shows within seconds.
pub(crate) const ALL: &[Step] = &[
    Step { name: "fmt", what: "the code is formatted", needs: &[RUSTFMT], run: fmt },
    Step { name: "clippy", what: "no lint warns", needs: &[CLIPPY], run: clippy },
    Step { name: "features", what: "each feature builds alone", needs: &[CLIPPY], run: features },
    Step {
        name: "wasm",
        what: "engine and viewer build for the web",
        needs: &[WASM, CLIPPY],
        run: wasm,
    },
    Step { name: "doc", what: "the documentation has no warning", needs: &[], run: doc },
    Step {
        name: "test",
        what: "all tests but those of the GPU, debug",
        needs: &[VULKAN],
        run: test,
    },
    Step {
        name: "test-release",
        what: "the tests of the engine, of files and of the GPU, release",
        needs: &[VULKAN],
        run: release,
    },
    Step { name: "examples", what: "every example runs", needs: &[], run: examples },
    Step {
        name: "determinism",
        what: "the same bits from every build and thread count",
        needs: &[],
        run: determinism::check,
    },
    Step {
        name: "instructions",
        what: "solving takes no more instructions than it did",
        needs: &[VALGRIND],
        run: instructions::check,
    },
    Step {
        name: "formats",
        what: "exported files open in programs of others",
        needs: &[PYTHON],
        run: formats::check,
    },
    Step { name: "run", what: "`cargo run --release` leaves its files", needs: &[], run: main_job },
    Step { name: "tidy", what: "documents and code agree", needs: &[], run: tidy::check },
    Step { name: "deny", what: "licences, bans and sources", needs: &[DENY], run: deny },
    Step { name: "advisories", what: "known vulnerabilities", needs: &[DENY], run: advisories },
];

fn passed() -> Result<Done, String> {
    Ok(Done::Passed(String::new()))
}

fn fmt() -> Result<Done, String> {
    run(&mut cargo("fmt --all --check"))?;
    passed()
}

fn clippy() -> Result<Done, String> {
    run(&mut cargo("clippy --workspace --all-targets -- -D warnings"))?;
    passed()
}

/// The library without features, with each alone, and with all: clippy, which includes the check.
fn features() -> Result<Done, String> {
    let manifest = root().join("crates/pliant/Cargo.toml");
    let text =
        std::fs::read_to_string(&manifest).map_err(|e| format!("crates/pliant/Cargo.toml: {e}"))?;
    let names = feature_names(&text);
    let lint = |choice: &str| {
        run(&mut cargo(&format!("clippy -p pliant --all-targets {choice} -- -D warnings")))
    };
    lint("--no-default-features")?;
    for name in &names {
        lint(&format!("--no-default-features --features {name}"))?;
    }
    lint("--all-features")?;
    Ok(Done::Passed(format!("none, {}, all", names.join(", "))))
}

/// The features of a manifest, without `default`.
fn feature_names(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[features]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().trim_matches('"'))
        .filter(|name| !name.starts_with('#') && *name != "default")
        .collect()
}

fn wasm() -> Result<Done, String> {
    let target = format!("--target {} -p pliant --no-default-features", tools::WASM_TARGET);
    run(&mut cargo(&format!("build {target}")))?;
    run(&mut cargo(&format!("clippy {target} -- -D warnings")))?;
    let target = format!("--target {} -p pliant_viewer", tools::WASM_TARGET);
    run(&mut cargo(&format!("clippy {target} -- -D warnings")))?;
    Ok(Done::Passed("pliant, pliant_viewer".into()))
}

fn doc() -> Result<Done, String> {
    run(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    passed()
}

/// Those of the GPU take as long in debug as in release, and run there.
fn test() -> Result<Done, String> {
    run(&mut cargo("test --workspace --all-features --exclude pliant_gpu"))?;
    passed()
}

/// Without the optional features: what most users build.
fn release() -> Result<Done, String> {
    run(&mut cargo("test --release -p pliant -p pliant_io -p pliant_gpu"))?;
    passed()
}

/// Builds and runs every example, each in an empty folder.
fn examples() -> Result<Done, String> {
    let names = example_names(&root().join("crates/pliant/examples"));
    if names.is_empty() {
        return Ok(Done::NotRun("there is no crates/pliant/examples/*.rs".into()));
    }
    // Together, as the release tests have built them: alone, the engine is built again with its own features.
    run(&mut cargo("build --release -p pliant -p pliant_io -p pliant_gpu --examples"))?;
    let programs = scratch().with_file_name("release").join("examples");
    for name in &names {
        let folder = empty_folder(&format!("examples/{name}"))?;
        run(Command::new(programs.join(name)).current_dir(folder))?;
    }
    Ok(Done::Passed(names.join(", ")))
}

/// `name.rs` and `name/main.rs`, sorted.
fn example_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = folder
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").exists())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// What a newcomer types first, in an empty folder and without a display.
fn main_job() -> Result<Done, String> {
    let folder = empty_folder("run")?;
    let mut command = cargo_from(&folder, "run --release", "");
    run(command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"))?;
    let files = files_below(&folder)?;
    if files.is_empty() {
        return Err("`cargo run --release` left no file below the folder it was run in".into());
    }
    for (name, bytes) in &files {
        println!("{bytes:10} {name}");
        if *bytes == 0 {
            return Err(format!("`cargo run --release` left {name} empty"));
        }
    }
    let total: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    Ok(Done::Passed(format!("files: {}, {} kB", files.len(), total / 1000)))
}

/// Every file below `folder` with its size in bytes, sorted by name.
fn files_below(folder: &Path) -> Result<Vec<(String, u64)>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in next.read_dir().map_err(|e| format!("{}: {e}", next.display()))? {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = path.metadata().map_err(|e| e.to_string())?.len();
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                files.push((name, bytes));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn deny_command(line: &str) -> Result<Command, String> {
    let program = tools::deny_program().ok_or("cargo-deny is gone")?;
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(root());
    Ok(command)
}

fn deny() -> Result<Done, String> {
    run(&mut deny_command("check bans licenses sources")?)?;
    passed()
}

/// Known vulnerabilities, where their database can be fetched.
fn advisories() -> Result<Done, String> {
    if let Err(cause) = output(&mut deny_command("fetch db")?) {
        println!("{cause}");
        return Ok(Done::NotRun("the advisory database cannot be fetched from here".into()));
    }
    run(&mut deny_command("check --disable-fetch advisories")?)?;
    passed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_the_manifest() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\ndefault = [\"a\"]\n## Doc = yes.\n\
                        a = []\n\"b\" = [\n  \"dep:c\",\n]\n[dependencies]\nd = \"1\"\n";
        assert_eq!(feature_names(manifest), ["a", "b"]);
    }

    #[test]
    fn step_names_are_unique() {
        let mut names: Vec<_> = ALL.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
