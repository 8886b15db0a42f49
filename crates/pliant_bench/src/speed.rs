//! The workloads that engines are compared with: the engine, the hand-written loops of
//! `bench/floor.cpp`, and engines of others, in turn, on the same machine.
//!
//! A time counts only with what it gave: a row whose cloth is stretched more than it may be, or that
//! ends otherwise in another run, has no ratio.

use std::time::Instant;

use pliant::constraint::distance;
use pliant::figure::{Curve, Figure, Scale};
use pliant::scenes::Scene;
use pliant::solver::Solver;
use pliant::{World, step};

use crate::table::{Cell, Table};
use crate::{Bench, Words};

mod floor;
mod peers;

use floor::Floor;

pub(crate) const BENCH: &Bench = &Bench {
    name: "speed",
    shows: "W1, W2, W2b, W2s, W3 and W5 beside hand-written loops and other engines \
            [THREADS] [WORKLOAD]…",
    run,
    figure: Some(figure),
};

/// What is solved, in the terms of our scenes and of the floor.
struct Case {
    name: &'static str,
    /// One of [`pliant::scenes::WORKLOADS`].
    workload: &'static str,
    /// The same in `bench/floor.cpp`, where that has the same constraints.
    floor: Option<&'static str>,
    sizes: &'static [u32],
    rounds: Rounds,
    /// Of the runs that are timed.
    frames: u32,
    /// Of the run that is looked at: long enough for strain to say something.
    checked: u32,
    /// Whose strain can be compared with ours.
    alike: Alike,
    /// Runs of each contestant that are timed, in turn.
    repeats: usize,
}

/// Who has the same material in the same place.
#[derive(Clone, Copy, PartialEq)]
enum Alike {
    All,
    /// Only ourselves: the floor's cube is of another stiffness, and falls another way.
    Pliant,
}

/// A size of a case, and for how long.
#[derive(Clone, Copy)]
struct Run {
    size: u32,
    frames: u32,
}

/// How often a frame visits every constraint.
#[derive(Clone, Copy)]
enum Rounds {
    /// So many iterations of one substep.
    Iterations(u32),
    /// So many substeps of one iteration.
    Substeps(u32),
}

impl Rounds {
    fn count(self) -> u32 {
        let (Self::Iterations(count) | Self::Substeps(count)) = self;
        count
    }

    fn name(self) -> String {
        match self {
            Self::Iterations(count) => format!("1 x {count}"),
            Self::Substeps(count) => format!("{count} x 1"),
        }
    }
}

const CASE: Case = Case {
    name: "W1",
    workload: "W1",
    floor: Some("w1"),
    sizes: &[100],
    rounds: Rounds::Iterations(20),
    frames: 16,
    checked: 40,
    alike: Alike::All,
    repeats: 40,
};

const CASES: &[Case] = &[
    CASE,
    Case { rounds: Rounds::Substeps(20), ..CASE },
    Case { name: "W2", workload: "W2", floor: Some("w2"), ..W2 },
    Case { name: "W2b", workload: "W2b", ..W2 },
    Case { name: "W2s", workload: "W2s", ..W2 },
    Case { name: "W3", workload: "W3", floor: Some("w3"), sizes: &[20], repeats: 25, ..W3 },
    Case {
        name: "W5",
        sizes: &[50, 100, 200, 400, 800],
        frames: 8,
        checked: 10,
        repeats: 9,
        ..CASE
    },
];

/// What the cloths of triangles have in common.
const W2: Case = Case {
    floor: None,
    sizes: &[101],
    rounds: Rounds::Iterations(100),
    frames: 2,
    repeats: 25,
    ..CASE
};

const W3: Case = Case { frames: 2, alike: Alike::Pliant, ..CASE };

/// Who takes part: its name, and how it runs a case in a size. `None`: it has no such case.
struct Contestant {
    name: &'static str,
    /// Timed runs at most.
    repeats: usize,
    run: fn(&Setup, &Case, Run) -> Option<Result<Sample, String>>,
}

/// What contestants need to know.
struct Setup {
    threads: u32,
    floor: Result<Floor, String>,
}

