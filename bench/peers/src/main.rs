//! `cargo run --release --manifest-path bench/peers/Cargo.toml -- WORKLOAD`: the engine beside others,
//! in one run, from the same start, in turn.
//!
//! One more workload is one file and one line in [`ALL`].

use std::error::Error;
use std::process::ExitCode;

mod cloth;
mod cube;
mod cut;
mod depth;
mod frames;
mod pile;
mod race;
mod rapier;

/// A comparison: what it is called, what it shows, and how it is made.
struct Workload {
    name: &'static str,
    shows: &'static str,
    run: fn() -> Result<(), Box<dyn Error>>,
}

const ALL: &[&Workload] = &[cut::WORKLOAD, pile::WORKLOAD, cloth::WORKLOAD, cube::WORKLOAD];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let workload = match names.as_slice() {
        [name] => ALL.iter().find(|workload| workload.name == *name),
        _ => None,
    };
    let Some(workload) = workload else {
        eprintln!("usage: pliant_peers WORKLOAD, where WORKLOAD is one of");
        ALL.iter().for_each(|workload| eprintln!("  {}: {}", workload.name, workload.shows));
        return ExitCode::FAILURE;
    };
    match (workload.run)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", workload.name);
            ExitCode::FAILURE
        }
    }
}
