//! What the steps need beside cargo and a C compiler; installed when missing, never silently.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cmd::{self, output, root, run, scratch, succeeds};
use crate::{formats, instructions};

/// Something a step needs.
pub(crate) struct Tool {
    name: &'static str,
    present: fn() -> bool,
    install: fn() -> Result<(), String>,
    /// Whether the steps that ask for it fail without it.
    required: fn() -> bool,
    /// What to do by hand where `install` fails.
    remedy: &'static str,
}

pub(crate) const RUSTFMT: Tool = Tool {
    name: "rustfmt",
    present: || succeeds(&mut cmd::cargo("fmt --version")),
    install: || run(Command::new("rustup").args(["component", "add", "rustfmt"])),
    required: || true,
    remedy: "run `rustup component add rustfmt`, or install your system's rustfmt",
};

pub(crate) const CLIPPY: Tool = Tool {
    name: "clippy",
    present: || succeeds(&mut cmd::cargo("clippy --version")),
    install: || run(Command::new("rustup").args(["component", "add", "clippy"])),
    required: || true,
    remedy: "run `rustup component add clippy`, or install your system's clippy",
};

pub(crate) const WASM: Tool = Tool {
    name: "wasm32 target",
    present: has_wasm,
    install: || run(Command::new("rustup").args(["target", "add", WASM_TARGET])),
    required: || true,
    remedy: "run `rustup target add wasm32-unknown-unknown`",
};

pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A Vulkan driver; Mesa's software driver (lavapipe) needs no graphics card.
pub(crate) const VULKAN: Tool = Tool {
    name: "Vulkan driver",
    present: has_vulkan,
    install: || apt_install("mesa-vulkan-drivers libvulkan1"),
    required: uses_wgpu,
    remedy: "as root, run `apt-get install mesa-vulkan-drivers libvulkan1`; on other systems, \
             install the Vulkan loader and Mesa's software driver (lavapipe)",
};

/// Counts instructions. Where it cannot be installed, the step that needs it says so.
pub(crate) const VALGRIND: Tool = Tool {
    name: "valgrind",
    present: instructions::has_valgrind,
    install: || apt_install("valgrind"),
    required: || false,
    remedy: "as root, run `apt-get install valgrind`",
};

/// A virtual display, hands to use it and eyes to see it, and what the window makes films with.
pub(crate) const WINDOWS: Tool = Tool {
    name: "Xvfb, xdotool, ImageMagick and FFmpeg",
    // Not all of them have a question to which they answer and end well.
    present: || {
        let has = |name: &&str| succeeds(Command::new("which").arg(name));
        ["Xvfb", "xdotool", "import", "ffmpeg"].iter().all(has)
    },
    install: || {
        apt_install("xvfb xdotool imagemagick ffmpeg libxkbcommon-x11-0 libxcursor1 libxi6")
    },
    required: || true,
    remedy: "as root, run `apt-get install xvfb xdotool imagemagick ffmpeg libxkbcommon-x11-0`",
};

/// Makes web pages of programs for the web.
pub(crate) const BINDGEN: Tool = Tool {
    name: "wasm-bindgen",
    present: || bindgen_program().is_some(),
    install: install_bindgen,
    required: || true,
    remedy: "run `cargo install wasm-bindgen-cli`, in the version of wasm-bindgen in Cargo.lock",
};

/// A browser.
pub(crate) const CHROMIUM: Tool = Tool {
    name: "Chromium",
    present: || succeeds(Command::new("which").arg("chromium")),
    install: || apt_install("chromium"),
    required: || true,
    remedy: "as root, run `apt-get install chromium`",
};

/// For the programs that open exported files.
pub(crate) const PYTHON: Tool = Tool {
    name: "Python with venv",
    present: formats::has_python,
    install: || apt_install("python3 python3-venv"),
    required: || true,
    remedy: "install Python 3 with its venv module; on Debian `apt-get install python3-venv`",
};

pub(crate) const DENY: Tool = Tool {
    name: "cargo-deny",
    present: || deny_program().is_some(),
    install: install_deny,
    required: || true,
    remedy: "run `cargo install cargo-deny`",
};

/// The tools that were looked for; `Err` holds what to do about a missing one.
pub(crate) struct Prepared(BTreeMap<&'static str, Result<(), String>>);

/// Looks for each tool and installs it where it is missing.
pub(crate) fn prepare<'a>(tools: impl Iterator<Item = &'a Tool>) -> Prepared {
    let mut found = BTreeMap::new();
    for tool in tools {
        found.entry(tool.name).or_insert_with(|| prepare_one(tool));
    }
    Prepared(found)
}

impl Prepared {
    /// Fails with the remedy for the first of `tools` that is not there.
    pub(crate) fn check(&self, tools: &[Tool]) -> Result<(), String> {
        tools.iter().filter_map(|tool| self.0.get(tool.name)).try_for_each(Clone::clone)
    }
}

fn prepare_one(tool: &Tool) -> Result<(), String> {
    let name = tool.name;
    if (tool.present)() {
        println!("{name}: present");
        return Ok(());
    }
    println!("{name}: missing, installing");
    let installed = (tool.install)().and_then(|()| {
        if (tool.present)() { Ok(()) } else { Err("installed, but still not found".into()) }
    });
    let Err(cause) = installed else {
        println!("{name}: installed");
        return Ok(());
    };
    let message = format!("{name} is missing: {}\n{cause}", tool.remedy);
    println!("{message}");
    if (tool.required)() {
        return Err(message);
    }
    println!("{name}: going on without");
    Ok(())
}

