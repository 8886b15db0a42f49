//! `pliant bench`: how long a frame takes.

use std::error::Error;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant::scenes::{Scene as Workload, WORKLOADS};
use pliant::step::{Hooks, Stage};
use pliant::{World, step_with};
use pliant_io::scene::Scene;
use serde_json::{Map, Value, json};

use crate::backend::{self, Elsewhere};
use crate::{Command, apply_settings, find_workload, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "bench",
    about: "Measure how long a frame takes; one JSON object a line with --json",
    args,
    run,
};

/// Length of a frame (s).
const FRAME: f32 = 1.0 / 60.0;

/// Workloads that are another one in several sizes.
const SWEEPS: &[(&str, &str, &[u32])] = &[("W5", "W1", &[50, 100, 200, 400, 800])];

fn args(command: clap::Command) -> clap::Command {
    let number = |name: &'static str, default: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N").default_value(default);
        arg.value_parser(value_parser!(u32).range(1..=1_000_000))
    };
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.0).collect();
    let names = format!("of {}, W5 (W1 at five sizes), or scenes; none is all", names.join(", "));
    let threads = Arg::new("threads").long("threads").value_name("N");
    let size = Arg::new("size").long("size").value_name("N");
    command
        .arg(Arg::new("workload").num_args(0..).help(names))
        .arg(
            threads
                .value_parser(value_parser!(u32).range(0..=256))
                .default_value("1")
                .help("threads that share the work; 0 is one per core"),
        )
        .arg(
            size.value_parser(value_parser!(u32).range(2..=2000))
                .help("of a workload, instead of its own"),
        )
        .arg(number("frames", "60").help("that are timed, after one that is not"))
        .arg(number("repeats", "3").help("runs, of which each frame's fastest time counts"))
        .arg(set_arg().help("change a setting, such as substeps=40"))
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("print one JSON object for every workload"),
        )
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let jobs = jobs(matches)?;
    let json = matches.get_flag("json");
    if !json {
        println!(
            "{:<18} {:>9} {:>11} {:>8} {:>9} {:>9} {:>14} {:>10}  hash",
            "workload",
            "particles",
            "constraints",
            "ms min",
            "median",
            "worst",
            "projections/s",
            "residual"
        );
    }
    for job in jobs {
        let result = measure(&job, matches)?;
        if json {
            println!("{}", result.json());
        } else {
            result.print();
        }
    }
    Ok(())
}

/// Something to measure.
enum Job {
    Workload(String, &'static Workload, u32),
    Scene(String),
}

fn jobs(matches: &ArgMatches) -> Result<Vec<Job>, Box<dyn Error>> {
    let size = matches.get_one::<u32>("size").copied();
    let job = |name: &str, workload: &'static Workload| {
        Job::Workload(name.to_owned(), workload, size.unwrap_or(workload.size))
    };
    let Some(names) = matches.get_many::<String>("workload") else {
        return Ok(WORKLOADS.iter().map(|(name, workload)| job(name, workload)).collect());
    };
    let mut jobs = Vec::new();
    for name in names {
        if let Some((_, of, sizes)) = SWEEPS.iter().find(|sweep| sweep.0 == name) {
            let workload = find_workload(of)?;
            let of = |&size: &u32| Job::Workload((*of).to_owned(), workload, size);
            jobs.extend(sizes.iter().map(of));
        } else if let Some(workload) = Workload::find(name) {
            jobs.push(job(name, workload));
        } else {
            Scene::open(name)?;
            jobs.push(Job::Scene(name.clone()));
        }
    }
    Ok(jobs)
}

impl Job {
    fn name(&self) -> String {
        match self {
            Self::Workload(name, workload, size) if *size != workload.size => {
                format!("{name}/{size}")
            }
            Self::Workload(name, ..) => name.clone(),
            Self::Scene(name) => name.clone(),
        }
    }

    fn build(&self, matches: &ArgMatches) -> Result<World, Box<dyn Error>> {
        let mut world = match self {
            Self::Workload(_, workload, size) => (workload.build)(*size)?,
            Self::Scene(name) => Scene::open(name)?.build()?.world,
        };
        apply_settings(matches, &mut world.config)?;
        world.config.threads = *matches.get_one::<u32>("threads").unwrap_or(&1);
        Ok(world)
    }
}

/// The time of a frame and of its stages, in the order of [`Stage::ALL`].
#[derive(Clone)]
struct Clock {
    began: Instant,
    stages: Vec<Duration>,
}

