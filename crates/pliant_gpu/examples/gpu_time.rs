//! How long a frame takes on the GPU, what it leaves unsolved, and whether it agrees with the CPU.
//!
//! ```text
//! gpu_time                           everything, in some minutes
//! gpu_time parity=folding            the comparison of one scene
//! gpu_time 100 1000 w2 parity        cloths of 100 × 100 and 1000 × 1000 particles, W2, the comparison
//! gpu_time w3 w4 w4=2 folding        W3, W4, W4 in size 2, a cloth that falls on itself
//! gpu_time s4 residual=residual.svg  beside a plain loop on the CPU; coloured against Jacobi, as a plot
//! gpu_time 1000 wide                 also with tiles as large as the device allows
//! gpu_time 3200 blocks               with colours that keep to blocks of particles alone
//! gpu_time 30 small w3 apart         tiles also with a pass of its own at the end of a substep
//! ```
//!
//! W1 is a cloth that hangs by two corners, each particle linked to all 8 neighbours, in one substep of 20
//! iterations and in 20 substeps of one; `small` are 100 and 10 000 such cloths of 10 × 10 particles. W2 is
//! a cloth of triangles, linked along their edges, alone and with an angle in each, in 100 iterations. W3 is
//! a cube of 20³ particles that falls on a floor. W4 is a heap of 64 soft cubes that touch each other, and
//! `folding` a cloth that falls on itself; for these the pairs that touch, how near the nearest of them are,
//! and the searches of a step are given. Frames are
//! submitted in batches and waited for; times are per frame, the median and the least of all batches.
//! `alone` is a frame that is waited for. Each is measured with a dispatch for every colour, and with tiles
//! that solve several colours at once; W2, W3 and W4 also with colours in clusters (`coloring=clustered`).
//!
//! `s4` are cloth, clutter and a soft cube (W1, W4, W3) beside the same on one thread of the CPU, one constraint
//! after the other as they were added and one pair that touches after the other as they were found, and beside the
//! best that the CPU can do with all its threads; from a second after the start on, as on the GPU.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::coloring::{Algorithm, clustered, dsatur, tiled};
use pliant::constraint::distance;
use pliant::figure::{Curve, Figure, Scale};
use pliant::glam::{Quat, Vec3};
use pliant::scenes::{self, Scene};
use pliant::testing::nudge;
use pliant::{Config, ContactSolver, Solver, World, step};
use pliant_gpu::{Choice, Gpu, GpuWorld, Tiling};

/// Length of a frame (s).
const FRAME: f32 = 1.0 / 60.0;
/// Simulated before times are measured (s), and the frames before that in which the strain is.
const SETTLED: f32 = 1.0;
const LOOKED_AT: u32 = 30;
/// Batches that are measured, and how long one may take (s).
const BATCHES: usize = 15;
const BATCH: f64 = 0.1;
/// Frames that are measured after [`SETTLED`] where it matters which they are: where bodies touch, and on the CPU.
const NEXT: u32 = 31;
/// How often they are measured on the GPU.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::find(&Choice::default())?;
    println!("on {}", gpu.name());
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wide = wanted.iter().any(|word| word == "wide");
    let largest = Choice { workgroup_bytes: Some(u32::MAX), ..Choice::default() };
    let wide = is_wide.then(|| Gpu::find(&largest)).transpose()?;
    let blocks_alone = wanted.iter().any(|word| word == "blocks");
    let ends_apart = wanted.iter().any(|word| word == "apart");
    let devices = Devices { gpu, wide, blocks_alone, ends_apart };
    let gpu = &devices.gpu;
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let value = |name: &str| {
        wanted.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    };
    let named = value("parity");
    if wants("parity") || named.is_some() {
        compare(gpu, named.as_deref())?;
    }
    print_head();
    for size in [30, 100, 320, 1000, 3200] {
        if wants(&size.to_string()) {
            measure_cloth(&devices, size)?;
        }
    }
    if wants("small") {
        for count in [100, 10_000] {
            for &way in WAYS {
                let name = format!("{count} cloths {} × {}", way.0, way.1);
                measure(&devices, &name, &mut small_cloths(count, way)?)?;
            }
        }
    }
    if wants("w2") {
        for (name, scene) in [("W2", scenes::triangle_cloth::EDGES), W2_SHEAR] {
            let name = format!("{name} 1 × 100");
            measure(&devices, &name, &mut (scene.build)(101)?)?;
            measure_colored(&devices, &name, &mut (scene.build)(101)?, IN_BLOCKS)?;
            measure_colored(&devices, &name, &mut (scene.build)(101)?, IN_CLUSTERS)?;
            measure_colored(&devices, &name, &mut (scene.build)(101)?, BY_DSATUR)?;
        }
    }
    for (short, scene) in OTHERS {
        let size = value(short).and_then(|size| size.parse().ok());
        if wants(short) || size.is_some() {
            for &way in WAYS {
                let build = || build_in(scene, size.unwrap_or(scene.size), way);
                let name = format!("{short} {} × {}", way.0, way.1);
                measure(&devices, &name, &mut build()?)?;
                measure_colored(&devices, &name, &mut build()?, IN_CLUSTERS)?;
            }
        }
    }
    if wants("s4") {
        compare_with_loop(&devices)?;
    }
    let plot = value("residual");
    if plot.is_some() || wants("residual") {
        compare_solvers(gpu, plot.as_deref())?;
    }
    Ok(())
}

