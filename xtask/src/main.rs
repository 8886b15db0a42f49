//! Project chores, as `cargo xtask COMMAND`; `cargo xtask test` runs every check there is.

mod carry;
mod cmd;
mod determinism;
mod formats;
mod instructions;
mod mutate;
mod sanitize;
mod soak;
mod steps;
mod test;
mod tidy;
mod tools;
mod viewer;

use std::process::ExitCode;

/// Something `cargo xtask` can do.
struct Chore {
    name: &'static str,
    what: &'static str,
    run: fn(&[String]) -> Result<ExitCode, String>,
}

/// Every chore, in the order of the help text.
const CHORES: &[Chore] = &[
    Chore {
        name: "test",
        what: "install what is missing, then run every check [--only A,B] [--list]",
        run: test::main,
    },
    Chore {
        name: "formats",
        what: "open exported files in Blender, ParaView's reader and others",
        run: formats::main,
    },
    Chore { name: "tidy", what: "check that documents and code agree", run: tidy::main },
    Chore {
        name: "viewer",
        what: "drive the window on a virtual display [--monkey] [--debug], or in a browser [--web]",
        run: viewer::main,
    },
    Chore {
        name: "mutate",
        what: "break the engine on purpose, and see that `pliant verify` notices",
        run: mutate::main,
    },
    Chore {
        name: "sanitize",
        what: "the unsafe code under Miri and ThreadSanitizer, where they can be had",
        run: sanitize::main,
    },
    Chore {
        name: "carry",
        what: "programs and GPU tests in a folder, for a machine with a GPU and nothing else",
        run: carry::main,
    },
    Chore { name: "soak", what: "kill a run again and again [KILLS]", run: soak::main },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        print!("{}", help());
        return ExitCode::SUCCESS;
    };
    let result = match CHORES.iter().find(|chore| chore.name == name) {
        Some(chore) => (chore.run)(rest),
        None if ["help", "--help", "-h"].contains(&name.as_str()) => {
            print!("{}", help());
            Ok(ExitCode::SUCCESS)
        }
        None => Err(format!("there is no chore `{name}`\n\n{}", help())),
    };
    result.unwrap_or_else(|message| {
        eprintln!("{message}");
        ExitCode::FAILURE
    })
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask CHORE\n\n");
    for Chore { name, what, .. } in CHORES {
        text += &format!("  {name:8} {what}\n");
    }
    text
}
