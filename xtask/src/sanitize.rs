//! `cargo xtask sanitize`: the engine's unsafe code under Miri and ThreadSanitizer.
//!
//! Both need a nightly compiler, so this is no step of `cargo xtask test`. What cannot be had is
//! said, and is no failure.

use std::process::{Command, ExitCode};

use crate::cmd::{root, run, succeeds};

/// A tool, what it needs, and how it is run.
struct Sanitizer {
    name: &'static str,
    component: &'static str,
    commands: &'static [Line],
}

/// Words for cargo, and variables of the environment.
type Line = (&'static str, &'static [(&'static str, &'static str)]);

const ALL: &[Sanitizer] = &[
    // Worlds for another processor: on this one a square root is in assembly, which Miri cannot run.
    Sanitizer {
        name: "Miri",
        component: "miri",
        commands: &[
            ("miri test -p pliant --lib parallel::", &[]),
            ("miri test -p pliant --test small --target riscv64gc-unknown-linux-gnu", &[]),
        ],
    },
    Sanitizer {
        name: "ThreadSanitizer",
        component: "rust-src",
        commands: &[
            ("test -Zbuild-std -p pliant --lib parallel::", RACES),
            ("test -Zbuild-std -p pliant --test small", RACES),
        ],
    },
];

const RACES: &[(&str, &str)] = &[("RUSTFLAGS", "-Zsanitizer=thread"), ("CARGO_BUILD_TARGET", HOST)];

/// What ThreadSanitizer is built for; naming it keeps build scripts and macros out.
const HOST: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    if !words.is_empty() {
        return Err("usage: cargo xtask sanitize".into());
    }
    for Sanitizer { name, component, commands } in ALL {
        println!("\n=== {name}");
        let add = ["component", "add", component, "--toolchain", "nightly"];
        if !succeeds(Command::new("rustup").args(add)) {
            println!("not run: `rustup {}` does not get it here", add.join(" "));
            continue;
        }
        for (line, variables) in *commands {
            let mut command = Command::new("rustup");
            command.args(["run", "nightly", "cargo"]).args(line.split_whitespace());
            command.current_dir(root()).envs(variables.iter().copied());
            // Cargo tells those that it runs which of its kind to call: this one.
            command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
            command.env("CARGO_TARGET_DIR", root().join("target/sanitize"));
            run(&mut command)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
