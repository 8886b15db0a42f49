//! `pliant verify --soak`: many bodies of every sort for a long time.

use std::error::Error;
use std::num::NonZero;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use pliant::glam::{Quat, Vec3};
use pliant::laws::{Measured, Tolerance};
use pliant::measure::{elastic, energy, penetration};
use pliant::scenes::mixed;
use pliant::settings::{Setting, Value};
use pliant::shapes::TetBox;
use pliant::{BodyId, World, step};

use crate::assignments;
use crate::backend::{self, Elsewhere};

/// Time of a step (s).
const FRAME: f32 = 1.0 / 60.0;
/// Steps of ten simulated minutes: no soak takes more.
const LONGEST: usize = 36_000;
/// Steps before which bodies still fall, and memory still grows.
const WARM: usize = 120;
/// Steps after which the hash is told, so that runs of different lengths can be compared: a minute.
const TOLD: usize = 3600;
/// Steps from one look at energy, residual and memory to the next.
const LOOK: usize = 120;
/// Particles if none are asked for.
const PARTICLES: u32 = 100_000;

/// A part of a soak: its name, what was measured, and how long it took (s).
type Part = (&'static str, Vec<Measured>, f64);

/// What is soaked.
pub(super) struct Load {
    particles: u32,
    /// Of all that runs at once.
    threads: usize,
    settings: Vec<(&'static Setting, Value)>,
    runs: Runs,
}

/// How often the same is soaked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// Twice at once, to see whether both come to the same.
    Two,
    /// Once; its hash is printed, to be compared with that of another run.
    One,
}

impl Load {
    /// What a command line asks for.
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Box<dyn Error>> {
        let threads = matches.get_one::<u32>("threads").map_or(0, |&threads| threads as usize);
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cores() } else { threads };
        let runs = if matches.get_flag("once") { Runs::One } else { Runs::Two };
        let mut load = Self { particles: PARTICLES, threads, settings: Vec::new(), runs };
        if let Some(backend) = matches.get_one::<String>("backend") {
            let setting = Setting::find("backend")?;
            load.settings.push((setting, setting.parse(backend)?));
        }
        for (name, value) in assignments(matches)? {
            if name == "particles" {
                let number = value.parse().ok().filter(|n| (1000..=10_000_000).contains(n));
                let wrong = || format!("--set particles={value}: expected 1000 to 10000000");
                load.particles = number.ok_or_else(wrong)?;
            } else {
                let wrong = |error| format!("--set {name}: {error}; a soak has particles beside");
                let setting = Setting::find(name).map_err(wrong)?;
                load.settings.push((setting, setting.parse(value).map_err(wrong)?));
            }
        }
        Ok(load)
    }

    /// As many heaps of the standard workload as make up so many particles.
    fn world(&self, particles: u32, threads: usize) -> Result<World, Box<dyn Error>> {
        let one = (mixed::SCENE.build)(1)?;
        let heaps = (particles / one.particles.len() as u32).max(1);
        let mut world = (mixed::SCENE.build)(heaps)?;
        world.config.threads = threads as u32;
        for (setting, value) in &self.settings {
            world.config.set(setting.name, *value)?;
        }
        Ok(world)
    }
}

/// Soaks for about `seconds`, and tells what was measured, with the seconds that each took.
pub(super) fn run(
    load: &Load,
    seconds: f64,
    mut tell: impl FnMut(Part),
) -> Result<(), Box<dyn Error>> {
    let share = |of: f64| Duration::from_secs_f64(of * seconds);
    let mut tell = |name: &'static str, began: Instant, rows: Vec<Measured>| {
        tell((name, rows, began.elapsed().as_secs_f64()));
    };
    tell("churn", Instant::now(), churn(share(0.1))?);
    tell("scaling", Instant::now(), scaling(load, share(0.1))?);
    tell("steady", Instant::now(), steady(load, share(0.8))?);
    Ok(())
}

/// A world that is soaked, and what takes its steps if that is not the CPU.
struct Soaked {
    world: World,
    elsewhere: Option<Elsewhere>,
}

impl Soaked {
    fn new(load: &Load, particles: u32, threads: usize) -> Result<Self, Box<dyn Error>> {
        let mut world = load.world(particles, threads)?;
        let elsewhere = backend::choose(&mut world)?;
        Ok(Self { world, elsewhere })
    }

