//! `pliant run`: simulates a scene, writes the run down, leaves pictures, and says how it went.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use pliant::budget::Budget;
use pliant::{Stiffness, World, integrate, measure};
use pliant_io::run::{Existing, RunFolder};
use pliant_io::scene::{Checked, Play, Scene};

use crate::camera::{Camera, Sight, listed};
use crate::export::{self, Exports};
use crate::failure::{CHECK, Failure, QUARANTINE};
use crate::timing::{Frame, SAMPLED, Timing};
use crate::{Command, assignments, backend, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "run",
    about: "Simulate a scene; leaves pictures, numbers and checkpoints in a folder",
    args,
    run,
};

/// Frames per second of worlds that are no scenes.
pub(crate) const FPS: u32 = 60;

fn args(command: clap::Command) -> clap::Command {
    let seconds = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("SECONDS");
        arg.value_parser(value_parser!(f64)).help(help)
    };
    let scene = Arg::new("scene").help("a scene that `pliant scenes` lists, or a file.toml");
    let command = command
        .arg(scene.conflicts_with("resume"))
        .arg(seconds("time", "how long to simulate, instead of what the scene says"))
        .arg(set_arg().help(
            "change a key of the scene, such as body.cloth.cell=5mm or substeps=40; `pliant \
             explain` lists them",
        ))
        .arg(flag("quick", "the coarse version of the scene, for a first look"))
        .arg(number("seed", "what chance begins with"))
        .arg(number("threads", "threads that share the work; 0 is one per core"))
        .arg(
            Arg::new("stepping")
                .long("stepping")
                .value_name("NAME")
                .help("move all bodies by `constraints`, or by an integrator"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("MS")
                .value_parser(value_parser!(f64))
                .help("milliseconds a frame may take: chooses substeps and iterations to fit"),
        );
    output_args(command)
        .arg(
            seconds("checkpoint", "simulated time from checkpoint to checkpoint")
                .default_value("1"),
        )
        .arg(
            Arg::new("resume")
                .long("resume")
                .value_name("FOLDER")
                .conflicts_with_all(["set", "seed", "out", "force", "quick", "stepping"])
                .help("go on with a run after its last checkpoint"),
        )
        .arg(flag("force", "replace a run that is in the folder already"))
        .arg(flag("json", "print one line of JSON for every frame, and nothing else"))
}

fn output_args(command: clap::Command) -> clap::Command {
    Sight::args(command)
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FOLDER")
                .help("where to write the run; without, out/SCENE, which is replaced"),
        )
        .arg(flag("no-pictures", "draw nothing"))
        .arg(export::arg())
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn number(name: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new(name).long(name).value_name("N");
    arg.value_parser(value_parser!(u32)).help(help)
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let mut job = Job::new(matches)?;
    let json = matches.get_flag("json");
    if !json {
        println!("{}: {}", job.scene.title(), job.scene.shows());
    }
    let milliseconds = matches.get_one::<f64>("budget").copied();
    let budget = milliseconds.map(|ms| Budget::new(ms * 1e-3)).transpose()?;
    let elsewhere = backend::choose(&mut job.play.world)?;
    if elsewhere.is_some() && budget.is_some() {
        return Err("--budget looks at every iteration, so it needs --set backend=cpu".into());
    }
    let mut timing = Timing::new(budget).on(elsewhere);
    let checked = job.simulate(matches, &mut timing)?;
    let Job { play, camera, folder, exports, .. } = job;
    let exported = exports.finish()?;
    let drawing = camera.as_ref().map_or(Duration::ZERO, |camera| camera.drawing);
    let pictures = camera.map(|camera| camera.finish(&play.world)).transpose()?;
    if !json {
        report(&play.world, &timing);
        if let Some(milliseconds) = milliseconds {
            report_budget(milliseconds, timing.frames());
        }
        println!();
        checked.iter().for_each(|check| println!("check: {}", check.says));
        if let Some(files) = &pictures {
            let (files, seconds) = (listed(files), drawing.as_secs_f64());
            println!("wrote {files}, drawn in {seconds:.1} s without a GPU");
        }
        exported.iter().for_each(|line| println!("{line}"));
        println!("wrote {} (metrics.csv, scene.toml, checkpoints)", folder.path().display());
        let name = matches.get_one::<String>("scene").map_or("showcase", String::as_str);
        println!(
            "\nTry next: pliant run {name} --set substeps=5, pliant scenes, pliant new my-scene"
        );
    }
    verdict(matches, &play.world, &checked)
}

/// Settings that say who takes the steps, which changes nothing of what a scene promises.
const ELSEWHERE: [&str; 4] = ["backend", "solver.backend", "threads", "solver.threads"];

