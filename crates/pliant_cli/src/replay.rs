//! `pliant replay`: runs a run again, from its beginning, and compares.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant_io::run::{self, Record};

use crate::Command;
use crate::camera::Camera;
use crate::failure::{CHECK, Failure};
use crate::run::progress;

pub(crate) const COMMAND: &Command = &Command {
    name: "replay",
    about: "Run a run again from its beginning: for pictures of all of it, or to verify its hashes",
    args: |command| {
        let number = |name: &'static str| Arg::new(name).long(name).value_name("N");
        command
            .arg(Arg::new("folder").required(true).help("the folder of the run"))
            .arg(
                Arg::new("verify")
                    .long("verify")
                    .action(ArgAction::SetTrue)
                    .help("compare the hash of every frame instead of drawing"),
            )
            .arg(number("threads").value_parser(value_parser!(u32)).help("instead of the run's"))
            .arg(
                number("width")
                    .value_parser(value_parser!(u32).range(16..=4096))
                    .default_value("640")
                    .help("of the pictures, in pixels"),
            )
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(matches.get_one::<String>("folder").map_or("", String::as_str));
    let (_, mut play) = run::open(folder)?;
    if let Some(&threads) = matches.get_one::<u32>("threads") {
        play.world.config.threads = threads;
    }
    let records = run::records(folder)?;
    let bar = progress(records.len() as u64)?;
    let mut camera = None;
    if !matches.get_flag("verify") {
        let (gif, png) = (folder.join("animation.gif"), folder.join("picture.png"));
        let width = *matches.get_one::<u32>("width").unwrap_or(&640);
        camera = Some(Camera::new(play.stage.clone(), [&gif, &png], width, play.fps)?);
    }
    for Record { frame, hash } in &records {
        if let Some(camera) = &mut camera {
            camera.watch(&play.world, play.frame())?;
        }
        play.advance()?;
        let found = play.world.hash();
        if play.frame() != *frame || found != *hash {
            bar.abandon();
            let message = format!(
                "differs first after frame {frame}: the run has {hash:016x}, this machine {found:016x}"
            );
            return Err(Failure::boxed(CHECK, message));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{} frames, all with the same hash", records.len());
    if let Some(camera) = camera {
        let [animation, picture] = camera.finish(&play.world)?;
        println!("wrote {} and {}", animation.display(), picture.display());
    }
    Ok(())
}