    /// Takes a step, and says how long that took (s).
    fn step(&mut self) -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        match &mut self.elsewhere {
            Some(elsewhere) => {
                elsewhere.step(FRAME)?;
                elsewhere.wait()?;
            }
            None => step(&mut self.world, FRAME)?,
        }
        Ok(start.elapsed().as_secs_f64())
    }

    /// The world as it is now.
    fn read(&mut self) -> Result<&World, Box<dyn Error>> {
        if let Some(elsewhere) = &mut self.elsewhere {
            elsewhere.read_into(&mut self.world)?;
        }
        Ok(&self.world)
    }
}

/// What a soak has shown.
#[derive(Default)]
struct Seen {
    /// How long every step took (s).
    seconds: Vec<f64>,
    /// What there was after every [`LOOK`] of them.
    looks: Vec<Look>,
}

struct Look {
    energy: f64,
    residual: f64,
    memory: f64,
}

impl Look {
    fn at(world: &World) -> Self {
        let residual = world.constraints().iter().map(|set| world.residual(set)).sum();
        let energy = energy::kinetic(world) + energy::gravitational(world) + elastic::energy(world);
        Self { energy, residual, memory: memory() }
    }
}

/// The standard workload of everything together, and the same again beside it, each on half of the
/// threads.
fn steady(load: &Load, time: Duration) -> Result<Vec<Measured>, Box<dyn Error>> {
    let threads = match load.runs {
        Runs::Two => (load.threads / 2).max(1),
        Runs::One => load.threads,
    };
    let make = || Soaked::new(load, load.particles, threads);
    let mut one = make()?;
    let mut again = if load.runs == Runs::Two { Some(make()?) } else { None };
    let (taken, follow) = mpsc::channel();
    let seen = std::thread::scope(|scope| {
        let mut again = again.as_mut();
        let second = scope.spawn(move || -> Result<(), String> {
            for () in follow {
                if let Some(again) = &mut again {
                    again.step().map_err(|error| error.to_string())?;
                }
            }
            Ok(())
        });
        let seen = soak(&mut one, time, &taken);
        drop(taken);
        second.join().map_err(|_| "the second run ended early")??;
        seen
    })?;
    tell_hash(&mut one, seen.seconds.len())?;
    let world = one.read()?;
    let mut rows = judged(world, &seen);
    if let Some(again) = &mut again {
        let differ = f64::from(u8::from(world.hash() != again.read()?.hash()));
        let none = Tolerance::Absolute(0.0);
        rows.push(Measured::new("runs that differ", "", [differ, 0.0], none));
    }
    Ok(rows)
}

fn tell_hash(soaked: &mut Soaked, steps: usize) -> Result<(), Box<dyn Error>> {
    eprintln!("after {steps} steps the hash is {:016x}", soaked.read()?.hash());
    Ok(())
}

/// As many steps as fit into the time; each is told.
fn soak(
    soaked: &mut Soaked,
    time: Duration,
    taken: &mpsc::Sender<()>,
) -> Result<Seen, Box<dyn Error>> {
    let began = Instant::now();
    let mut seen = Seen::default();
    let count = |seen: &Seen| seen.seconds.len();
    while count(&seen) < LONGEST && (count(&seen) < 4 || began.elapsed() < time) {
        seen.seconds.push(soaked.step()?);
        taken.send(())?;
        if count(&seen) % LOOK == 0 {
            seen.looks.push(Look::at(soaked.read()?));
        }
        if count(&seen) % TOLD == 0 {
            tell_hash(soaked, count(&seen))?;
        }
    }
    Ok(seen)
}

fn judged(world: &World, seen: &Seen) -> Vec<Measured> {
    let count = world.particles.len();
    let steps = seen.seconds.len();
    let seconds = steps as f32 * FRAME;
    let what = format!("bodies put aside, {count} particles, {seconds:.1} s simulated");
    let none = Tolerance::Absolute(0.0);
    let mut rows = vec![
        Measured::new(what, "", [world.quarantine.len() as f64, 0.0], none),
        Measured::new(
            "deepest in a collider",
            "m",
            [penetration::deepest(world), 0.01],
            Tolerance::AtMost,
        ),
    ];
    if steps >= 4 * WARM {
        rows.extend(trends(&seen.seconds[WARM..], &seen.looks[WARM / LOOK..]));
    } else {
        eprintln!("{seconds:.1} s are too short to say whether energy, residual and times stay");
    }
    rows
}