impl Hooks for Clock {
    fn begin(&mut self, _: Stage) {
        self.began = Instant::now();
    }

    fn end(&mut self, stage: Stage) {
        self.add(stage, self.began.elapsed());
    }
}

impl Clock {
    fn add(&mut self, stage: Stage, time: Duration) {
        if let Some(index) = Stage::ALL.iter().position(|known| *known == stage) {
            self.stages[index] += time;
        }
    }
}

/// What was measured of one workload.
struct Measured {
    name: String,
    particles: usize,
    constraints: usize,
    threads: u32,
    backend: &'static str,
    /// The fastest time of each frame over the repeats (ms), sorted.
    frames: Vec<f64>,
    /// The same of each stage.
    stages: Vec<(Stage, Vec<f64>)>,
    /// Constraints solved in a frame.
    projections: f64,
    residual: f64,
    hash: u64,
}

/// The least time of each frame, and of each of its stages (ms).
struct Best {
    frames: Vec<f64>,
    stages: Vec<Vec<f64>>,
}

impl Best {
    fn of(frames: usize) -> Self {
        let frames = vec![f64::MAX; frames];
        Self { stages: vec![frames.clone(); Stage::ALL.len()], frames }
    }

    /// Takes all frames once more, from the start of a world on.
    fn run(
        &mut self,
        world: &mut World,
        mut elsewhere: Option<&mut Elsewhere>,
        look: Look,
    ) -> Result<(), Box<dyn Error>> {
        // The first frame colours and allocates.
        frame(world, elsewhere.as_deref_mut(), look)?;
        for number in 0..self.frames.len() {
            let times = frame(world, elsewhere.as_deref_mut(), look)?;
            let keep = |best: &mut f64, time: Duration| *best = best.min(time.as_secs_f64() * 1e3);
            times.whole.into_iter().for_each(|time| keep(&mut self.frames[number], time));
            for (best, time) in self.stages.iter_mut().zip(times.stages) {
                keep(&mut best[number], time);
            }
        }
        Ok(())
    }

    fn sorted(mut self) -> Self {
        self.frames.sort_by(f64::total_cmp);
        self.stages.iter_mut().for_each(|stage| stage.sort_by(f64::total_cmp));
        self
    }
}

fn measure(job: &Job, matches: &ArgMatches) -> Result<Measured, Box<dyn Error>> {
    let frames = *matches.get_one::<u32>("frames").unwrap_or(&60) as usize;
    let repeats = *matches.get_one::<u32>("repeats").unwrap_or(&3);
    let mut best = Best::of(frames);
    let mut world = job.build(matches)?;
    let mut gpu = backend::choose(&mut world)?;
    // To time its stages, a GPU takes them apart, and so longer for a frame: that is a run of its own.
    let apart = gpu.is_some().then_some(Look::Stages);
    for (number, look) in (0..repeats).map(|_| Look::Frames).chain(apart).enumerate() {
        // The first world is what warms a GPU up; the CPU begins with it.
        if number > 0 || gpu.is_some() {
            world = job.build(matches)?;
        }
        let mut elsewhere = gpu.as_ref().map(|gpu| gpu.beside(&mut world)).transpose()?;
        if let Some(gpu) = &mut gpu {
            gpu.warm_up(FRAME)?;
        }
        best.run(&mut world, elsewhere.as_mut(), look)?;
        if let Some(elsewhere) = &mut elsewhere {
            elsewhere.read_into(&mut world)?;
        }
    }
    let sets = || world.constraints().iter().filter(|set| !set.is_empty());
    let constraints: usize = sets().map(|set| set.len()).sum();
    let residual = sets().map(|set| world.residual(set)).fold(0.0, f64::max);
    let Best { frames, stages } = best.sorted();
    Ok(Measured {
        name: job.name(),
        particles: world.particles.len(),
        constraints,
        threads: world.config.threads,
        backend: if gpu.is_some() { "gpu" } else { "cpu" },
        frames,
        stages: Stage::ALL.iter().copied().zip(stages).collect(),
        projections: constraints as f64
            * f64::from(world.config.substeps * world.config.iterations),
        residual,
        hash: world.hash(),
    })
}

/// What is timed on a GPU. On the CPU it is both at once.
#[derive(Clone, Copy)]
enum Look {
    Frames,
    Stages,
}

/// How long a frame took, and each of its stages, as far as that was looked at.
struct Times {
    whole: Option<Duration>,
    stages: Vec<Duration>,
}

