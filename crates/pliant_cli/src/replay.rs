//! `pliant replay`: runs a run again, from its beginning, and compares.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant_io::run::{self, Record};
use pliant_io::scene::Play;

use crate::Command;
use crate::camera::{Camera, Sight, listed};
use crate::failure::{CHECK, Failure};
use crate::run::progress;

pub(crate) const COMMAND: &Command = &Command {
    name: "replay",
    about: "Run a run again from its beginning: for pictures of all of it, or to verify its hashes",
    args: |command| {
        let number = |name: &'static str| Arg::new(name).long(name).value_name("N");
        Sight::args(command)
            .arg(Arg::new("folder").required(true).help("the folder of the run"))
            .arg(
                Arg::new("verify")
                    .long("verify")
                    .action(ArgAction::SetTrue)
                    .help("compare the hash of every frame instead of drawing"),
            )
            .arg(number("threads").value_parser(value_parser!(u32)).help("instead of the run's"))
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(matches.get_one::<String>("folder").map_or("", String::as_str));
    let mut replay = Replay::open(folder)?;
    if let Some(&threads) = matches.get_one::<u32>("threads") {
        replay.play.world.config.threads = threads;
    }
    let mut camera = None;
    if !matches.get_flag("verify") {
        let files = [folder.join("animation"), folder.join("picture.png")];
        let (sight, play) = (Sight::new(matches)?, &replay.play);
        camera = Some(Camera::new(play.stage.clone(), &sight, [&files[0], &files[1]], play.fps)?);
    }
    let frames = replay.records.len();
    let play = replay.run(|play| match &mut camera {
        // The last picture is taken when the films are completed.
        Some(camera) if play.frame() < frames as u64 => camera.watch(&play.world, play.frame()),
        _ => Ok(()),
    })?;
    println!("{frames} frames, all with the same hash");
    if let Some(camera) = camera {
        println!("wrote {}", listed(&camera.finish(&play.world)?));
    }
    Ok(())
}

/// A run that is run again.
pub(crate) struct Replay {
    pub(crate) play: Play,
    records: Vec<Record>,
}

impl Replay {
    /// The run of a folder, before its first frame.
    pub(crate) fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let (_, play) = run::open(folder)?;
        Ok(Self { play, records: run::records(folder)? })
    }

    /// Takes all frames, each of which must have its hash; `seen` is called before the first and
    /// after every one.
    pub(crate) fn run(
        mut self,
        mut seen: impl FnMut(&Play) -> Result<(), Box<dyn Error>>,
    ) -> Result<Play, Box<dyn Error>> {
        let bar = progress(self.records.len() as u64)?;
        seen(&self.play)?;
        for Record { frame, hash } in &self.records {
            self.play.advance()?;
            let found = self.play.world.hash();
            if self.play.frame() != *frame || found != *hash {
                bar.abandon();
                let message = format!(
                    "differs first after frame {frame}: the run has {hash:016x}, this machine \
                     {found:016x}"
                );
                return Err(Failure::boxed(CHECK, message));
            }
            seen(&self.play)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(self.play)
    }
}
