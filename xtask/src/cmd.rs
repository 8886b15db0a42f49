//! Runs other programs, and says which.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// An ignored folder for what the chores leave behind.
pub(crate) fn scratch() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(target.unwrap_or_else(|| PathBuf::from("target"))).join("xtask")
}

/// An empty folder of that name in the scratch folder.
pub(crate) fn empty_folder(name: &str) -> Result<PathBuf, String> {
    let folder = scratch().join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// The cargo that runs us, with the words of `line` as its arguments, in the root folder.
pub(crate) fn cargo(line: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(line.split_whitespace()).current_dir(root());
    command
}

/// Cargo for the workspace, to be run in some other folder.
pub(crate) fn cargo_from(folder: &Path, subcommand: &str, line: &str) -> Command {
    let mut command = cargo(subcommand);
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// Runs a program with its output shown.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    println!("$ {}", shown(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|e| format!("`{}` did not start: {e}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", shown(command))) }
}

/// Runs a program and returns what it printed; the error ends in what it complained about.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("`{}` did not start: {e}", shown(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed: {}\n{}", shown(command), output.status, said.trim()))
}

/// Whether a program runs and is content.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    output(command).is_ok()
}

/// The text of a field in a line of JSON, if it has no escapes: chores have the standard library only.
pub(crate) fn text_of<'a>(field: &str, line: &'a str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{field}\":\""))?;
    rest.split_once('"').map(|(text, _)| text)
}

/// The command as one would type it in the root folder.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = match program.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => program.display().to_string(),
    };
    for arg in command.get_args() {
        let arg = Path::new(arg);
        line += &format!(" {}", arg.strip_prefix(root()).unwrap_or(arg).display());
    }
    line
}
