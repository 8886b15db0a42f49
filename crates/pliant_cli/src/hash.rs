//! `pliant hash`: proof that a build computes the same as any other.

use std::error::Error;

use clap::{Arg, ArgMatches, value_parser};
use pliant::step;

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "hash",
    about: "Print a fingerprint of every scene; it is the same on every machine",
    args: |command| {
        let threads = Arg::new("threads").long("threads").value_name("N");
        let frames = Arg::new("frames").long("frames").value_name("N");
        command
            .arg(
                threads.value_parser(value_parser!(u32)).default_value("0").help("0: one per core"),
            )
            .arg(frames.value_parser(value_parser!(u32)).default_value("600").help("of 1/60 s"))
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let threads = *matches.get_one::<u32>("threads").unwrap_or(&0);
    let frames = *matches.get_one::<u32>("frames").unwrap_or(&600);
    for scene in pliant::scenes::ALL {
        let mut world = (scene.build)(scene.test_size)?;
        world.config.threads = threads;
        for _ in 0..frames {
            step(&mut world, 1.0 / 60.0)?;
        }
        println!("{} {:016x}", scene.name, world.hash());
    }
    Ok(())
}
