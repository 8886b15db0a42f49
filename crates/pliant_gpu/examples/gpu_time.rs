//! How long a frame takes on the GPU, what it leaves unsolved, and whether it agrees with the CPU.
//!
//! ```text
//! gpu_time                      everything
//! gpu_time 100 1000 w2 parity   cloths of 100 × 100 and 1000 × 1000 particles, W2, the comparison
//! gpu_time w3 w4 w4=2           W3, W4, W4 in size 2
//! ```
//!
//! W1 is a cloth that hangs by two corners, each particle linked to all 8 neighbours, in 20 substeps
//! of one iteration and in one substep of 20. W2 is a cloth of triangles, linked along their edges,
//! in 100 iterations. W3 is a cube of 20³ particles that falls on a floor. W4 is a heap of 64 soft cubes
//! that touch each other, and `folding` a cloth that falls on itself; for these the pairs that touch, how
//! near the nearest of them are, and the searches of a step are given. Frames are submitted in batches and waited for; times are per frame, the
//! median and the least of all batches. `alone` is a frame that is waited for. Each is measured with a
//! dispatch for every colour, and with tiles that solve several colours at once.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::constraint::distance;
use pliant::glam::Vec3;
use pliant::scenes::{self, Scene};
use pliant::{Blueprint, Hold, World, step};
use pliant_gpu::{Choice, Gpu, GpuWorld, Tiling};

/// Length of a frame (s).
const FRAME: f32 = 1.0 / 60.0;
/// Distance of neighbours (m).
const SPACING: f32 = 0.1;
/// Simulated before times are measured, and when the strain is (s).
const SETTLED: f32 = 1.0;
/// Batches that are measured, and how long one may take (s).
const BATCHES: usize = 15;
const BATCH: f64 = 0.1;

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::find(&Choice::default())?;
    println!("on {}", gpu.name());
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if wants("parity") {
        compare(&gpu)?;
    }
    println!(
        "\n{:<32} {:>10} {:>11} {:>8} {:>9} {:>9} {:>9} {:>10}",
        "workload",
        "particles",
        "constraints",
        "colours",
        "median ms",
        "least ms",
        "alone ms",
        "rms strain"
    );
    for size in [100, 320, 1000, 3200] {
        if wants(&size.to_string()) {
            let began = Instant::now();
            for (substeps, iterations) in [(20, 1), (1, 20)] {
                let mut world = (scenes::hanging_cloth::SCENE.build)(size)?;
                (world.config.substeps, world.config.iterations) = (substeps, iterations);
                measure(&gpu, &format!("W1 {substeps} × {iterations}"), world)?;
            }
            println!("  (all of that in {:.0} s)", began.elapsed().as_secs_f64());
        }
    }
    if wants("w2") {
        for (substeps, iterations) in [(1, 100), (100, 1)] {
            let mut world = triangle_cloth(101)?;
            (world.config.substeps, world.config.iterations) = (substeps, iterations);
            measure(&gpu, &format!("W2 {substeps} × {iterations}"), world)?;
        }
    }
    for (short, scene) in OTHERS {
        let size =
            wanted.iter().find_map(|word| word.strip_prefix(&format!("{short}="))?.parse().ok());
        if wants(short) || size.is_some() {
            for (substeps, iterations) in [(20, 1), (1, 20)] {
                let mut world = (scene.build)(size.unwrap_or(scene.size))?;
                (world.config.substeps, world.config.iterations) = (substeps, iterations);
                measure(&gpu, &format!("{short} {substeps} × {iterations}"), world)?;
            }
        }
    }
    Ok(())
}

/// More workloads, with their short names.
const OTHERS: &[(&str, &Scene)] = &[
    ("w3", scenes::soft_cube::SCENE),
    ("w4", scenes::pile::SCENE),
    ("folding", scenes::folding::SCENE),
];

