//! Cuts through cloth: all of it, the colours alone, and a colouring from scratch beside them.

use std::time::Instant;

use pliant::coloring::{Links, find};
use pliant::constraint::distance;
use pliant::glam::Vec3;
use pliant::shapes::{Bending, Cloth};
use pliant::{Blade, Hold, World, step};

use crate::Bench;
use crate::table::{Cell, Table};

pub(crate) const BENCH: &Bench = &Bench {
    name: "cut",
    shows: "time of a cut across 50 cells and right through cloths of 2 500 to 40 000 particles",
    run,
};

/// Particles along the side of each cloth.
const SIDES: [u32; 3] = [50, 100, 200];
/// Runs, of which the shortest counts.
const REPEATS: u32 = 7;

fn run() -> Table {
    let bends = [("no bending", Bending::Free), ("links", Bending::Links(Hold::spring(1.0)))];
    let rows = SIDES.into_iter().flat_map(|side| {
        bends.into_iter().flat_map(move |(name, bending)| {
            ["50 cells", "through"].map(|length| row(side, (name, bending), length))
        })
    });
    let headings = &[
        "particles",
        "bending",
        "cut",
        "cut ms",
        "new particles",
        "recolor ms",
        "dsatur / recolor",
    ];
    Table { headings, rows: rows.collect() }
}

fn row(side: u32, (name, bending): (&str, Bending), length: &str) -> Vec<Cell> {
    let mut best = [f64::MAX; 3];
    let mut added = 0;
    for _ in 0..REPEATS {
        let mut world = world(side, bending).expect("a cloth of numbers that are in range");
        let blade = blade(side, length).expect("a blade of finite numbers");
        let before = world.particles.len();
        let times = [
            time(|| drop(world.cut(&blade).expect("room for more particles"))),
            // A step of no length brings colours up to date and does nothing else.
            time(|| step(&mut world, 0.0).expect("settings in range")),
            time(|| scratch(&world)),
        ];
        best = [0, 1, 2].map(|k| best[k].min(times[k]));
        added = world.particles.len() - before;
    }
    let [cut, recolor, dsatur] = best;
    let words = [name, length].map(|word| Cell::Word(word.into()));
    let [name, length] = words;
    let (particles, added) = (Cell::Count((side * side) as usize), Cell::Count(added));
    vec![
        particles,
        name,
        length,
        Cell::Number(cut),
        added,
        Cell::Number(recolor),
        Cell::Number(dsatur / recolor),
    ]
}

fn world(side: u32, bending: Bending) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::default();
    let cloth =
        Cloth { columns: side, rows: side, spacing: [0.01; 2], bending, ..Cloth::default() };
    world.add(&cloth.blueprint()?)?;
    step(&mut world, 0.0)?;
    Ok(world)
}

/// From the border inwards over 50 cells, or all the way, at a slant.
fn blade(side: u32, length: &str) -> Result<Blade, pliant::WorldError> {
    let half = 0.005 * side as f32;
    let end = if length == "through" { half + 1.0 } else { -half + 0.5 };
    let edge = |x: f32| [1.0, -1.0].map(|y| Vec3::new(x, y, 0.0031 + 0.1 * x));
    Blade::sweep(&[edge(-half - 0.005), edge(end)])
}

/// Colours all links anew, as if nothing were known.
fn scratch(world: &World) {
    let Some(set) = world.constraints_of(&distance::KIND) else { return };
    let ids: Vec<u32> = (0..set.len()).flat_map(|number| set.particles(number)).copied().collect();
    let dsatur = find("dsatur").expect("a colouring of that name");
    std::hint::black_box(dsatur.color_links(&Links::new(&ids, 2, world.particles.len())));
}

/// How long something takes (ms).
fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}
