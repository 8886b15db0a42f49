//! `pliant scenes`: what there is to run, as a list, as texts and as pictures.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches};
use pliant::{look, raster};
use pliant_io::image;
use pliant_io::scene::Scene;
use pliant_io::scene::library::{self, Entry};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "scenes",
    about: "List the scenes that come with the program, print one, or take pictures of them",
    args,
    run,
};

/// Columns and rows of a picture (pixels): two of each for each point of the window's list.
const SIZE: [u32; 2] = [160, 100];

/// When a picture is taken, as a part of the time that a scene takes: most of it moves then.
const MOMENT: f64 = 0.4;

fn args(command: clap::Command) -> clap::Command {
    let pictures = "a small picture of every scene, or of the one named, as PNG in this folder";
    command
        .arg(Arg::new("scene").help("print the text of this scene"))
        .arg(Arg::new("pictures").long("pictures").value_name("FOLDER").help(pictures))
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let named = matches.get_one::<String>("scene").map(|name| find(name)).transpose()?;
    if let Some(folder) = matches.get_one::<String>("pictures") {
        let chosen = named.map_or(library::ALL, std::slice::from_ref);
        std::fs::create_dir_all(folder)?;
        return chosen.iter().try_for_each(|entry| take_picture(entry, folder.as_ref()));
    }
    match named {
        Some(entry) => print!("{}", entry.text),
        None => list()?,
    }
    Ok(())
}

fn find(name: &str) -> Result<&'static Entry, String> {
    library::find(name).ok_or_else(|| {
        let names: Vec<&str> = library::ALL.iter().map(|entry| entry.name).collect();
        format!("no scene is called {name:?}; there are {}", names.join(", "))
    })
}

fn list() -> Result<(), Box<dyn Error>> {
    for entry in library::ALL {
        let scene = Scene::parse(entry.name, entry.text)?;
        println!("{:<18} {}", entry.name, scene.shows());
    }
    eprintln!(
        "\nRun one with `pliant run NAME`; `pliant scenes NAME > my.toml` gives you its text."
    );
    Ok(())
}

/// Runs a scene for a while and writes how it looks then.
fn take_picture(entry: &Entry, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut play = Scene::parse(entry.name, entry.text)?.build()?;
    let until = (MOMENT * play.frames() as f64) as u64;
    while play.frame() < until {
        play.advance()?;
    }
    let picture = raster::render(&look::picture(&play.world, &play.stage), SIZE[0], SIZE[1]);
    let path = folder.join(format!("{}.png", entry.name));
    image::write_small(&picture, &path)?;
    eprintln!("wrote {}", path.display());
    Ok(())
}
