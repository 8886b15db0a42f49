//! The same bits from every build, on any number of threads, in every process.

use std::process::Command;

use crate::cmd::{cargo, output, root, run, scratch};
use crate::steps::Done;

/// The builds and thread counts that must agree; the first one is what the others are held to. Each
/// is a process of its own, one of them twice.
const RUNS: &[(&str, u32)] =
    &[("debug", 1), ("release", 1), ("release", 1), ("release", 2), ("release", 3), ("release", 8)];

/// Frames of every scene: what differs does so soon, and 600 take three minutes a run.
const FRAMES: u32 = 60;

/// What one process printed: a line `SCENE HASH` for every scene.
struct Printed {
    by: String,
    text: String,
}

/// Compares `pliant hash` between debug and release, 1 and more threads, and processes.
pub(crate) fn check() -> Result<Done, String> {
    // As the debug tests have built it: alone, the engine is built again with the program's features.
    run(&mut cargo("build --workspace --all-features"))?;
    run(&mut cargo("build --package pliant_cli --release"))?;
    let mut printed = Vec::new();
    for (number, (build, threads)) in RUNS.iter().enumerate() {
        let by = format!("run {number}: {build}, threads {threads}");
        println!("{by}");
        let mut program = Command::new(scratch().with_file_name(build).join("pliant"));
        let options = format!("hash --threads {threads} --frames {FRAMES}");
        let text = output(program.args(options.split_whitespace()).current_dir(root()))?;
        printed.push(Printed { by, text });
    }
    let scenes = compare(&printed)?;
    Ok(Done::Passed(format!("{scenes} scenes, {} runs, all equal", printed.len())))
}

/// The number of scenes, if every process printed the same lines.
fn compare(printed: &[Printed]) -> Result<usize, String> {
    let Some((first, others)) = printed.split_first() else {
        return Err("nothing was run".into());
    };
    let expected = scenes(first)?;
    for other in others {
        let found = scenes(other)?;
        for (a, b) in expected.iter().zip(&found) {
            if a != b {
                return Err(format!(
                    "{}: the hashes differ\n  {} {}  ({})\n  {} {}  ({})\n\
                     look for a sum whose order depends on the thread, a hash map, mul_add or \
                     platform trigonometry",
                    a.0, a.0, a.1, first.by, b.0, b.1, other.by
                ));
            }
        }
        if found.len() != expected.len() {
            let (n, m) = (expected.len(), found.len());
            return Err(format!("{n} scenes from ({}), but {m} from ({})", first.by, other.by));
        }
    }
    Ok(expected.len())
}

/// The lines of one process as (scene, hash).
fn scenes(Printed { by, text }: &Printed) -> Result<Vec<(&str, &str)>, String> {
    let mut scenes = Vec::new();
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [scene, hash] => scenes.push((scene, hash)),
            _ => return Err(format!("({by}) printed `{line}`, expected `SCENE HASH`")),
        }
    }
    if scenes.is_empty() {
        return Err(format!("({by}) printed no scene"));
    }
    Ok(scenes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(texts: &[&str]) -> Vec<Printed> {
        let numbered = texts.iter().enumerate();
        numbered.map(|(i, text)| Printed { by: format!("run {i}"), text: (*text).into() }).collect()
    }

    #[test]
    fn equal_lines_pass_and_are_counted() {
        assert_eq!(compare(&printed(&["a 01\nb 02\n", "a 01\nb 02\n"])), Ok(2));
    }

    #[test]
    fn a_different_hash_names_the_scene_and_both_runs() {
        let error = compare(&printed(&["a 01\nb 02", "a 01\nb 02", "a 01\nb 03"])).unwrap_err();
        assert!(error.starts_with("b: the hashes differ"), "{error}");
        assert!(error.contains("(run 0)") && error.contains("(run 2)"), "{error}");
    }

    #[test]
    fn a_missing_scene_or_an_empty_answer_fails() {
        assert!(compare(&printed(&["a 01\nb 02", "a 01"])).is_err());
        assert!(compare(&printed(&["", ""])).is_err());
        assert!(compare(&printed(&["a 01 02"])).is_err());
    }
}
