//! `pliant run`: simulate a scene, leave an animation, and say how it went.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use pliant::budget::Budget;
use pliant::glam::Vec3;
use pliant::{Stepping, Stiffness, World, integrate, look, measure, raster};
use pliant_io::image::{self, GifWriter};

use crate::timing::{Frame, Timing};
use crate::{Command, apply_settings, backend, find_scene, set_arg};

pub(crate) const COMMAND: &Command =
    &Command { name: "run", about: "Simulate a scene and leave an animation of it", args, run };

/// Frames per second of the simulation.
pub(crate) const FPS: u32 = 60;
/// Simulated frames per picture: 30 pictures a second are smooth, and half the size of 60.
const FRAMES_PER_PICTURE: u32 = 2;

fn args(command: clap::Command) -> clap::Command {
    let size = value_parser!(u32).range(2..=1000);
    let pixels = value_parser!(u32).range(16..=4096);
    command
        .arg(Arg::new("scene").default_value("showcase").help("`pliant scenes` lists them"))
        .arg(
            number("seconds")
                .value_parser(value_parser!(f32))
                .default_value("4")
                .help("to simulate"),
        )
        .arg(number("size").value_parser(size).help("particles along the longest side"))
        .arg(
            number("width")
                .value_parser(pixels)
                .default_value("640")
                .help("of the pictures, in pixels"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FOLDER")
                .default_value("out")
                .help("for the files"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("MS")
                .value_parser(value_parser!(f64))
                .help("milliseconds a frame may take: chooses substeps and iterations to fit"),
        )
        .arg(
            Arg::new("stepping")
                .long("stepping")
                .value_name("NAME")
                .help("move bodies by `constraints`, or an integrator that `pliant explain` lists"),
        )
        .arg(set_arg().help("change a setting, such as substeps=40; `pliant explain` lists them"))
        .arg(
            Arg::new("no-pictures")
                .long("no-pictures")
                .action(ArgAction::SetTrue)
                .help("only simulate"),
        )
}

fn number(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N")
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let name = matches.get_one::<String>("scene").map_or("showcase", String::as_str);
    let scene = find_scene(name)?;
    let seconds = *matches.get_one::<f32>("seconds").unwrap_or(&4.0);
    if !(0.0..=3600.0).contains(&seconds) {
        return Err(format!("--seconds {seconds}: expected 0 to 3600").into());
    }
    let size = matches.get_one::<u32>("size").copied().unwrap_or(scene.size);
    let mut world = (scene.build)(size)?;
    apply_settings(matches, &mut world.config)?;
    if let Some(name) = matches.get_one::<String>("stepping") {
        set_stepping(&mut world, name)?;
    }

    println!("{}: {}", scene.name, scene.shows);
    let mut camera = (!matches.get_flag("no-pictures"))
        .then(|| Camera::new(scene.name, (scene.stage)(size), matches))
        .transpose()?;
    let milliseconds = matches.get_one::<f64>("budget").copied();
    let budget = milliseconds.map(|ms| Budget::new(ms * 1e-3)).transpose()?;
    let elsewhere = backend::choose(&mut world)?;
    if elsewhere.is_some() && budget.is_some() {
        return Err("--budget looks at every iteration, so it needs --set backend=cpu".into());
    }
    let mut timing = Timing::new(budget).on(elsewhere);
    let frames = (seconds * FPS as f32).round() as u32;
    simulate(&mut world, frames, camera.as_mut(), &mut timing)?;
    let files = camera.map(|camera| camera.finish(&world)).transpose()?;
    report(&world, &timing);
    if let Some(milliseconds) = milliseconds {
        report_budget(milliseconds, timing.frames());
    }
    for file in files.into_iter().flatten() {
        println!("wrote {}", file.display());
    }
    println!("\nTry next: pliant run {name} --set substeps=5, pliant scenes, pliant explain");
    Ok(())
}

/// Moves all bodies in the way of that name.
fn set_stepping(world: &mut World, name: &str) -> Result<(), Box<dyn Error>> {
    let stepping = Stepping::find(name).ok_or_else(|| {
        let names: Vec<&str> = integrate::ALL.iter().map(|integrator| integrator.name).collect();
        format!("--stepping {name}: expected constraints or one of {}", names.join(", "))
    })?;
    let bodies: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    for id in bodies {
        world.set_stepping(id, stepping)?;
    }
    Ok(())
}

pub(crate) fn simulate(
    world: &mut World,
    frames: u32,
    mut camera: Option<&mut Camera>,
    timing: &mut Timing,
) -> Result<(), Box<dyn Error>> {
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} frames, {eta} left")?;
    let bar = ProgressBar::new(frames.into()).with_style(style);
    for frame in 0..frames {
        if let Some(camera) = camera.as_mut().filter(|_| frame % FRAMES_PER_PICTURE == 0) {
            timing.read_into(world)?;
            camera.take(world)?;
        }
        timing.step(world, 1.0 / FPS as f32)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    timing.read_into(world)
}

/// Takes pictures of a scene.
pub(crate) struct Camera {
    frame: raster::Scene,
    animation: GifWriter,
    paths: [PathBuf; 2],
    size: [u32; 2],
    drawing: Duration,
}

impl Camera {
    /// Sees the box between two corners (m); the files are called `name`.
    pub(crate) fn new(
        name: &str,
        bounds: [Vec3; 2],
        matches: &ArgMatches,
    ) -> Result<Self, Box<dyn Error>> {
        let width = *matches.get_one::<u32>("width").unwrap_or(&640);
        let size = [width, width * 5 / 8];
        let folder = matches.get_one::<String>("out").map_or("out", String::as_str);
        fs::create_dir_all(folder)
            .map_err(|e| format!("{folder}: {e}; choose another folder with --out"))?;
        let path = |ending| Path::new(folder).join(name).with_added_extension(ending);
        let paths = [path("gif"), path("png")];
        let fps = (FPS / FRAMES_PER_PICTURE) as f32;
        let animation = GifWriter::create(&paths[0], size[0], size[1], fps)?;
        Ok(Self { frame: look::stage(bounds), animation, paths, size, drawing: Duration::ZERO })
    }

    fn take(&mut self, world: &World) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        let [width, height] = self.size;
        self.animation.frame(&raster::render(&look::picture(world, &self.frame), width, height))?;
        self.drawing += began.elapsed();
        Ok(())
    }

    /// Writes the last picture and closes the animation.
    pub(crate) fn finish(mut self, world: &World) -> Result<[PathBuf; 2], Box<dyn Error>> {
        self.take(world)?;
        let [width, height] = self.size;
        let last = raster::render(&look::picture(world, &self.frame), width * 2, height * 2);
        image::write(&last, &self.paths[1])?;
        self.animation.finish()?;
        println!("\ndrawn in {:.1} s, without a GPU", self.drawing.as_secs_f64());
        Ok(self.paths)
    }
}

/// How many constraints of each kind there were, and how well they were solved.
fn report_constraints(world: &World) {
    println!(
        "\n{:<14} {:>11} {:>7} {:>12} {:<6} stiffness reached",
        "constraint", "count", "colours", "residual", ""
    );
    for set in world.constraints().iter().filter(|set| !set.is_empty()) {
        let (kind, residual) = (set.kind(), world.residual(set));
        let Stiffness { share, give } = world.stiffness_reached(set);
        let share = share.map(|share| format!("{:.1} %", 100.0 * share));
        let give = give.map(|give| format!("rigid gives {give:.1e} ({})²/J", kind.unit));
        let reached: Vec<String> = share.into_iter().chain(give).collect();
        println!(
            "{:<14} {:>11} {:>7} {residual:>12.2e} {:<6} {}",
            kind.name,
            set.len(),
            set.colors(),
            kind.unit,
            reached.join(", ")
        );
    }
}

/// What a budget was used for. The first second is for finding out what the machine can do.
fn report_budget(milliseconds: f64, frames: &[Frame]) {
    let settled = &frames[frames.len().min(FPS as usize)..];
    let mut times: Vec<f64> = settled.iter().map(|f| f.time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let (Some(worst), Some(last)) = (times.last(), settled.last()) else {
        println!("\na budget takes a second to settle; --seconds 4 shows what it reaches");
        return;
    };
    let late = times.iter().filter(|time| **time > 1.1 * milliseconds).count();
    let cut = settled.iter().filter(|frame| frame.cut).count();
    let substeps = settled.iter().map(|frame| frame.substeps);
    let (low, high) = (substeps.clone().min().unwrap_or(0), substeps.max().unwrap_or(0));
    println!(
        "\nbudget of {milliseconds} ms, in the {} frames after the first second:",
        times.len()
    );
    println!("  median {:.2} ms, worst {worst:.2} ms", times[times.len() / 2]);
    println!(
        "  {late} more than 10 % late, {cut} cut short: the world is behind by what they lack"
    );
    println!("  {low} to {high} substeps of {} iterations", last.iterations);
}

/// The short table at the end: what there was, where the time went, what is left unsolved.
pub(crate) fn report(world: &World, timing: &Timing) {
    // Rounded up: a budget may have cut some frames short.
    let frames = (world.time * f64::from(FPS)).round().max(timing.frames().len() as f64).max(1.0);
    let per_frame = |time: Duration| time.as_secs_f64() * 1e3 / frames;
    let total = per_frame(timing.total());
    println!(
        "\n{} bodies, {} particles, {} triangles; {:.2} s in {} substeps of {:.3} ms",
        world.bodies().count(),
        world.particles.len(),
        world.triangles().len(),
        world.time,
        frames as u64 * u64::from(world.config.substeps),
        world.substep() * 1e3,
    );
    report_constraints(world);
    println!("\n{:<14} {:>11}", "stage", "ms/frame");
    for (stage, time) in timing.stages() {
        println!("{:<14} {:>11.3}", stage.name(), per_frame(*time));
    }
    println!("{:<14} {total:>11.3}   {:.1} × real time", "all", 1e3 / f64::from(FPS) / total);
    println!();
    for measure::Reading { name, unit, value } in measure::readings(world) {
        println!("{name:<22} {value:>12.4e} {unit}");
    }
    for entry in &world.quarantine {
        println!("body {:?} was put aside at {:.2} s: it was not finite", entry.body, entry.time);
    }
}