const CONTESTANTS: &[Contestant] = &[
    Contestant {
        name: PLIANT,
        run: |setup, case, run| Some(ours(case, run, setup.threads)),
        ..QUICK
    },
    Contestant { name: "pliant, in order", run: |_, case, run| in_order(case, run), ..PLAIN },
    Contestant { name: "floor, AVX2", run: floor::wide, ..QUICK },
    Contestant { name: "floor, AVX2, FMA", run: floor::fused, ..QUICK },
    Contestant { name: "floor, plain loop", run: floor::plain, ..PLAIN },
    Contestant { name: "PositionBasedDynamics", run: |a, b, c| peers::PBD.run(a, b, c), ..SLOW },
    Contestant { name: "Newton, XPBD", run: |a, b, c| peers::NEWTON.run(a, b, c), ..SLOW },
    Contestant { name: "Jolt, WebAssembly", run: |a, b, c| peers::JOLT.run(a, b, c), ..SLOW },
];

const QUICK: Contestant = Contestant { name: "", repeats: usize::MAX, run: |_, _, _| None };
/// Those that take several times as long as the others.
const PLAIN: Contestant = Contestant { repeats: 8, ..QUICK };
/// Those that take seconds to start.
const SLOW: Contestant = Contestant { repeats: 3, ..QUICK };

const PLIANT: &str = "pliant";

/// What one run gave.
struct Sample {
    /// Time of a frame (ms).
    ms: f64,
    /// Million constraints solved in a second.
    rate: f64,
    /// Root mean square strain of the links after the last frame.
    strain: f64,
    /// Of the whole state, where there is one.
    hash: Option<u64>,
}

/// A row may be stretched by so much more than the least stretched of those that solve the same:
/// the order in which constraints are solved makes that much difference, an error more.
const STRAIN: f64 = 3.0;

fn run(words: &Words) -> Result<Table, String> {
    let (numbers, names): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| word.parse::<u32>().is_ok());
    let threads = numbers.first().and_then(|word| word.parse().ok()).unwrap_or(1);
    let chosen = |case: &&Case| names.is_empty() || names.iter().any(|name| *name == case.name);
    let setup = Setup { threads, floor: Floor::build() };
    let mut rows = Vec::new();
    for case in CASES.iter().filter(chosen) {
        for &size in case.sizes {
            rows.extend(of_case(&setup, case, size));
        }
    }
    if rows.is_empty() {
        let known: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(format!("no workload of that name; there are {}", known.join(", ")));
    }
    Ok(Table { headings: HEADINGS, rows })
}

const HEADINGS: &[&str] = &[
    "workload",
    "size",
    "rounds",
    "threads",
    "who",
    "ms min",
    "ms median",
    "M projections/s",
    "pliant / this",
    "rms strain",
    "note",
];

/// The rows of a case, one for every contestant that has it.
fn of_case(setup: &Setup, case: &Case, size: u32) -> Vec<Vec<Cell>> {
    let mut entries: Vec<Entry> = CONTESTANTS
        .iter()
        .filter_map(|contestant| {
            let looked_at = (contestant.run)(setup, case, Run { size, frames: case.checked })?;
            Some(Entry { contestant, looked_at, timed: Vec::new() })
        })
        .collect();
    for repeat in 0..case.repeats {
        let goes_on =
            |entry: &&mut Entry| entry.looked_at.is_ok() && repeat < entry.contestant.repeats;
        for entry in entries.iter_mut().filter(goes_on) {
            match (entry.contestant.run)(setup, case, Run { size, frames: case.frames }) {
                Some(Ok(sample)) => entry.timed.push(sample),
                Some(Err(why)) => entry.looked_at = Err(why),
                None => {}
            }
        }
    }
    let compared = entries.iter().filter(|entry| entry.is_like(case));
    let strains = compared.filter_map(|entry| Some(entry.looked_at.as_ref().ok()?.strain));
    let least = strains.fold(f64::MAX, f64::min);
    let ours = entries.first().and_then(Entry::best).map_or(0.0, |sample| sample.rate);
    entries.iter().map(|entry| row((setup, case, size), entry, [ours, least])).collect()
}

