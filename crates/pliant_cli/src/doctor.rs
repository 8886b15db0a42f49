//! `pliant doctor`: what a report of a problem should say about the machine.

use std::error::Error;
use std::io::IsTerminal;

use clap::ArgMatches;
use pliant::Backend;
use pliant_io::scene::{FORMAT, Scene, library};

use crate::timing::Timing;
use crate::{Command, backend};

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
    let gpu = backend::gpu();
    println!("GPU        {}", gpu.as_deref().unwrap_or_else(|why| why));
    println!("check      hanging-cloth, quick: {}", check(Backend::Cpu)?);
    if gpu.is_ok() {
        let says = check(Backend::Gpu).unwrap_or_else(|why| format!("FAILED: {why}"));
        println!("           the same on the GPU: {says}");
    }
    Ok(())
}

/// A second of a scene: how long a frame takes, what it comes to.
fn check(backend: Backend) -> Result<String, Box<dyn Error>> {
    let entry = library::find("hanging-cloth").ok_or("the library has no hanging-cloth")?;
    let mut scene = Scene::parse(entry.name, entry.text)?;
    scene.quicken()?;
    let mut play = scene.build()?;
    play.world.config.backend = backend;
    let mut timing = Timing::new(None).on(backend::choose(&mut play.world)?);
    let mut step = |frames: u32| -> Result<f64, Box<dyn Error>> {
        let before = timing.elapsed();
        for _ in 0..frames {
            play.advance_with(|world, dt| {
                timing.step(world, dt)?;
                timing.read_into(world)
            })?;
        }
        Ok((timing.elapsed() - before).as_secs_f64() * 1e3 / f64::from(frames))
    };
    // The first frame colours and compiles.
    step(1)?;
    let ms = step(59)?;
    Ok(format!("{ms:.2} ms a frame, hash {:016x}", play.world.hash()))
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