/// What stays as it is, or shrinks, from the first half to the second.
fn trends(seconds: &[f64], looks: &[Look]) -> Vec<Measured> {
    let (early, late) = looks.split_at(looks.len() / 2);
    let means = |of: fn(&Look) -> f64| {
        [early, late].map(|half| half.iter().map(of).sum::<f64>() / half.len() as f64)
    };
    let [energy, residual, memory] =
        [means(|look| look.energy), means(|look| look.residual), means(|look| look.memory)];
    let mut times = seconds.to_vec();
    times.sort_by(f64::total_cmp);
    let slow = times[times.len() * 99 / 100] / times[times.len() / 2];
    [
        // A hundredth of what there is: a world that lies only ever loses energy.
        (
            "energy, second half against the first",
            "J",
            [energy[1], energy[0] + 0.01 * energy[0].abs()],
        ),
        ("residual, second half against the first", "", [residual[1], 1.1 * residual[0]]),
        ("memory, second half against the first", "MB", [memory[1], 1.01 * memory[0]]),
        ("slowest of a hundred steps over the median", "", [slow, 2.0]),
    ]
    .map(|(what, unit, numbers)| Measured::new(what, unit, numbers, Tolerance::AtMost))
    .into()
}

/// Bodies that come and go.
fn churn(time: Duration) -> Result<Vec<Measured>, Box<dyn Error>> {
    let began = Instant::now();
    let mut world = World::default();
    let cube = TetBox::default().blueprint()?;
    let (mut bodies, mut added) = (Vec::<BodyId>::new(), 0);
    let (mut settled, mut later) = (0.0, Vec::new());
    while added < 10_000 && (added < 200 || began.elapsed() < time) {
        bodies
            .push(world.add(&cube.clone().placed(Quat::IDENTITY, Vec3::X * (added % 50) as f32))?);
        added += 1;
        if bodies.len() > 20 {
            world.remove(bodies.remove(added % 20))?;
        }
        if added % 10 == 0 {
            step(&mut world, FRAME)?;
        }
        if added == 100 {
            settled = memory();
        }
        if added >= 1000 && added % 100 == 0 {
            later.push(memory());
        }
    }
    let left: usize = world.bodies().count();
    // Freed memory comes back in pieces: from 1000 to 10 000 bodies there is 9 to 18 % more than after
    // 100, without a trend. If every hundredth body stayed, there would be twice as much after 2000.
    let numbers = [memory(), 1.5 * settled];
    let mut rows = vec![
        Measured::new(
            format!("bodies left of {added}"),
            "",
            [left as f64, bodies.len() as f64],
            Tolerance::Absolute(0.0),
        ),
        Measured::new(
            "memory at the end against that of 100 bodies",
            "MB",
            numbers,
            Tolerance::AtMost,
        ),
    ];
    if later.len() > 10 {
        let (early, late) = later.split_at(later.len() / 2);
        let mean = |half: &[f64]| half.iter().sum::<f64>() / half.len() as f64;
        let what = "memory from 1000 bodies on, second half against the first";
        let numbers = [mean(late), 1.02 * mean(early)];
        rows.push(Measured::new(what, "MB", numbers, Tolerance::AtMost));
    }
    Ok(rows)
}

/// Time for a particle in worlds of growing size.
fn scaling(load: &Load, time: Duration) -> Result<Vec<Measured>, Box<dyn Error>> {
    let (particles, mut costs) = (load.particles, Vec::new());
    for size in [particles / 10, particles] {
        let mut soaked = Soaked::new(load, size, load.threads)?;
        let (began, mut steps) = (Instant::now(), 0);
        let mut least = f64::MAX;
        while steps < 2 || (steps < 30 && began.elapsed() < time / 2) {
            least = least.min(soaked.step()?);
            steps += 1;
        }
        costs.push(least / soaked.world.particles.len() as f64);
    }
    let what = format!("time for a particle, {particles} against {}", particles / 10);
    Ok(vec![Measured::new(what, "s", [costs[1], 2.0 * costs[0]], Tolerance::AtMost)])
}

/// What the program holds of memory (MB); 0 where the system does not say.
fn memory() -> f64 {
    // Pages of 4 KiB, the second number.
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0 / 1e6
}
