//! The `pliant` program: run, look at and check soft bodies from the command line.
#![expect(clippy::print_stdout, reason = "this is the program that talks to people")]

mod backend;
mod bench;
mod camera;
mod check;
mod converge;
mod convert;
mod doctor;
mod explain;
mod export;
mod failure;
mod hash;
mod manual;
mod mesh;
mod new;
mod replay;
mod run;
mod scenes;
mod timing;
mod verify;
#[cfg(feature = "viewer")]
mod view;

use std::error::Error;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches};
use pliant::settings::Setting;
use pliant::{Config, scenes::Scene};

/// Every command, in the order of `pliant --help`.
const COMMANDS: &[&Command] = &[
    run::COMMAND,
    #[cfg(feature = "viewer")]
    view::COMMAND,
    scenes::COMMAND,
    new::COMMAND,
    check::COMMAND,
    explain::COMMAND,
    mesh::COMMAND,
    convert::COMMAND,
    replay::COMMAND,
    hash::COMMAND,
    bench::COMMAND,
    verify::COMMAND,
    converge::COMMAND,
    doctor::COMMAND,
    manual::COMPLETIONS,
    manual::MAN,
];

/// A command of the program.
struct Command {
    name: &'static str,
    about: &'static str,
    /// Adds the command's arguments.
    args: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches) -> Result<(), Box<dyn Error>>,
}

fn main() -> ExitCode {
    failure::mind_the_output();
    let matches = program().get_matches();
    let result = match matches.subcommand() {
        // Without a command the program does its main job.
        None => {
            let command = main_job();
            (command.run)(&(command.args)(clap::Command::new(command.name)).get_matches_from([""]))
        }
        Some((name, matches)) => COMMANDS
            .iter()
            .find(|command| command.name == name)
            .map_or(Ok(()), |command| (command.run)(matches)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(failure::code(error.as_ref()))
        }
    }
}

/// What is done without a command: a window where there is a display, else the showcase as files.
fn main_job() -> &'static Command {
    #[cfg(feature = "viewer")]
    if view::has_display() {
        return view::COMMAND;
    }
    run::COMMAND
}

fn program() -> clap::Command {
    let commands = COMMANDS
        .iter()
        .map(|command| (command.args)(clap::Command::new(command.name).about(command.about)));
    clap::Command::new("pliant")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Real-time soft bodies: cloth, jelly, organs, balloons and ropes")
        .after_help(format!(
            "Without a command: pliant view where there is a display, else pliant run showcase\n\nResults go to standard output, progress and \
             errors to standard error.\n\n{}",
            failure::CODES
        ))
        .subcommands(commands)
}

/// `--set NAME=VALUE`, any number of times.
fn set_arg() -> Arg {
    Arg::new("set").long("set").value_name("NAME=VALUE").action(ArgAction::Append)
}

/// The names and values of every `--set`.
fn assignments(matches: &ArgMatches) -> Result<Vec<(&str, &str)>, Box<dyn Error>> {
    let texts = matches.get_many::<String>("set").into_iter().flatten();
    let pairs = texts.map(|text| {
        text.split_once('=').ok_or_else(|| format!("--set {text}: expected NAME=VALUE").into())
    });
    pairs.collect()
}

/// Applies every `--set` to the settings of a world.
fn apply_settings(matches: &ArgMatches, config: &mut Config) -> Result<(), Box<dyn Error>> {
    for (name, value) in assignments(matches)? {
        config.set(name, Setting::find(name)?.parse(value)?)?;
    }
    Ok(())
}

/// The workload of that name, or an error that lists them.
fn find_workload(name: &str) -> Result<&'static Scene, Box<dyn Error>> {
    Scene::find(name).ok_or_else(|| {
        let names: Vec<_> = pliant::scenes::ALL.iter().map(|scene| scene.name).collect();
        format!("no workload is called {name:?}; there are {}", names.join(", ")).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_fit_together() {
        program().debug_assert();
    }

    #[test]
    fn a_setting_that_is_wrong_is_explained() {
        let error = |text: &str| {
            let args = (converge::COMMAND.args)(clap::Command::new("converge"));
            let matches = args.get_matches_from(["converge", "--set", text]);
            apply_settings(&matches, &mut Config::default()).unwrap_err().to_string()
        };
        assert!(error("substeps").contains("NAME=VALUE"));
        assert!(error("substep=3").contains("substeps"));
        assert!(error("substeps=0").contains("from 1 to"));
        assert!(error("gravity=1,2").contains("three numbers"));
        assert!(error("solver=fast").contains("in_order"));
    }
}
