//! `pliant hash`: a fingerprint of scenes, the same on every machine.

use std::error::Error;

use clap::{Arg, ArgMatches, value_parser};
use pliant::scenes::Scene as Workload;
use pliant::step;
use pliant_io::scene::{Scene, library};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "hash",
    about: "Print a fingerprint of scenes; it is the same on every machine",
    args: |command| {
        let threads = Arg::new("threads").long("threads").value_name("N");
        let frames = Arg::new("frames").long("frames").value_name("N");
        command
            .arg(Arg::new("scene").num_args(0..).help(
                "scenes, files or workloads; none is all that there are, in their quick versions",
            ))
            .arg(
                threads
                    .value_parser(value_parser!(u32).range(0..=256))
                    .default_value("0")
                    .help("0: one per core"),
            )
            .arg(frames.value_parser(value_parser!(u32)).default_value("600").help("to simulate"))
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let threads = *matches.get_one::<u32>("threads").unwrap_or(&0);
    let frames = *matches.get_one::<u32>("frames").unwrap_or(&600);
    if let Some(names) = matches.get_many::<String>("scene") {
        for name in names {
            let hash = match Workload::find(name) {
                Some(workload) => of_workload(workload, workload.size, threads, frames)?,
                None => of_scene(&Scene::open(name)?, threads, frames)?,
            };
            println!("{name} {hash:016x}");
        }
        return Ok(());
    }
    for entry in library::ALL {
        let mut scene = Scene::parse(entry.name, entry.text)?;
        scene.quicken()?;
        println!("{} {:016x}", entry.name, of_scene(&scene, threads, frames)?);
    }
    for workload in pliant::scenes::ALL {
        let hash = of_workload(workload, workload.test_size, threads, frames)?;
        println!("{} {hash:016x}", workload.name);
    }
    Ok(())
}

fn of_scene(scene: &Scene, threads: u32, frames: u32) -> Result<u64, Box<dyn Error>> {
    let mut play = scene.build()?;
    play.world.config.threads = threads;
    for _ in 0..frames {
        play.advance()?;
    }
    Ok(play.world.hash())
}

fn of_workload(
    workload: &Workload,
    size: u32,
    threads: u32,
    frames: u32,
) -> Result<u64, Box<dyn Error>> {
    let mut world = (workload.build)(size)?;
    world.config.threads = threads;
    for _ in 0..frames {
        step(&mut world, 1.0 / 60.0)?;
    }
    Ok(world.hash())
}
