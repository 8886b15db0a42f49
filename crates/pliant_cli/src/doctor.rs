//! `pliant doctor`: what a report of a problem should say about the machine.

use std::error::Error;
use std::io::IsTerminal;
use std::time::Instant;

use clap::ArgMatches;
use pliant_io::scene::{FORMAT, Scene, library};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "doctor",
    about: "Say what a report of a problem should say about this machine",
    args: |command| command,
    run: doctor,
};

fn doctor(_: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let build = if cfg!(debug_assertions) { "debug: slow, use --release" } else { "release" };
    println!("pliant     {} ({build})", env!("CARGO_PKG_VERSION"));
    println!("system     {} on {}", std::env::consts::OS, std::env::consts::ARCH);
    println!("cores      {cores}");
    println!("features   {}", features().join(", "));
    println!("formats    scenes {FORMAT}, snapshots {}", pliant::snapshot::VERSION);
    println!("scenes     {}", library::ALL.len());
    let terminal = if std::io::stderr().is_terminal() { "yes" } else { "no: no progress bars" };
    println!("terminal   {terminal}");
    let folder = std::env::current_dir()?;
    let writable = std::fs::metadata(&folder).is_ok_and(|folder| !folder.permissions().readonly());
    println!("folder     {}", if writable { "can be written" } else { "cannot be written" });
    println!("GPU        not used by this program");
    let entry = library::find("hanging-cloth").ok_or("the library has no hanging-cloth")?;
    let mut scene = Scene::parse(entry.name, entry.text)?;
    scene.quicken()?;
    let mut play = scene.build()?;
    let began = Instant::now();
    for _ in 0..60 {
        play.advance()?;
    }
    let ms = began.elapsed().as_secs_f64() * 1e3 / 60.0;
    println!(
        "check      hanging-cloth, quick: {ms:.2} ms a frame, hash {:016x}",
        play.world.hash()
    );
    Ok(())
}

/// What this processor can do that the engine uses.
fn features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("sse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("fma", std::arch::is_x86_feature_detected!("fma")),
        ];
        found.extend(known.iter().filter(|feature| feature.1).map(|feature| feature.0));
    }
    if found.is_empty() {
        found.push("none that are looked for");
    }
    found
}