/// Takes a frame, until all of it is done.
fn frame(
    world: &mut World,
    elsewhere: Option<&mut Elsewhere>,
    look: Look,
) -> Result<Times, Box<dyn Error>> {
    let (mut clock, began) = (clock(), Instant::now());
    match (elsewhere, look) {
        (None, _) => {
            step_with(world, FRAME, &mut clock)?;
            Ok(Times { whole: Some(began.elapsed()), stages: clock.stages })
        }
        (Some(there), Look::Frames) => {
            there.step(FRAME)?;
            there.wait()?;
            Ok(Times { whole: Some(began.elapsed()), stages: Vec::new() })
        }
        (Some(there), Look::Stages) => {
            let times = there.step_timed(FRAME)?;
            times.into_iter().for_each(|(stage, time)| clock.add(stage, time));
            Ok(Times { whole: None, stages: clock.stages })
        }
    }
}

fn clock() -> Clock {
    Clock { began: Instant::now(), stages: vec![Duration::ZERO; Stage::ALL.len()] }
}

/// The value that so many per cent of a sorted list do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * percent).div_ceil(100)).copied().unwrap_or(0.0)
}

impl Measured {
    fn median(&self) -> f64 {
        percentile(&self.frames, 50)
    }

    fn per_second(&self) -> f64 {
        self.projections / (self.median() * 1e-3)
    }

    fn json(&self) -> Value {
        let stages: Map<String, Value> = self
            .stages
            .iter()
            .map(|(stage, times)| {
                let of = |percent| percentile(times, percent);
                let times =
                    json!({ "p50": of(50), "p95": of(95), "p99": of(99), "worst": of(100) });
                (stage.name().to_owned(), times)
            })
            .collect();
        json!({
            "workload": self.name,
            "particles": self.particles,
            "constraints": self.constraints,
            "threads": self.threads,
            "backend": self.backend,
            "ms_min": percentile(&self.frames, 0),
            "ms_median": self.median(),
            "ms_worst": percentile(&self.frames, 100),
            "projections_per_s": self.per_second(),
            "residual": self.residual,
            "hash": format!("{:016x}", self.hash),
            "ms_stages": stages,
        })
    }

    fn print(&self) {
        println!(
            "{:<18} {:>9} {:>11} {:>8.3} {:>9.3} {:>9.3} {:>14.3e} {:>10.2e}  {:016x}",
            self.name,
            self.particles,
            self.constraints,
            percentile(&self.frames, 0),
            self.median(),
            percentile(&self.frames, 100),
            self.per_second(),
            self.residual,
            self.hash
        );
        if self.backend == "gpu" {
            println!("  stages apart, by the GPU's clock: together they take longer than a frame");
        }
        for (stage, times) in &self.stages {
            let of = |percent| percentile(times, percent);
            println!(
                "  {:<16} {:>21} {:>8.3} {:>9.3} {:>9.3}",
                stage.name(),
                "",
                of(0),
                of(50),
                of(100)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_measures_what_it_says() {
        let line =
            ["bench", "W1", "--size", "8", "--frames", "5", "--repeats", "2", "--threads", "1"];
        let matches = args(clap::Command::new("bench")).get_matches_from(line);
        let jobs = jobs(&matches).unwrap();
        let json = measure(&jobs[0], &matches).unwrap().json();
        assert_eq!(json["workload"], "W1/8");
        assert_eq!(json["particles"], 64);
        // 2 · 8 · 7 threads and 2 · 7² diagonals.
        assert_eq!(json["constraints"], 210);
        assert_eq!(json["backend"], "cpu");
        let ms = |name: &str| json[name].as_f64().unwrap();
        assert!(ms("ms_min") <= ms("ms_median") && ms("ms_median") <= ms("ms_worst"));
        let rate = 210.0 * 20.0 / (ms("ms_median") * 1e-3);
        assert!((ms("projections_per_s") / rate - 1.0).abs() < 1e-9, "{json}");
        assert_eq!(json["hash"].as_str().unwrap().len(), 16);
        assert!(json["ms_stages"]["project"]["p95"].as_f64().unwrap() > 0.0);
    }

    #[test]
    fn percentiles_are_those_of_the_list() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!([0, 50, 100].map(|p| percentile(&sorted, p)), [1.0, 3.0, 5.0]);
        assert_eq!(percentile(&[], 50), 0.0);
    }
}
