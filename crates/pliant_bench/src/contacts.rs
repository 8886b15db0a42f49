//! What contact costs: a cloth that folds onto itself, and a heap of cubes.

use std::time::Instant;

use pliant::contact::Touch;
use pliant::scenes::Scene;
use pliant::{World, step};

use crate::Bench;
use crate::table::{Cell, Table};

pub(crate) const BENCH: &Bench = &Bench {
    name: "contacts",
    shows: "frames of the scenes folding and pile, with contact and without, in turn",
    run: |_| Ok(run()),
    figure: None,
};

const FRAME: f32 = 1.0 / 60.0;
/// Runs, of which the shortest time of each frame counts.
const REPEATS: usize = 3;

/// Whether bodies meet.
#[derive(Clone, Copy, PartialEq)]
enum Contact {
    Off,
    On,
}

impl Contact {
    const ALL: [Self; 2] = [Self::Off, Self::On];
}

fn run() -> Table {
    let mut rows = Vec::new();
    for (name, size, frames) in [("folding", 100, 180), ("pile", 4, 120)] {
        for threads in [1, 2] {
            let mut best = [vec![f64::MAX; frames], vec![f64::MAX; frames]];
            let mut ends = [0.0; 2];
            for _ in 0..REPEATS {
                for (with, best) in best.iter_mut().enumerate() {
                    let mut world = build(name, size, Contact::ALL[with]);
                    world.config.threads = threads;
                    run_once(&mut world, best);
                    ends[with] = f64::from(world.contact_report().deepest_share);
                }
            }
            let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
            let plain = mean(&best[0]);
            for (what, times, deepest) in
                [("without", &best[0], ends[0]), ("with", &best[1], ends[1])]
            {
                let worst = times.iter().copied().fold(0.0, f64::max);
                rows.push(vec![
                    Cell::Word(name.into()),
                    Cell::Word(what.into()),
                    Cell::Count(threads as usize),
                    Cell::Number(mean(times)),
                    Cell::Number(worst),
                    Cell::Number(mean(times) / plain),
                    Cell::Number(worst / mean(times)),
                    Cell::Number(deepest),
                ]);
            }
        }
    }
    let headings = &[
        "scene",
        "contact",
        "threads",
        "mean ms",
        "worst ms",
        "over without",
        "worst / mean",
        "deepest / thickness",
    ];
    Table { headings, rows }
}

/// A scene at its size, with contact between bodies or without.
fn build(name: &str, size: u32, contact: Contact) -> World {
    let scene = Scene::find(name).expect("a scene of that name");
    let mut world = (scene.build)(size).expect("the scene builds");
    if contact == Contact::Off {
        let bodies: Vec<_> = world.bodies().map(|(id, _)| id).collect();
        for body in bodies {
            world.set_touch(body, Touch::NOTHING).expect("a body of this world");
        }
    }
    world
}

fn run_once(world: &mut World, best: &mut [f64]) {
    for best in best {
        let start = Instant::now();
        step(world, FRAME).expect("settings of the scene");
        *best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
}
