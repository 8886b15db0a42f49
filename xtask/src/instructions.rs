//! Instructions per projection, as callgrind counts them: they do not depend on what else a machine
//! does, so a slip in a kernel shows where times would not.

use std::process::Command;

use crate::cmd::{cargo, output, root, run, succeeds};
use crate::steps::Done;

/// A world, and what solving one of its constraints once may cost.
struct Case {
    workload: &'static str,
    size: u32,
    /// Instructions per projection, 5 % above what was counted when this was written.
    most: f64,
}

/// The kernels that are compared: links alone, and links with tetrahedra.
const CASES: &[Case] =
    &[Case { workload: "W1", size: 24, most: 24.8 }, Case { workload: "W3", size: 8, most: 52.1 }];

/// Iterations of the two runs: what they have in common, such as building the world, drops out.
const ITERATIONS: [u32; 2] = [10, 30];
/// Frames of a run.
const FRAMES: u32 = 3;

/// Counts, where valgrind and the instructions that the limits are for are there.
pub(crate) fn check() -> Result<Done, String> {
    if !has_valgrind() {
        return Ok(Done::NotRun(
            "there is no valgrind: on Debian, `apt-get install valgrind`".into(),
        ));
    }
    if !has_avx2() {
        return Ok(Done::NotRun("the limits are for AVX2, which this processor has not".into()));
    }
    run(&mut cargo("build --release -p pliant_bench"))?;
    let mut notes = Vec::new();
    for case in CASES {
        let found = per_projection(case)?;
        println!(
            "{}: {found:.2} instructions per projection, at most {}",
            case.workload, case.most
        );
        if found > case.most {
            return Err(format!(
                "{} takes {found:.2} instructions per projection, over {}; \
                 `perf annotate` or `callgrind_annotate` shows where",
                case.workload, case.most
            ));
        }
        notes.push(format!("{} {found:.1}", case.workload));
    }
    Ok(Done::Passed(format!("instructions per projection: {}", notes.join(", "))))
}

pub(crate) fn has_valgrind() -> bool {
    succeeds(Command::new("valgrind").arg("--version"))
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn per_projection(case: &Case) -> Result<f64, String> {
    let [few, many] = ITERATIONS;
    let [(base, constraints), (more, _)] = [count(case, few)?, count(case, many)?];
    let projections = constraints * u64::from((many - few) * FRAMES);
    Ok((more - base) as f64 / projections as f64)
}

/// The instructions of a run, and the constraints of its world.
fn count(case: &Case, iterations: u32) -> Result<(u64, u64), String> {
    let mut command = Command::new("valgrind");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    command.current_dir(root());
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"]);
    command.arg(root().join(target).join("release/pliant_bench"));
    command.args(["steps", case.workload, &case.size.to_string(), &FRAMES.to_string()]);
    command.args(["substeps=1", &format!("iterations={iterations}"), "--json"]);
    let text = output(&mut command)?;
    let instructions = number_after(&text, "Collected : ");
    let constraints = number_after(&text, "\"constraints\": ");
    instructions.zip(constraints).ok_or(format!("callgrind said something else:\n{text}"))
}

/// The whole number that follows `key`.
fn number_after(text: &str, key: &str) -> Option<u64> {
    let (_, rest) = text.split_once(key)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_what_callgrind_says() {
        let text = "{\"constraints\": 210, \"hash\": \"7\"}\n==9== Collected : 3619\n==9== \n";
        assert_eq!(number_after(text, "Collected : "), Some(3619));
        assert_eq!(number_after(text, "\"constraints\": "), Some(210));
        assert_eq!(number_after(text, "Missing : "), None);
    }
}