/// A cloth of `size` × `size` particles with a link along every edge of its triangles.
fn triangle_cloth(size: u32) -> Result<World, Box<dyn Error>> {
    let mut body = Blueprint::default();
    for row in 0..size {
        for column in 0..size {
            let x = Vec3::new(column as f32, 0.0, row as f32) * SPACING;
            body.particle(x, 0.01);
        }
    }
    for row in 0..size {
        for column in 0..size {
            let i = row * size + column;
            let ends = [(1, 0), (0, 1), (1, 1)];
            for (right, down) in ends {
                if column + right < size && row + down < size {
                    body.join(&distance::KIND, &[i, i + right + down * size], Hold::RIGID)?;
                }
            }
        }
    }
    let mut world = World::default();
    world.add(&body.pinned(&[0, size - 1]))?;
    Ok(world)
}

fn measure(gpu: &Arc<Gpu>, name: &str, mut world: World) -> Result<(), Box<dyn Error>> {
    let mut there = GpuWorld::new(gpu, &mut world)?;
    let start = (world.particles.xw.clone(), world.particles.v.clone());
    for tiling in [Tiling::Never, Tiling::Always] {
        there.set_tiling(tiling);
        let how = match there.tile_work() {
            None if tiling == Tiling::Always => continue,
            None => "by colour".into(),
            Some(work) => format!("in tiles, {work:.2} × work"),
        };
        (world.particles.xw, world.particles.v) = start.clone();
        there.push_moves(&mut world)?;
        report(&mut there, &mut world, &format!("{name} {how}"))?;
    }
    Ok(())
}

/// Measures as it is set up.
fn report(there: &mut GpuWorld, world: &mut World, name: &str) -> Result<(), Box<dyn Error>> {
    there.steps((SETTLED / FRAME).round() as u32, FRAME)?;
    there.read_into(world)?;
    let strain = strain(world);
    let alone = (0..BATCHES).map(|_| time(there, 1)).collect::<Result<Vec<_>, _>>()?;
    let alone = median(alone);
    let frames = (BATCH / alone.as_secs_f64()).clamp(1.0, 50.0) as u32;
    let mut times = (0..BATCHES)
        .map(|_| time(there, frames).map(|time| time / frames))
        .collect::<Result<Vec<_>, _>>()?;
    times.sort();
    there.read_into(world)?; // so that the next starts from what it knows
    let links = world.constraints_of(&distance::KIND).ok_or("no links")?;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name:<32} {:>10} {:>11} {:>8} {:>9.3} {:>9.3} {:>9.3} {:>10.2e}",
        world.particles.len(),
        links.len(),
        links.colors(),
        ms(times[times.len() / 2]),
        ms(times[0]),
        ms(alone),
        strain
    );
    let contact = world.contact_report();
    if contact.candidates > 0 {
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
    if let Ok(stages) = there.step_timed(FRAME) {
        let spent = stages.iter().filter(|(_, time)| !time.is_zero());
        let text: Vec<String> =
            spent.map(|(stage, time)| format!("{} {:.3}", stage.name(), ms(*time))).collect();
        println!("  by the GPU's clock, stages apart: {} ms", text.join(", "));
    }
    Ok(())
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

/// Every scene, a step and a second on CPU and GPU.
fn compare(gpu: &Arc<Gpu>) -> Result<(), Box<dyn Error>> {
    println!("\n{:<16} {:>12} {:>12}", "of the size off", "after 1/60 s", "after 1 s");
    for scene in scenes::ALL {
        match [1, 60].map(|steps| departure(gpu, scene, steps)) {
            [Ok(one), Ok(many)] => println!("{:<16} {one:>12.1e} {many:>12.1e}", scene.name),
            [Err(why), _] | [_, Err(why)] => println!("{:<16} {why}", scene.name),
        }
    }
    Ok(())
}

fn departure(gpu: &Arc<Gpu>, scene: &Scene, steps: u32) -> Result<f32, Box<dyn Error>> {
    let mut here = (scene.build)(scene.test_size)?;
    let mut world = (scene.build)(scene.test_size)?;
    let mut there = GpuWorld::new(gpu, &mut world)?;
    there.steps(steps, FRAME)?;
    there.read_into(&mut world)?;
    for _ in 0..steps {
        step(&mut here, FRAME)?;
    }
    let positions = |world: &World| -> Vec<Vec3> {
        world.particles.xw.iter().map(|row| row.truncate()).collect()
    };
    let (a, b) = (positions(&here), positions(&world));
    let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let high = a.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let low = a.iter().copied().reduce(Vec3::min).unwrap_or_default();
    Ok(off / high.distance(low))
}