/// How the program ends after a run.
fn verdict(matches: &ArgMatches, world: &World, checked: &[Checked]) -> Result<(), Box<dyn Error>> {
    if let Some(first) = world.quarantine.first() {
        let name = world.body(first.body).map_or("a body", |body| &body.name);
        let message = format!(
            "{name} stopped being finite after {:.3} s and was put aside; more substeps, softer \
             materials or a smaller dashpot help",
            first.time
        );
        return Err(Failure::boxed(QUARANTINE, message));
    }
    // What was changed on purpose may break what the scene promises.
    let given = |name| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
    let changed = ["stepping", "budget"].into_iter().any(given)
        || assignments(matches)?.iter().any(|(key, _)| !ELSEWHERE.contains(key));
    let broken = checked.iter().filter(|check| !check.holds).count();
    if broken > 0 && !changed {
        return Err(Failure::boxed(CHECK, format!("{broken} of the scene's checks do not hold")));
    }
    Ok(())
}

/// A run: what is simulated, and what is written down of it.
struct Job {
    scene: Scene,
    play: Play,
    folder: RunFolder,
    camera: Option<Camera>,
    exports: Exports,
}

impl Job {
    fn new(matches: &ArgMatches) -> Result<Self, Box<dyn Error>> {
        if let Some(path) = matches.get_one::<String>("resume") {
            let (folder, scene, mut play) = RunFolder::resume(Path::new(path))?;
            if let Some(&threads) = matches.get_one::<u32>("threads") {
                play.world.config.threads = threads;
            }
            return Self::watched(scene, play, folder, matches);
        }
        let scene = changed_scene(matches)?;
        let play = scene.build()?;
        let given = matches.get_one::<String>("out").map(PathBuf::from);
        let existing = match (&given, matches.get_flag("force")) {
            (Some(_), false) => Existing::Keep,
            _ => Existing::Replace,
        };
        let name = Path::new(&scene.name).file_stem().unwrap_or_default();
        let path = given.unwrap_or_else(|| Path::new("out").join(name));
        let folder = RunFolder::create(&path, existing, &scene, &play)?;
        Self::watched(scene, play, folder, matches)
    }

    /// With all that looks at it.
    fn watched(
        scene: Scene,
        play: Play,
        folder: RunFolder,
        matches: &ArgMatches,
    ) -> Result<Self, Box<dyn Error>> {
        let path = folder.path();
        let mut camera = None;
        if !matches.get_flag("no-pictures") {
            let (sight, stage) = (Sight::new(matches)?, play.stage.clone());
            let files = [path.join("animation"), path.join("picture.png")];
            camera = Some(Camera::new(stage, &sight, [&files[0], &files[1]], play.fps)?);
        }
        if play.frame() > 0 && matches.contains_id("export") {
            let path = path.display();
            return Err(format!(
                "--export needs the run from its beginning: resume it without, then `pliant \
                 convert {path} --to FORMATS`"
            )
            .into());
        }
        let exports = Exports::new(matches, path, "run", play.fps)?;
        Ok(Self { scene, play, folder, camera, exports })
    }