/// What a contestant did.
struct Entry {
    contestant: &'static Contestant,
    looked_at: Result<Sample, String>,
    timed: Vec<Sample>,
}

impl Entry {
    fn best(&self) -> Option<&Sample> {
        self.timed.iter().min_by(|a, b| a.ms.total_cmp(&b.ms))
    }

    /// Whether its strain can be compared with ours.
    fn is_like(&self, case: &Case) -> bool {
        case.alike == Alike::All || self.contestant.name.starts_with(PLIANT)
    }

    /// Why its times say nothing; empty where they do.
    fn note(&self, case: &Case, least: f64) -> String {
        let strain = match &self.looked_at {
            Ok(sample) => sample.strain,
            Err(why) => return why.clone(),
        };
        if self.timed.windows(2).any(|pair| pair[0].hash != pair[1].hash) {
            return "ends otherwise in every run".into();
        }
        if self.is_like(case) && strain > STRAIN * least {
            return format!("stretched {:.1} times as much as the least", strain / least);
        }
        String::new()
    }
}

fn row(
    (setup, case, size): (&Setup, &Case, u32),
    entry: &Entry,
    [ours, least]: [f64; 2],
) -> Vec<Cell> {
    let mut row = vec![
        Cell::Word(case.name.into()),
        Cell::Count(size as usize),
        Cell::Word(case.rounds.name()),
        Cell::Count(setup.threads as usize),
        Cell::Word(entry.contestant.name.into()),
    ];
    let note = entry.note(case, least);
    match (entry.best(), &entry.looked_at) {
        (Some(best), Ok(looked_at)) => {
            let mut times: Vec<f64> = entry.timed.iter().map(|sample| sample.ms).collect();
            times.sort_by(f64::total_cmp);
            let ratio =
                if note.is_empty() { Cell::Number(ours / best.rate) } else { Cell::Nothing };
            row.extend([best.ms, times[times.len() / 2], best.rate].map(Cell::Number));
            row.extend([ratio, Cell::Number(looked_at.strain)]);
        }
        _ => row.extend([const { Cell::Nothing }; 5]),
    }
    row.push(Cell::Word(note));
    row
}

/// The engine, as a user would run it.
fn ours(case: &Case, run: Run, threads: u32) -> Result<Sample, String> {
    take_frames(case, run, |world| world.config.threads = threads)
}

/// The same solved as a plain loop would: one after the other, in the order of their making. Not in
/// the sizes of W5, where it is known to take as long for each.
fn in_order(case: &Case, run: Run) -> Option<Result<Sample, String>> {
    let has = case.name != "W5";
    has.then(|| take_frames(case, run, |world| world.config.solver = Solver::InOrder))
}

fn take_frames(case: &Case, run: Run, set: impl Fn(&mut World)) -> Result<Sample, String> {
    let scene = Scene::find(case.workload).ok_or("a workload that is not there")?;
    let mut world = (scene.build)(run.size).map_err(|e| e.to_string())?;
    (world.config.substeps, world.config.iterations) = match case.rounds {
        Rounds::Iterations(count) => (1, count),
        Rounds::Substeps(count) => (count, 1),
    };
    set(&mut world);
    // A step of no length colours and allocates, and does nothing else.
    step(&mut world, 0.0).map_err(|e| e.to_string())?;
    // The first half is not timed: a system may start both threads on one core and needs some
    // milliseconds to move them apart.
    let (warming, timed) = (run.frames / 2, run.frames - run.frames / 2);
    let mut frames =
        |count: u32| (0..count).try_for_each(|_| step(&mut world, 1.0 / 60.0).map(drop));
    frames(warming).map_err(|e| e.to_string())?;
    let start = Instant::now();
    frames(timed).map_err(|e| e.to_string())?;
    let seconds = start.elapsed().as_secs_f64() / f64::from(timed);
    let constraints: usize = world.constraints().iter().map(|set| set.len()).sum();
    let projections = constraints as f64 * f64::from(case.rounds.count());
    Ok(Sample {
        ms: seconds * 1e3,
        rate: projections / seconds / 1e6,
        strain: strain(&world),
        hash: Some(world.hash()),
    })
}