fn has_wasm() -> bool {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default();
    Path::new(sysroot.trim()).join("lib/rustlib").join(WASM_TARGET).join("lib").exists()
}

/// Whether the loader and at least one driver are there; other systems bring Metal or DX12.
fn has_vulkan() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let named =
        ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|v| std::env::var_os(v).is_some());
    let driver = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
        .iter()
        .any(|folder| Path::new(folder).read_dir().is_ok_and(|mut files| files.next().is_some()));
    vulkan_loader().is_some() && (named || driver)
}

/// The library through which drivers of Vulkan are found, as the system's linker knows it.
pub(crate) fn vulkan_loader() -> Option<PathBuf> {
    let known = |ldconfig| output(Command::new(ldconfig).arg("-p")).ok();
    let libraries = ["ldconfig", "/sbin/ldconfig"].into_iter().find_map(known)?;
    let path_of = |line: &str| {
        let (name, path) = line.split_once("=>")?;
        name.contains("libvulkan.so.1 ").then(|| PathBuf::from(path.trim()))
    };
    libraries.lines().find_map(path_of)
}

/// Installs packages of the system.
fn apt_install(packages: &str) -> Result<(), String> {
    if !succeeds(Command::new("apt-get").arg("--version")) {
        return Err("this system has no apt-get".into());
    }
    if output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Err("only root may install packages".into());
    }
    let apt = |line: &str| {
        let mut command = Command::new("apt-get");
        command.args(line.split_whitespace()).env("DEBIAN_FRONTEND", "noninteractive");
        run(&mut command)
    };
    // A failed update is no reason to stop: the package lists may be recent enough.
    apt("update -q").unwrap_or_else(|e| println!("{e}"));
    apt(&format!("install -q -y --no-install-recommends {packages}"))
}

/// Whether any crate of the workspace computes or draws with a GPU.
fn uses_wgpu() -> bool {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap_or_default();
    lock.lines().any(|line| line == "name = \"wgpu\"")
}

/// The version we build; any other of this series or later that is installed will do.
const DENY_VERSION: &str = "0.20.2";

/// The oldest cargo-deny that reads our `deny.toml`.
const DENY_OLDEST: (u32, u32) = (0, 18);

/// cargo-deny: the user's own where it is recent enough, else the one in the scratch folder.
pub(crate) fn deny_program() -> Option<PathBuf> {
    let ours = scratch().join("tools/bin/cargo-deny");
    [PathBuf::from("cargo-deny"), ours].into_iter().find(|program| {
        output(Command::new(program).arg("--version")).is_ok_and(|text| is_recent(&text))
    })
}

/// Whether `cargo-deny 0.20.2` is at least [`DENY_OLDEST`].
fn is_recent(text: &str) -> bool {
    let version = text.trim().trim_start_matches("cargo-deny").trim();
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major, minor) >= DENY_OLDEST
}

/// Builds cargo-deny into the scratch folder, leaving the user's own programs alone.
///
/// Without optimisation it takes 95 s of one core to build and checks the project in 1 s; its own
/// release profile (fat LTO) takes 289 s.
fn install_deny() -> Result<(), String> {
    let build = |locked: &str| {
        let line = format!("install cargo-deny --version {DENY_VERSION} {locked}");
        let mut command = cmd::cargo(&line);
        command.arg("--root").arg(scratch().join("tools"));
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        command.env("CARGO_PROFILE_RELEASE_LTO", "off");
        command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        run(&mut command)
    };
    // Its lock file may name a version that the registry at hand does not have.
    build("--locked").or_else(|e| {
        println!("{e}; trying without --locked");
        build("")
    })
}

/// The version of wasm-bindgen that programs are built with: what makes a page of them must be the same.
fn bindgen_version() -> Option<String> {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).ok()?;
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"wasm-bindgen\"");
    let version = lines.nth(1)?.strip_prefix("version = \"")?;
    version.strip_suffix('"').map(str::to_owned)
}

/// wasm-bindgen of that version: the user's own, else the one in the scratch folder.
pub(crate) fn bindgen_program() -> Option<PathBuf> {
    let wanted = format!("wasm-bindgen {}", bindgen_version()?);
    let ours = scratch().join("tools/bin/wasm-bindgen");
    [PathBuf::from("wasm-bindgen"), ours].into_iter().find(|program| {
        output(Command::new(program).arg("--version")).is_ok_and(|text| text.trim() == wanted)
    })
}

/// Builds it into the scratch folder.
fn install_bindgen() -> Result<(), String> {
    let version = bindgen_version().ok_or("Cargo.lock has no wasm-bindgen")?;
    let mut command = cmd::cargo(&format!("install wasm-bindgen-cli --version {version}"));
    run(command.arg("--root").arg(scratch().join("tools")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_wasm_bindgen_is_in_the_lock_file() {
        let version = bindgen_version().unwrap_or_default();
        let numbers = version.split('.').filter(|part| part.parse::<u32>().is_ok()).count();
        assert_eq!(numbers, 3, "{version:?}");
    }

    #[test]
    fn an_old_cargo_deny_is_not_enough() {
        assert!(is_recent("cargo-deny 0.20.2\n"));
        assert!(is_recent("cargo-deny 1.0.0"));
        assert!(!is_recent("cargo-deny 0.14.2"));
        assert!(!is_recent(""));
    }
}
