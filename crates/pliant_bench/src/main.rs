//! `cargo run --release -p pliant_bench -- BENCH`: the engine beside other implementations.
//!
//! One more bench is one file and one line in [`ALL`].

use std::process::ExitCode;
use std::time::Instant;

mod broad_phases;
mod coloring;
mod contacts;
mod cut;
mod table;

use table::Table;

/// A comparison: what it is called, what it shows, and how it is made.
struct Bench {
    name: &'static str,
    shows: &'static str,
    run: fn() -> Table,
}

const ALL: &[&Bench] = &[coloring::BENCH, broad_phases::BENCH, contacts::BENCH, cut::BENCH];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let json = args.iter().any(|arg| arg == "--json");
    let names: Vec<&String> = args.iter().filter(|arg| *arg != "--json").collect();
    let bench = match names.as_slice() {
        [name] => ALL.iter().find(|bench| bench.name == **name),
        _ => None,
    };
    let Some(bench) = bench else {
        eprintln!("usage: pliant_bench BENCH [--json], where BENCH is one of");
        ALL.iter().for_each(|bench| eprintln!("  {}: {}", bench.name, bench.shows));
        return ExitCode::FAILURE;
    };
    let table = (bench.run)();
    print!("{}", if json { table.to_json() } else { table.to_text() });
    ExitCode::SUCCESS
}

/// The shortest time of each of several contestants (ms), and what it gave. They run in turn, so
/// that what else the machine does hits all of them alike.
fn race<T: Clone + Default>(
    repeats: u32,
    contestants: usize,
    work: impl Fn(usize) -> T,
) -> Vec<(f64, T)> {
    let mut best = vec![(f64::MAX, T::default()); contestants];
    for _ in 0..repeats {
        for (contestant, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            let result = work(contestant);
            *best = (best.0.min(start.elapsed().as_secs_f64() * 1e3), result);
        }
    }
    best
}
