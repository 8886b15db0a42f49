//! `cargo run --release -p pliant_bench -- BENCH`: the engine beside other implementations.
//!
//! One more bench is one file and one line in [`ALL`].

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pliant::figure::Figure;

mod broad_phases;
mod coloring;
mod contacts;
mod cut;
mod growth;
mod speed;
mod steps;
mod table;

use table::Table;

/// A comparison: what it is called, what it shows, and how it is made.
struct Bench {
    name: &'static str,
    shows: &'static str,
    run: fn(&Words) -> Result<Table, String>,
    /// What `--plot FILE.svg` draws.
    figure: Option<fn(&Table) -> Figure>,
}

/// What was said after the name of a bench.
type Words = [String];

const ALL: &[&Bench] = &[
    speed::BENCH,
    steps::BENCH,
    coloring::BENCH,
    broad_phases::BENCH,
    contacts::BENCH,
    growth::BENCH,
    cut::BENCH,
];

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what `words` ask for, and returns what there is to print.
fn run(mut words: Vec<String>) -> Result<String, String> {
    let flag = |words: &mut Vec<String>, flag: &str| {
        let before = words.len();
        words.retain(|word| word != flag);
        words.len() < before
    };
    let (json, csv) = (flag(&mut words, "--json"), flag(&mut words, "--csv"));
    let plot = words.iter().position(|word| word == "--plot").map(|at| words.split_off(at));
    let bench = words.first().and_then(|name| ALL.iter().find(|bench| bench.name == name));
    let bench = bench.filter(|_| plot.as_ref().is_none_or(|words| words.len() == 2));
    let bench = bench.ok_or_else(usage)?;
    let table = (bench.run)(&words[1..])?;
    if let Some([_, path]) = plot.as_deref() {
        let figure = bench.figure.ok_or_else(|| format!("{} has no figure", bench.name))?;
        pliant_io::plot::write(&figure(&table), Path::new(path)).map_err(|e| e.to_string())?;
    }
    Ok(match (json, csv) {
        (true, _) => table.to_json(),
        (_, true) => table.to_csv(),
        _ => table.to_text(),
    })
}

fn usage() -> String {
    let list: String =
        ALL.iter().map(|bench| format!("  {}: {}\n", bench.name, bench.shows)).collect();
    format!(
        "usage: pliant_bench BENCH [--json] [--csv] [--plot FILE.svg], where BENCH is one of\n{list}"
    )
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