/// What is measured on.
struct Devices {
    /// With nothing but what every WebGPU has, and larger buffers.
    gpu: Arc<Gpu>,
    /// The same with workgroups that share as much as the device allows, if that is wanted.
    wide: Option<Arc<Gpu>>,
    /// Whether cloths are measured in blocks alone.
    blocks_alone: bool,
    /// Whether tiles are measured with a pass of its own at the end of a substep too.
    ends_apart: bool,
}

impl Devices {
    /// Ways to solve in tiles, and what they are called here.
    fn tilings(&self) -> Vec<(&Arc<Gpu>, Tiling, &'static str)> {
        let wide = self.wide.iter().map(|gpu| (gpu, Tiling::Always, ", large tiles"));
        let apart = self.ends_apart.then_some((&self.gpu, Tiling::Apart, ", ends apart"));
        [(&self.gpu, Tiling::Always, "")].into_iter().chain(apart).chain(wide).collect()
    }
}

const W2_SHEAR: (&str, &Scene) = ("W2 and angles", scenes::triangle_cloth::ANGLES);

/// More workloads, with their short names.
const OTHERS: &[(&str, &Scene)] = &[
    ("w3", scenes::soft_cube::SCENE),
    ("w4", scenes::pile::SCENE),
    ("folding", scenes::folding::SCENE),
];

fn print_head() {
    println!(
        "\n{:<36} {:>10} {:>11} {:>8} {:>9} {:>9} {:>9} {:>10}",
        "workload",
        "particles",
        "constraints",
        "colours",
        "median ms",
        "least ms",
        "alone ms",
        "rms strain"
    );
}

/// Substeps, and iterations of each.
const WAYS: &[(u32, u32)] = &[(1, 20), (20, 1)];

/// A workload in so many substeps and iterations.
fn build_in(
    scene: &Scene,
    size: u32,
    (substeps, iterations): (u32, u32),
) -> Result<World, Box<dyn Error>> {
    let mut world = (scene.build)(size)?;
    (world.config.substeps, world.config.iterations) = (substeps, iterations);
    Ok(world)
}

/// So many cloths of 10 × 10 particles, each of which hangs by two corners.
fn small_cloths(count: usize, (substeps, iterations): (u32, u32)) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { substeps, iterations, ..Config::default() });
    let cloth = scenes::hanging_cloth::cloth(10);
    let hung = cloth.blueprint()?.pinned(&cloth.corners()[..2]);
    for k in 0..count {
        let [column, row] = [k % 100, k / 100].map(|k| 2.0 * k as f32);
        world.add(&hung.clone().placed(Quat::IDENTITY, Vec3::new(column, 0.0, row)))?;
    }
    Ok(world)
}

