//! Engines of others that come as packages: they take part where they are installed.
//!
//! Each has a script in `bench/`, which prints what it measured as `bench/floor.cpp` does. One more
//! is a script, a constant here and a line in `CONTESTANTS`. Those that are crates belong in a
//! package of their own, so that nothing else builds them.

use std::path::Path;
use std::process::Command;

use super::floor::sample;
use super::{Case, Rounds, Run, Sample, Setup};

/// An engine with a script.
pub(super) struct Peer {
    /// What runs the script.
    program: &'static str,
    /// In `bench/`.
    script: &'static str,
    /// How to get what it needs.
    install: &'static str,
    /// The cases that it has, as words of `bench/floor.cpp`.
    works: &'static [&'static str],
    /// Whether it takes iterations of one substep, or only substeps.
    iterates: Iterates,
}

#[derive(Clone, Copy, PartialEq)]
enum Iterates {
    Yes,
    No,
}

/// PositionBasedDynamics, by way of pyPBD.
pub(super) const PBD: Peer = Peer {
    program: "python3",
    script: "peer_pypbd.py",
    install: "pip install pypbd numpy",
    works: &["w1"],
    iterates: Iterates::Yes,
};

/// Newton's XPBD, on the CPU.
pub(super) const NEWTON: Peer = Peer {
    program: "python3",
    script: "peer_newton.py",
    install: "pip install newton",
    works: &["w1"],
    iterates: Iterates::Yes,
};

/// Jolt's soft bodies in WebAssembly; it always takes substeps.
pub(super) const JOLT: Peer = Peer {
    program: "node",
    script: "peer_jolt.mjs",
    install: "npm install jolt-physics",
    works: &["w1"],
    iterates: Iterates::No,
};

/// What a script ends with where its package is missing.
const NOT_INSTALLED: i32 = 3;

impl Peer {
    pub(super) fn run(
        &self,
        setup: &Setup,
        case: &Case,
        run: Run,
    ) -> Option<Result<Sample, String>> {
        let work = case.floor.filter(|work| self.works.contains(work))?;
        let substeps = matches!(case.rounds, Rounds::Substeps(_));
        // In the sizes of W5 most take minutes.
        if setup.threads != 1 || case.name == "W5" || (!substeps && self.iterates == Iterates::No) {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench").join(self.script);
        let command = || {
            let mut command = Command::new(self.program);
            let numbers =
                [run.size, case.rounds.count(), run.frames].map(|number| number.to_string());
            // A team of its own would wait for cores that others have.
            command.env("OMP_NUM_THREADS", "1");
            command.arg(&script).arg(work).args(numbers).arg(if substeps { "sub" } else { "it" });
            command
        };
        let missing = format!("not installed: {}", self.install);
        match command().arg("probe").output() {
            Ok(output) if output.status.success() => Some(sample(&mut command())),
            Ok(output) if output.status.code() != Some(NOT_INSTALLED) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                Some(Err(said.lines().last().unwrap_or_default().into()))
            }
            _ => Some(Err(missing)),
        }
    }
}