    /// Takes all frames; returns the checks that were made on the way.
    fn simulate(
        &mut self,
        matches: &ArgMatches,
        timing: &mut Timing,
    ) -> Result<Vec<Checked>, Box<dyn Error>> {
        let Self { play, folder, camera, exports, .. } = self;
        let seconds = seconds(matches, "time")?.unwrap_or(play.seconds);
        let every = seconds_of(matches, "checkpoint", play.fps)?.max(1);
        let frames = (seconds * play.fps).round() as u64;
        let bar = progress(frames.saturating_sub(play.frame()))?;
        let mut checked = Vec::new();
        exports.frame(&play.world)?;
        while play.frame() < frames {
            if let Some(camera) = camera {
                camera.watch(&play.world, play.frame())?;
            }
            let directed = play.is_directed() || play.world.gives_way();
            play.advance_with(|world, dt| {
                if directed {
                    timing.push(world)?;
                }
                timing.step(world, dt)?;
                timing.read_into(world)
            })?;
            exports.frame(&play.world)?;
            let line = folder.record(play);
            if matches.get_flag("json") {
                println!("{line}");
            }
            checked.extend(play.check());
            if play.frame().is_multiple_of(every) && play.frame() < frames {
                folder.checkpoint(play)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        folder.finish(play)?;
        Ok(checked)
    }
}

/// The scene with all that the command line changes.
fn changed_scene(matches: &ArgMatches) -> Result<Scene, Box<dyn Error>> {
    let name = matches.get_one::<String>("scene").map_or("showcase", String::as_str);
    let mut scene = Scene::open(name)?;
    if matches.get_flag("quick") {
        scene.quicken()?;
    }
    for option in ["seed", "threads"] {
        if let Some(value) = matches.get_one::<u32>(option) {
            scene.set(option, &value.to_string())?;
        }
    }
    if let Some(stepping) = matches.get_one::<String>("stepping") {
        let names: Vec<&str> = integrate::ALL.iter().map(|integrator| integrator.name).collect();
        if stepping != "constraints" && !names.contains(&stepping.as_str()) {
            let names = names.join(", ");
            return Err(
                format!("--stepping {stepping}: expected constraints or one of {names}").into()
            );
        }
        for body in 0..scene.bodies() {
            scene.set(&format!("body.{body}.stepping"), stepping)?;
        }
    }
    for (key, value) in assignments(matches)? {
        scene.set(key, value)?;
    }
    Ok(scene)
}

/// A time in seconds that makes sense.
fn seconds(matches: &ArgMatches, name: &str) -> Result<Option<f64>, Box<dyn Error>> {
    match matches.get_one::<f64>(name) {
        Some(&seconds) if !(0.0..=1e6).contains(&seconds) => {
            Err(format!("--{name} {seconds}: expected 0 to 1000000 seconds").into())
        }
        given => Ok(given.copied()),
    }
}

fn seconds_of(matches: &ArgMatches, name: &str, fps: f64) -> Result<u64, Box<dyn Error>> {
    Ok((seconds(matches, name)?.unwrap_or(1.0) * fps).round() as u64)
}

/// A bar on a terminal, and nothing elsewhere.
pub(crate) fn progress(frames: u64) -> Result<ProgressBar, Box<dyn Error>> {
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} frames, {eta} left")?;
    Ok(ProgressBar::new(frames).with_style(style))
}

/// How many constraints of each kind there were, and how well they were solved.
fn report_constraints(world: &World) {
    println!(
        "\n{:<14} {:>11} {:>7} {:>12} {:<6} stiffness reached",
        "constraint", "count", "colours", "residual", ""
    );
    let mut softest = 1.0f64;
    for set in world.constraints().iter().filter(|set| !set.is_empty()) {
        let (kind, residual) = (set.kind(), world.residual(set));
        let Stiffness { share, give } = world.stiffness_reached(set);
        softest = softest.min(share.map_or(1.0, f64::from));
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
    if softest < 0.5 {
        println!(
            "stiffness reached: how stiff the bodies act, of what was asked for; --set substeps={} \
             brings it up by about 4",
            2 * world.config.substeps
        );
    }
}

/// What a budget was used for. The first second is for finding out what the machine can do.
fn report_budget(milliseconds: f64, frames: &[Frame]) {
    let settled = &frames[frames.len().min(FPS as usize)..];
    let mut times: Vec<f64> = settled.iter().map(|f| f.time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let (Some(worst), Some(last)) = (times.last(), settled.last()) else {
        println!("\na budget takes a second to settle; --time 4 shows what it reaches");
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

/// Where the time went.
fn report_times(timing: &Timing) {
    println!("\n{:<14} {:>11}", "stage", "ms/frame");
    for (stage, seconds) in timing.stages() {
        println!("{:<14} {:>11.3}", stage.name(), seconds * 1e3);
    }
    let elapsed = timing.elapsed().as_secs_f64();
    let all = elapsed * 1e3 / timing.steps().max(1) as f64;
    let speed = timing.simulated() / elapsed.max(f64::MIN_POSITIVE);
    println!("{:<14} {all:>11.3}   {speed:.1} × real time", "all");
    if timing.is_elsewhere() {
        println!(
            "stages: by the GPU's clock, in one frame of {SAMPLED}, apart; all: with bringing it back"
        );
    }
}

/// The short table at the end: what there was, where the time went, what is left unsolved.
pub(crate) fn report(world: &World, timing: &Timing) {
    let bodies = world.bodies().count();
    println!(
        "\n{bodies} {}, {} particles, {} triangles; {:.2} s, {} frames of {} substeps of {:.3} ms",
        if bodies == 1 { "body" } else { "bodies" },
        world.particles.len(),
        world.triangles().len(),
        world.time,
        timing.steps(),
        world.config.substeps,
        world.substep() * 1e3,
    );
    report_constraints(world);
    report_times(timing);
    println!();
    for measure::Reading { name, unit, value } in measure::readings(world) {
        println!("{name:<22} {value:>12.4e} {unit}");
    }
    for entry in &world.quarantine {
        println!("body {:?} was put aside at {:.2} s: it was not finite", entry.body, entry.time);
    }
}
