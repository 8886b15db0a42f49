//! `pliant view`: opens a window on a scene or a mesh.

use std::error::Error;

use clap::{Arg, ArgAction, ArgMatches};
use pliant_viewer::session::Source;

use crate::{Command, assignments, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "view",
    about: "Open a window on a scene or a mesh: pull it, tune it, see why",
    args,
    run,
};

fn args(command: clap::Command) -> clap::Command {
    let help = "a scene that `pliant scenes` lists, a file.toml, or a mesh, which falls on a floor";
    let quick = Arg::new("quick").long("quick").action(ArgAction::SetTrue);
    command
        .arg(Arg::new("scene").value_name("SCENE|FILE").help(help))
        .arg(quick.help("the coarse version of the scene, for slow machines"))
        .arg(set_arg().help("change a key of the scene, as in `pliant run`"))
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let name = matches.get_one::<String>("scene").map_or("showcase", String::as_str);
    let source = match matches.get_flag("quick") {
        true => Source::Quick(name.to_owned()),
        false => Source::Named(name.to_owned()),
    };
    let keys = assignments(matches)?;
    let keys: Vec<_> = keys.into_iter().map(|(key, to)| (key.into(), to.into())).collect();
    let source = match keys.is_empty() {
        true => source,
        false => Source::Changed { of: Box::new(source), keys },
    };
    // What is wrong with a file is said here, where it was named, and not in a window.
    source.check()?;
    if !has_display() {
        return Err("no window could be opened: neither DISPLAY nor WAYLAND_DISPLAY is set; \
                    `pliant run SCENE` needs neither a display nor a GPU"
            .into());
    }
    pliant_viewer::open(source)?;
    Ok(())
}

/// Whether there is a display to open a window on.
pub(crate) fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