/// Root mean square strain of the links.
fn strain(world: &World) -> f64 {
    let Some(links) = world.constraints_of(&distance::KIND) else { return 0.0 };
    let of = |number: usize| {
        let [a, b] = [0, 1].map(|k| world.particles.position(links.particles(number)[k] as usize));
        let rest = links.rest(number).next().map_or(1.0, f64::from);
        (a.as_dvec3().distance(b.as_dvec3()) - rest) / rest
    };
    let squares: f64 = (0..links.len()).map(|number| of(number).powi(2)).sum();
    (squares / links.len().max(1) as f64).sqrt()
}

/// Time of a projection against the number of particles, of all that ran W5.
fn figure(table: &Table) -> Figure {
    let mut curves: Vec<Curve> = Vec::new();
    for row in table.rows.iter().filter(|row| row[0] == Cell::Word("W5".into())) {
        let (Cell::Count(size), Cell::Word(who), Cell::Number(rate)) = (&row[1], &row[4], &row[7])
        else {
            continue;
        };
        let point = [(size * size) as f64, 1e3 / rate];
        match curves.iter_mut().find(|curve| curve.name == *who) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve::dots(who.clone(), vec![point])),
        }
    }
    Figure {
        title: "Time of a projection against the size of a cloth (W5)".into(),
        axes: ["particles".into(), "ns per projection".into()],
        scales: [Scale::Log, Scale::Log],
        curves,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(strain: f64, hash: u64) -> Sample {
        Sample { ms: 1.0, rate: 1.0, strain, hash: Some(hash) }
    }

    fn entry(strain: f64, hashes: [u64; 2]) -> Entry {
        let timed = hashes.map(|hash| sample(strain, hash)).into();
        Entry { contestant: &CONTESTANTS[0], looked_at: Ok(sample(strain, 7)), timed }
    }

    #[test]
    fn a_wrong_answer_has_no_ratio() {
        assert_eq!(entry(0.1, [7, 7]).note(&CASE, 0.1), "");
        assert!(entry(0.4, [7, 7]).note(&CASE, 0.1).contains("4.0 times"));
        assert!(entry(0.1, [7, 8]).note(&CASE, 0.1).contains("otherwise"));
        let setup = Setup { threads: 1, floor: Err(String::new()) };
        let ratio = |entry: &Entry| row((&setup, &CASE, 8), entry, [2.0, 0.1])[8].clone();
        assert_eq!(ratio(&entry(0.1, [7, 7])), Cell::Number(2.0));
        assert_eq!(ratio(&entry(0.4, [7, 7])), Cell::Nothing);
    }

    #[test]
    fn our_rows_are_measured_as_they_say() {
        let run = Run { size: 8, frames: 20 };
        let sample = ours(&CASE, run, 1).unwrap();
        // 2 · 8 · 7 threads and 2 · 7² diagonals, 20 times.
        let projections = 210.0 * 20.0;
        assert!((sample.rate * sample.ms * 1e3 / projections - 1.0).abs() < 1e-9);
        assert!(sample.strain > 0.0 && sample.strain < 0.1, "{}", sample.strain);
        assert_eq!(sample.hash, ours(&CASE, run, 2).unwrap().hash);
    }

    #[test]
    fn the_figure_has_a_curve_for_each_that_ran() {
        let row = |name: &str, size, rate| {
            let mut row = vec![Cell::Word("W5".into()), Cell::Count(size)];
            row.extend([Cell::Nothing, Cell::Nothing, Cell::Word(name.into())]);
            row.extend([Cell::Nothing, Cell::Nothing, rate]);
            row
        };
        let rows = vec![
            row("a", 50, Cell::Number(500.0)),
            row("a", 100, Cell::Number(250.0)),
            row("b", 50, Cell::Nothing),
        ];
        let figure = figure(&Table { headings: HEADINGS, rows });
        assert_eq!(figure.curves.len(), 1);
        assert_eq!(figure.curves[0].points, [[2500.0, 2.0], [10_000.0, 4.0]]);
    }
}
