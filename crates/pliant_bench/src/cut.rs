//! Cuts through cloth and cubes: all of it, the colours alone, and a colouring from scratch beside
//! them.

use std::time::Instant;

use pliant::coloring::{Links, find};
use pliant::glam::{UVec3, Vec3};
use pliant::shapes::{Bending, Cloth, Lattice, TetBox};
use pliant::{Blade, Blueprint, Hold, World, WorldError, step};

use crate::Bench;
use crate::table::{Cell, Table};

pub(crate) const BENCH: &Bench = &Bench {
    name: "cut",
    shows: "time of a cut across 50 cells of cloths, and right through cloths and cubes",
    run: |_| Ok(run()),
    figure: None,
};

/// Particles along the side of each cloth.
const SIDES: [u32; 3] = [50, 100, 200];
/// Runs, of which the shortest counts.
const REPEATS: u32 = 7;

/// Particles along the side of each cube: 10 985 tetrahedra, and 34 295.
const CUBES: [u32; 2] = [14, 20];

/// What is cut: its name, how it is made, and the blade.
struct Case {
    name: String,
    cut: &'static str,
    world: Box<dyn Fn() -> Result<World, WorldError>>,
    blade: Result<Blade, WorldError>,
}

fn run() -> Table {
    let bends = [("cloth", Bending::Free), ("cloth with links", Bending::Links(Hold::spring(1.0)))];
    let cloths = SIDES.into_iter().flat_map(|side| {
        bends.into_iter().flat_map(move |(name, bending)| {
            ["50 cells", "through"].map(|cut| Case {
                name: name.into(),
                cut,
                world: Box::new(move || cloth(side, bending)),
                blade: blade(side, cut),
            })
        })
    });
    let cubes = CUBES.into_iter().flat_map(|side| {
        let case = |name: &str, world| Case {
            name: name.into(),
            cut: "through",
            world,
            blade: Blade::plane(Vec3::splat(0.0031), Vec3::new(1.0, 0.1, 0.2)),
        };
        [
            case("tetrahedra", Box::new(move || tets(side)) as Box<_>),
            case("lattice", Box::new(move || lattice(side))),
        ]
    });
    let rows = cloths.chain(cubes).map(|case| row(&case)).collect();
    let headings =
        &["particles", "body", "cut", "cut ms", "new particles", "recolor ms", "dsatur / recolor"];
    Table { headings, rows }
}

fn row(case: &Case) -> Vec<Cell> {
    let mut best = [f64::MAX; 4];
    let (mut before, mut added) = (0, 0);
    let blade = case.blade.as_ref().expect("a blade of finite numbers");
    for _ in 0..REPEATS {
        let mut world = (case.world)().expect("a body of numbers that are in range");
        step(&mut world, 0.0).expect("settings in range");
        before = world.particles.len();
        let times = [
            time(|| drop(world.cut(blade).expect("room for more particles"))),
            // A step of no length brings colours up to date; the next has nothing to bring.
            time(|| step(&mut world, 0.0).expect("settings in range")),
            time(|| step(&mut world, 0.0).expect("settings in range")),
            time(|| scratch(&world)),
        ];
        best = [0, 1, 2, 3].map(|k| best[k].min(times[k]));
        added = world.particles.len() - before;
    }
    let [cut, first, next, dsatur] = best;
    let recolor = first - next;
    vec![
        Cell::Count(before),
        Cell::Word(case.name.clone()),
        Cell::Word(case.cut.into()),
        Cell::Number(cut),
        Cell::Count(added),
        Cell::Number(recolor),
        Cell::Number(dsatur / recolor),
    ]
}

fn cloth(side: u32, bending: Bending) -> Result<World, WorldError> {
    let cloth =
        Cloth { columns: side, rows: side, spacing: [0.01; 2], bending, ..Cloth::default() };
    world_of(&cloth.blueprint()?)
}

fn tets(side: u32) -> Result<World, WorldError> {
    world_of(&TetBox { counts: UVec3::splat(side), ..TetBox::default() }.blueprint()?)
}

fn lattice(side: u32) -> Result<World, WorldError> {
    world_of(&Lattice { counts: UVec3::splat(side), ..Lattice::default() }.blueprint()?)
}

fn world_of(body: &Blueprint) -> Result<World, WorldError> {
    let mut world = World::default();
    world.add(body)?;
    Ok(world)
}

/// From the border inwards over 50 cells, or all the way, at a slant.
fn blade(side: u32, length: &str) -> Result<Blade, WorldError> {
    let half = 0.005 * side as f32;
    let end = if length == "through" { half + 1.0 } else { -half + 0.5 };
    let edge = |x: f32| [1.0, -1.0].map(|y| Vec3::new(x, y, 0.0031 + 0.1 * x));
    Blade::sweep(&[edge(-half - 0.005), edge(end)])
}

/// Colours the constraints of every kind anew, as if nothing were known.
fn scratch(world: &World) {
    let dsatur = find("dsatur").expect("a colouring of that name");
    for set in world.constraints().iter().filter(|set| !set.is_empty()) {
        let ids: Vec<u32> =
            (0..set.len()).flat_map(|number| set.particles(number)).copied().collect();
        let links = Links::new(&ids, set.kind().particles, world.particles.len());
        std::hint::black_box(dsatur.color_links(&links));
    }
}

/// How long something takes (ms).
fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}
