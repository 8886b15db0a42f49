//! `pliant scenes`: what there is to run.

use std::error::Error;

use clap::ArgMatches;
use pliant_io::scene::{Scene, library};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "scenes",
    about: "List the scenes that come with the program, or print one",
    args: |command| command.arg(clap::Arg::new("scene").help("print the text of this scene")),
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    if let Some(name) = matches.get_one::<String>("scene") {
        let entry = library::find(name).ok_or_else(|| {
            let names: Vec<&str> = library::ALL.iter().map(|entry| entry.name).collect();
            format!("no scene is called {name:?}; there are {}", names.join(", "))
        })?;
        print!("{}", entry.text);
        return Ok(());
    }
    for entry in library::ALL {
        let scene = Scene::parse(entry.name, entry.text)?;
        println!("{:<18} {}", entry.name, scene.shows());
    }
    eprintln!(
        "\nRun one with `pliant run NAME`; `pliant scenes NAME > my.toml` gives you its text."
    );
    Ok(())
}
