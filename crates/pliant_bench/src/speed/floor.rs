//! `bench/floor.cpp`: what the machine can do with the same arithmetic, compiled on the spot.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Case, Rounds, Run, Sample, Setup};

/// The loops, with fused multiply-add and without; the engine's kernels may not fuse.
pub(super) struct Floor {
    fused: PathBuf,
    plain: PathBuf,
}

impl Floor {
    /// Compiles both.
    pub(super) fn build() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join("target/bench");
        std::fs::create_dir_all(&folder).map_err(|e| format!("target/bench: {e}"))?;
        let build = |name: &str, more: &[&str]| {
            let program = folder.join(name);
            let mut compiler = Command::new("g++");
            compiler.args(["-O3", "-march=native", "-std=c++17", "-pthread"]).args(more);
            compiler.arg(root.join("bench/floor.cpp")).arg("-o").arg(&program);
            let output = compiler.output().map_err(|_| NO_COMPILER.to_owned())?;
            let said = || format!("g++: {}", String::from_utf8_lossy(&output.stderr).trim());
            if output.status.success() { Ok(program) } else { Err(said()) }
        };
        Ok(Self {
            fused: build("floor_fused", &[])?,
            plain: build("floor", &["-DNOFMA", "-ffp-contract=off"])?,
        })
    }
}

const NO_COMPILER: &str = "there is no g++: on Debian, `apt-get install g++`";

/// Eight lanes by colour, without fusing. Links alone.
pub(super) fn wide(setup: &Setup, case: &Case, run: Run) -> Option<Result<Sample, String>> {
    let has = has_links_alone(case);
    has.then(|| start(setup, case, run, |floor| (&floor.plain, "avx2_col"))).flatten()
}

/// The same, fused.
pub(super) fn fused(setup: &Setup, case: &Case, run: Run) -> Option<Result<Sample, String>> {
    let has = has_links_alone(case);
    has.then(|| start(setup, case, run, |floor| (&floor.fused, "avx2_col"))).flatten()
}

/// One after the other, in the order of their making.
pub(super) fn plain(setup: &Setup, case: &Case, run: Run) -> Option<Result<Sample, String>> {
    let has = setup.threads == 1 && case.name != "W5";
    has.then(|| start(setup, case, run, |floor| (&floor.plain, "aos_nat"))).flatten()
}

fn has_links_alone(case: &Case) -> bool {
    case.floor != Some("w3")
}

fn start(
    setup: &Setup,
    case: &Case,
    run: Run,
    choose: fn(&Floor) -> (&PathBuf, &'static str),
) -> Option<Result<Sample, String>> {
    let work = case.floor?;
    let (program, variant) = match &setup.floor {
        Ok(floor) => choose(floor),
        Err(why) => return Some(Err(why.lines().next().unwrap_or_default().into())),
    };
    let mut command = Command::new(program);
    let numbers = [run.size, case.rounds.count(), run.frames].map(|number| number.to_string());
    command.arg(work).args(numbers).args([variant, &setup.threads.to_string(), "1"]);
    if let Rounds::Substeps(_) = case.rounds {
        command.env("SUB", "1");
    }
    Some(sample(&mut command))
}

/// Runs a program that prints what it measured as one JSON object.
pub(super) fn sample(command: &mut Command) -> Result<Sample, String> {
    let output = command.output().map_err(|e| format!("did not start: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |key: &str| number(&text, key).ok_or(format!("printed no {key}"));
    Ok(Sample {
        ms: number("ms_per_frame")?,
        rate: number("Mproj_s")?,
        strain: number("rms_strain")?,
        hash: None,
    })
}

/// The number after `"key":`.
fn number(text: &str, key: &str) -> Option<f64> {
    let (_, rest) = text.split_once(&format!("\"{key}\":"))?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_keys() {
        let line = r#"{"peer":"floor","ms_per_frame":1.5,"Mproj_s": 400.25}"#;
        assert_eq!(number(line, "ms_per_frame"), Some(1.5));
        assert_eq!(number(line, "Mproj_s"), Some(400.25));
        assert_eq!(number(line, "rms_strain"), None);
    }
}
