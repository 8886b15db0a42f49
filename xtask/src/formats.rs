//! Exported files, opened in programs that others wrote: `cargo xtask formats`.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cmd::{cargo, empty_folder, output, root, run, scratch, succeeds};
use crate::steps::Done;

/// A program that opens exported files.
struct Reader {
    name: &'static str,
    /// The script in `xtask/readers` that compares what it sees with what was written.
    script: &'static str,
    /// What to install for it, in this version.
    package: &'static str,
    /// Whether it is small enough for every run of the tests.
    light: bool,
}

const READERS: &[Reader] = &[
    Reader { name: "numpy", script: "npz.py", package: "numpy<2", light: true },
    Reader { name: "OpenUSD", script: "usd.py", package: "usd-core==26.11", light: true },
    Reader { name: "PyVista", script: "vtk.py", package: "pyvista==0.49.1", light: false },
    Reader { name: "Blender", script: "blender.py", package: "bpy==4.5.15", light: false },
    Reader {
        name: "Khronos",
        script: "gltf.js",
        package: "gltf-validator@2.0.0-dev.3.10",
        light: false,
    },
];

/// Opens the files in every program, and leaves what they said in `docs/formats.txt`.
pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    if !words.is_empty() {
        return Err("usage: cargo xtask formats".into());
    }
    let text = read_with(&READERS.iter().collect::<Vec<_>>())?;
    std::fs::write(root().join("docs/formats.txt"), text)
        .map_err(|e| format!("docs/formats.txt: {e}"))?;
    Ok(ExitCode::SUCCESS)
}

/// The step of the tests: the small programs only.
pub(crate) fn check() -> Result<Done, String> {
    let light: Vec<&Reader> = READERS.iter().filter(|reader| reader.light).collect();
    read_with(&light)?;
    let names: Vec<&str> = light.iter().map(|reader| reader.name).collect();
    Ok(Done::Passed(names.join(", ")))
}

/// Whether packages of Python can be installed for the project alone.
pub(crate) fn has_python() -> bool {
    succeeds(Command::new("python3").args(["-c", "import venv, ensurepip"]))
}

fn read_with(readers: &[&Reader]) -> Result<String, String> {
    let files = empty_folder("formats")?;
    // As the debug tests have built it: alone, the engine is built again with other features.
    run(&mut cargo("build --workspace --all-features --example formats"))?;
    let program = scratch().with_file_name("debug").join("examples/formats");
    run(Command::new(program).arg(&files).current_dir(root()))?;
    let mut text = String::new();
    for reader in readers {
        let said = output(&mut command(reader, &files)?)?;
        // Importers chatter; the scripts say what agrees.
        let verdict = |line: &&str| line.contains(" agree") || line.contains("no errors");
        let lines: Vec<&str> = said.lines().filter(verdict).collect();
        if lines.is_empty() {
            return Err(format!("{} compared nothing", reader.name));
        }
        lines.iter().for_each(|line| text += &format!("{line}\n"));
    }
    print!("{text}");
    Ok(text)
}

/// The script with its program installed.
fn command(reader: &Reader, files: &Path) -> Result<Command, String> {
    let folder = scratch().join("readers");
    let script = root().join("xtask/readers").join(reader.script);
    let mut command = if reader.script.ends_with(".js") {
        let npm = ["install", "--silent", "--no-fund", "--prefix"];
        run(Command::new("npm").args(npm).arg(&folder).arg(reader.package))?;
        let mut node = Command::new("node");
        node.env("NODE_PATH", folder.join("node_modules"));
        node
    } else {
        if !folder.join("bin/python").exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", reader.package]))?;
        Command::new(folder.join("bin/python"))
    };
    command.arg(script).arg(files);
    Ok(command)
}