/// W1 with `size` × `size` particles.
fn measure_cloth(devices: &Devices, size: u32) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let mut world = (scenes::hanging_cloth::SCENE.build)(size)?;
    // Of ten millions, one is enough.
    let ways = if size > 1000 { &WAYS[..1] } else { WAYS };
    for &(substeps, iterations) in ways {
        (world.config.substeps, world.config.iterations) = (substeps, iterations);
        let name = format!("W1 {substeps} × {iterations}");
        if !devices.blocks_alone {
            measure(devices, &name, &mut world)?;
        }
        measure_colored(devices, &name, &mut world, IN_BLOCKS)?;
    }
    println!("  (all of that in {:.0} s)", began.elapsed().as_secs_f64());
    Ok(())
}

/// Measures by colour and in tiles, and says how long the fastest takes.
fn measure(devices: &Devices, name: &str, world: &mut World) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    let by_colour = [(&devices.gpu, Tiling::Never, "")];
    for (gpu, tiling, which) in by_colour.into_iter().chain(devices.tilings()) {
        let place = Place { gpu, tiling };
        let there = place.bring(world)?;
        let how = match there.tile_work() {
            None if tiling != Tiling::Never => continue,
            None => "by colour".into(),
            Some(work) => format!("in tiles, {work:.2} × work{which}"),
        };
        best = best.min(report((&place, there), world, &format!("{name} {how}"))?);
    }
    Ok(best)
}

/// Where a world is measured, and how it is solved there.
struct Place<'a> {
    gpu: &'a Arc<Gpu>,
    tiling: Tiling,
}

impl Place<'_> {
    fn bring(&self, world: &mut World) -> Result<GpuWorld, Box<dyn Error>> {
        let mut there = GpuWorld::new(self.gpu, world)?;
        there.set_tiling(self.tiling);
        there.push(world)?;
        Ok(there)
    }
}

/// Other colours than the usual, and what they are called here.
type Colored = (&'static Algorithm, &'static str);
const IN_BLOCKS: Colored = (tiled::ALGORITHM, "in blocks");
const IN_CLUSTERS: Colored = (clustered::ALGORITHM, "in clusters");

/// As the document that W2 is from colours it.
const BY_DSATUR: Colored = (dsatur::ALGORITHM, "by DSATUR");

/// Measures with other colours, and says how long the fastest takes.
fn measure_colored(
    devices: &Devices,
    name: &str,
    world: &mut World,
    (coloring, how): Colored,
) -> Result<Duration, Box<dyn Error>> {
    let usual = std::mem::replace(&mut world.config.coloring, coloring);
    let mut best = Duration::MAX;
    for (gpu, tiling, which) in devices.tilings() {
        let first = if which.is_empty() { Tiling::Auto } else { tiling };
        let mut place = Place { gpu, tiling: first };
        let mut there = place.bring(world)?;
        if there.tile_work().is_none() && first != tiling {
            place.tiling = tiling;
            there = place.bring(world)?;
        }
        best = best.min(report((&place, there), world, &format!("{name} {how}{which}"))?);
    }
    world.config.coloring = usual;
    Ok(best)
}

