//! `pliant new`: a scene to begin with.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use clap::{Arg, ArgMatches};

use crate::Command;
use crate::failure::{FILES, Failure};

pub(crate) const COMMAND: &Command = &Command {
    name: "new",
    about: "Write a scene to begin with, with a word about every line",
    args: |command| command.arg(Arg::new("name").required(true).help("of the scene: NAME.toml")),
    run,
};

/// What a new scene looks like. A test runs it.
const TEMPLATE: &str = include_str!("new.toml");

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let path = match name.strip_suffix(".toml") {
        Some(_) => name.to_owned(),
        None => format!("{name}.toml"),
    };
    let failed = |error: std::io::Error| {
        let hint = if error.kind() == std::io::ErrorKind::AlreadyExists {
            "; choose another name, it is not replaced"
        } else {
            ""
        };
        Failure::boxed(FILES, format!("{path}: {error}{hint}"))
    };
    let mut file = File::create_new(Path::new(&path)).map_err(failed)?;
    file.write_all(TEMPLATE.as_bytes()).map_err(failed)?;
    println!("wrote {path}; try: pliant check {path}, then: pliant run {path}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::scene::Scene;

    #[test]
    fn the_template_is_a_scene_that_holds_what_it_promises() {
        let mut scene = Scene::parse("new.toml", TEMPLATE).unwrap();
        scene.quicken().unwrap();
        let mut play = scene.build().unwrap();
        let mut made = 0;
        while play.frame() < play.frames() {
            play.advance().unwrap();
            for check in play.check() {
                made += 1;
                assert!(check.holds, "{}", check.says);
            }
        }
        assert!(made > 0, "the template shows no check");
    }
}