/// Measures a world that is there, and leaves it where it started.
fn report(
    (place, mut there): (&Place<'_>, GpuWorld),
    world: &mut World,
    name: &str,
) -> Result<Duration, Box<dyn Error>> {
    let start = (world.particles.xw.clone(), world.particles.v.clone());
    let strain = settle(&mut there, world)?;
    let contact = world.contact_report();
    (world.particles.xw, world.particles.v) = start;
    let touches = contact.candidates > 0;
    let times =
        if touches { Times::of_the_same(place, world)? } else { Times::of_any(&mut there)? };
    let links = world.constraints_of(&distance::KIND).ok_or("no links")?;
    println!(
        "{name:<36} {:>10} {:>11} {:>8} {:>9.3} {:>9.3} {:>9.3} {:>10.2e}",
        world.particles.len(),
        links.len(),
        links.colors(),
        ms(times.median),
        ms(times.least),
        ms(times.alone),
        strain
    );
    if touches {
        println!(
            "  {} pairs, {} touch, too near by {:.2e} of their distance, {} searches; \
             {} steps taken again",
            contact.candidates,
            contact.contacts,
            contact.deepest_share,
            contact.detections,
            there.steps_taken_again()
        );
    }
    report_stages(&mut there);
    Ok(times.median)
}

/// Simulates until times are measured, and gives the strain: in its last frames, as what wobbles is strained now more,
/// now less; where there are very many links, in the last of all.
fn settle(there: &mut GpuWorld, world: &mut World) -> Result<f64, Box<dyn Error>> {
    let is_large = world.particles.len() > 500_000;
    let (all, last) = (frames_of(SETTLED), if is_large { 1 } else { LOOKED_AT });
    there.steps(all - last, FRAME)?;
    let mut squares = 0.0;
    for _ in 0..last {
        there.step(FRAME)?;
        there.read_into(world)?;
        squares += strain(world).powi(2);
    }
    Ok((squares / f64::from(last)).sqrt())
}

/// How long the stages take.
fn report_stages(there: &mut GpuWorld) {
    if let Ok(stages) = there.step_timed(FRAME) {
        let spent = stages.iter().filter(|(_, time)| !time.is_zero());
        let text: Vec<String> =
            spent.map(|(stage, time)| format!("{} {:.3}", stage.name(), ms(*time))).collect();
        println!("  by the GPU's clock, stages apart: {} ms", text.join(", "));
    }
    if let Ok(mut entries) = there.step_timed_by_entry(FRAME) {
        entries.sort_by_key(|(.., time)| std::cmp::Reverse(*time));
        let line = |(entry, count, time): &(String, u32, Duration)| {
            let each = ms(*time) * 1e3 / f64::from(*count);
            format!("{entry} {count} × {each:.1}")
        };
        let text: Vec<String> = entries.iter().map(line).collect();
        println!("  dispatches apart, µs: {}", text.join(", "));
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How long frames take.
struct Times {
    /// In batches: each of them, and the least of all.
    median: Duration,
    least: Duration,
    /// Each waited for.
    alone: Duration,
}

impl Times {
    /// Of the next frames, once the GPU's clock is where it stays: all are alike.
    fn of_any(there: &mut GpuWorld) -> Result<Self, Box<dyn Error>> {
        there.warm_up(FRAME)?;
        let alone = (0..BATCHES).map(|_| time(there, 1)).collect::<Result<Vec<_>, _>>()?;
        let frames = (BATCH / median(alone.clone()).as_secs_f64()).clamp(1.0, 50.0) as u32;
        let batches = (0..BATCHES).map(|_| time(there, frames));
        Ok(Self::new(alone, batches.collect::<Result<_, _>>()?, frames))
    }

    /// Of the same frames every time, from the start of a world on: what touches changes from frame to frame.
    fn of_the_same(place: &Place<'_>, world: &mut World) -> Result<Self, Box<dyn Error>> {
        let (mut alone, mut batches) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let mut there = place.bring(world)?;
            time(&mut there, frames_of(SETTLED))?;
            alone.push(time(&mut there, 1)?);
            batches.push(time(&mut there, NEXT)?);
        }
        Ok(Self::new(alone, batches, NEXT))
    }

    /// From times of frames, and of batches of so many.
    fn new(alone: Vec<Duration>, mut batches: Vec<Duration>, frames: u32) -> Self {
        batches.iter_mut().for_each(|batch| *batch /= frames);
        let least = batches.iter().min().copied().unwrap_or_default();
        Self { median: median(batches), least, alone: median(alone) }
    }
}

/// How many frames that is (s).
fn frames_of(seconds: f32) -> u32 {
    (seconds / FRAME).round() as u32
}

/// How long some frames take together.
fn time(there: &mut GpuWorld, frames: u32) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    there.steps(frames, FRAME)?;
    there.wait()?;
    Ok(began.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The root mean square of the links' strain.
fn strain(world: &World) -> f64 {
    let Some(links) = world.constraints_of(&distance::KIND) else { return 0.0 };
    let squares = (0..links.len()).map(|number| {
        let ends = links.particles(number);
        let [a, b] = [0, 1].map(|k| world.particles.position(ends[k] as usize).as_dvec3());
        let rest = links.rest(number).next().map_or(1.0, f64::from);
        let strain = a.distance(b) / rest - 1.0;
        strain * strain
    });
    (squares.sum::<f64>() / links.len().max(1) as f64).sqrt()
}

/// Every scene, or the one of a name, a step and a second on CPU and GPU.
fn compare(gpu: &Arc<Gpu>, name: Option<&str>) -> Result<(), Box<dyn Error>> {
    println!(
        "\n{:<16} {:>12} {:>12} {:>18} {:>18}",
        "of the size off", "after 1/60 s", "after 1 s", "CPU, a unit off", "in every step"
    );
    let is_wanted = |scene: &&&Scene| name.is_none_or(|name| scene.name == name);
    for scene in scenes::ALL.iter().filter(is_wanted) {
        match [1, 60].map(|steps| departure(gpu, scene, steps)) {
            [Ok(one), Ok(many)] => {
                let [once, always] = [divergence(scene, 1)?, divergence(scene, 60)?];
                let name = scene.name;
                println!("{name:<16} {one:>12.1e} {many:>12.1e} {once:>18.1e} {always:>18.1e}");
            }
            [Err(why), _] | [_, Err(why)] => println!("{:<16} {why}", scene.name),
        }
    }
    Ok(())
}

/// How far a unit in the last place of every coordinate, before so many of its first steps, takes a scene on the
/// CPU in a second, relative to its size: no two ways to compute it agree better. The most of three tries.
fn divergence(scene: &Scene, nudges: u64) -> Result<f32, Box<dyn Error>> {
    let mut most: f32 = 0.0;
    for seed in 1..=3 {
        let [mut a, mut b] = [build(scene)?, build(scene)?];
        for frame in 0..60 {
            if frame < nudges {
                nudge(&mut b, 60 * seed + frame);
            }
            step(&mut a, FRAME)?;
            step(&mut b, FRAME)?;
        }
        most = most.max(apart(&a, &b));
    }
    Ok(most)
}

/// A scene in which the CPU solves pairs that touch as the GPU does.
fn build(scene: &Scene) -> Result<World, Box<dyn Error>> {
    let mut world = (scene.build)(scene.test_size)?;
    world.config.contact_solver = ContactSolver::Split;
    Ok(world)
}

fn departure(gpu: &Arc<Gpu>, scene: &Scene, steps: u32) -> Result<f32, Box<dyn Error>> {
    let [mut here, mut world] = [build(scene)?, build(scene)?];
    let mut there = GpuWorld::new(gpu, &mut world)?;
    there.steps(steps, FRAME)?;
    there.read_into(&mut world)?;
    for _ in 0..steps {
        step(&mut here, FRAME)?;
    }
    Ok(apart(&here, &world))
}

/// The largest distance of a particle from where it is in the other world, relative to the size of the scene.
fn apart(a: &World, b: &World) -> f32 {
    let positions = |world: &World| -> Vec<Vec3> {
        world.particles.xw.iter().map(|row| row.truncate()).collect()
    };
    let (a, b) = (positions(a), positions(b));
    let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let high = a.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let low = a.iter().copied().reduce(Vec3::min).unwrap_or_default();
    off / high.distance(low)
}

/// Workloads of the fourth document, and by how much its GPU was faster than its loop.
const S4: &[(&str, &Scene, f64)] = &[
    ("cloth (W1)", scenes::hanging_cloth::SCENE, 24.5),
    ("clutter (W4)", scenes::pile::SCENE, 21.2),
    ("soft cube (W3)", scenes::soft_cube::SCENE, 65.1),
];

/// Beside a loop on one thread, and beside the best that the CPU can do.
fn compare_with_loop(devices: &Devices) -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for &(name, scene, bar) in S4 {
        for &way in WAYS {
            let name = format!("{name} {} × {}", way.0, way.1);
            let build = || build_in(scene, scene.size, way);
            let tiled = measure(devices, &format!("s4 {name}"), &mut build()?)?;
            let clustered =
                measure_colored(devices, &format!("s4 {name}"), &mut build()?, IN_CLUSTERS)?;
            let there = tiled.min(clustered);
            let here = |set: fn(&mut Config)| -> Result<Duration, Box<dyn Error>> {
                let mut here = build()?;
                (0..frames_of(SETTLED)).try_for_each(|_| step(&mut here, FRAME))?;
                set(&mut here.config);
                time_here(&mut here)
            };
            let best = here(|config| config.threads = 0)?.min(here(|config| config.threads = 1)?);
            // All of it one by one: constraints as they were added, pairs that touch as they were found.
            let plain = here(|config| {
                config.threads = 1;
                (config.solver, config.contact_solver) = (Solver::InOrder, ContactSolver::InOrder);
            })?;
            let ratio = |here: Duration| here.as_secs_f64() / there.as_secs_f64();
            lines.push(format!(
                "{name:<24} {:>9.3} {:>12.3} {:>8.1} {bar:>6} {:>12.3} {:>8.1}",
                ms(there),
                ms(plain),
                ratio(plain),
                ms(best),
                ratio(best)
            ));
        }
    }
    println!(
        "\n{:<24} {:>9} {:>12} {:>8} {:>6} {:>12} {:>8}\n{}",
        "substeps × iterations",
        "GPU ms",
        "one loop ms",
        "ratio",
        "bar",
        "best CPU ms",
        "ratio",
        lines.join("\n")
    );
    Ok(())
}

/// The median time of the next frames on the CPU.
fn time_here(world: &mut World) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..NEXT {
        let began = Instant::now();
        step(world, FRAME)?;
        times.push(began.elapsed());
    }
    Ok(median(times))
}

/// Iterations of the one substep in which solvers are compared.
const ITERATIONS: &[u32] = &[2, 4, 6, 10, 16, 24, 40, 64, 100, 160, 250, 400];

/// What is left unsolved against the time it took: coloured Gauss-Seidel and Jacobi on W1 of 320 × 320.
fn compare_solvers(gpu: &Arc<Gpu>, path: Option<&str>) -> Result<(), Box<dyn Error>> {
    println!("\n{:<24} {:>10} {:>9} {:>10}", "solver", "iterations", "ms", "rms strain");
    let solvers = [("coloured Gauss-Seidel", Solver::Colored), ("Jacobi", Solver::Jacobi)];
    let mut curves = Vec::new();
    for (name, solver) in solvers {
        let mut points = Vec::new();
        for &iterations in ITERATIONS {
            let mut world = (scenes::hanging_cloth::SCENE.build)(320)?;
            (world.config.substeps, world.config.iterations) = (1, iterations);
            world.config.solver = solver;
            let mut there = GpuWorld::new(gpu, &mut world)?;
            there.step(COMPARED)?;
            there.read_into(&mut world)?;
            let left = strain(&world);
            let typical = ms(Times::of_any(&mut there)?.median);
            println!("{name:<24} {iterations:>10} {typical:>9.3} {left:>10.2e}");
            points.push([typical, left]);
        }
        curves.push(Curve::dots(name, points));
    }
    let figure = Figure {
        title: format!("102 400 particles, 407 682 links, one substep, on {}", gpu.name()),
        axes: ["time of a step (ms)".into(), "rms strain of the links".into()],
        scales: [Scale::Log, Scale::Log],
        curves,
    };
    if let Some(path) = path {
        pliant_io::plot::write(&figure, Path::new(path))?;
    }
    Ok(())
}

/// Length of the step that solvers are compared in (s): gravity alone strains a cloth that lies flat
/// little, so the step is a long one.
const COMPARED: f32 = 0.1;
