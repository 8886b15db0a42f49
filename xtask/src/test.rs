//! `cargo xtask test`: installs what is missing, runs the steps in order, ends in a table.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::steps::{ALL, Done, Step};
use crate::tools::{self, Prepared};

/// How a step ended.
struct Report {
    name: &'static str,
    took: Duration,
    outcome: Result<Done, String>,
}

/// Runs the steps that `words` select; without any, all of them.
pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => Ok(run(&ALL.iter().collect::<Vec<_>>())),
        ["--list"] => {
            print!("{}", list());
            Ok(ExitCode::SUCCESS)
        }
        ["--only", names] => Ok(run(&select(names)?)),
        _ => Err(format!("usage: cargo xtask test [--list] [--only STEP,STEP]\n\n{}", list())),
    }
}

fn list() -> String {
    ALL.iter().map(|Step { name, what, .. }| format!("  {name:12} {what}\n")).collect()
}

/// The steps with these names, in the order of [`ALL`].
fn select(names: &str) -> Result<Vec<&'static Step>, String> {
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    for name in &names {
        if !ALL.iter().any(|step| step.name == *name) {
            return Err(format!("there is no step `{name}`; the steps are\n{}", list()));
        }
    }
    Ok(ALL.iter().filter(|step| names.contains(&step.name)).collect())
}

fn run(steps: &[&'static Step]) -> ExitCode {
    let start = Instant::now();
    heading("set-up");
    let prepared = tools::prepare(steps.iter().flat_map(|step| step.needs));
    announce_data();

    let mut reports = Vec::new();
    for step in steps {
        heading(&format!("{}: {}", step.name, step.what));
        reports.push(run_step(step, &prepared));
    }
    print!("{}", summary(&reports, start.elapsed()));
    let failed = reports.iter().any(|report| report.outcome.is_err());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_step(step: &'static Step, prepared: &Prepared) -> Report {
    let start = Instant::now();
    let outcome = prepared.check(step.needs).and_then(|()| (step.run)());
    let report = Report { name: step.name, took: start.elapsed(), outcome };
    println!("{}", row(&report));
    if let Err(message) = &report.outcome {
        message.lines().skip(1).for_each(|line| println!("{line}"));
    }
    report
}

/// Says whether the tests that read meshes and measurements of others can run.
fn announce_data() {
    match std::env::var("PLIANT_TEST_DATA") {
        Ok(path) => println!("test data: {path}"),
        Err(_) => println!(
            "test data: PLIANT_TEST_DATA is not set; tests that need it say that they did not run"
        ),
    }
}

fn heading(text: &str) {
    println!("\n=== {text}");
}

fn row(Report { name, took, outcome }: &Report) -> String {
    let seconds = took.as_secs_f32();
    let (word, note) = match outcome {
        Ok(Done::Passed(note)) => ("ok", note.as_str()),
        Ok(Done::NotRun(why)) => ("not run", why.as_str()),
        Err(message) => ("FAILED", message.lines().next().unwrap_or_default()),
    };
    format!("{name:12} {word:8} {seconds:7.1} s  {note}").trim_end().to_owned()
}

/// The table; its last line is for people and for machines that count.
fn summary(reports: &[Report], took: Duration) -> String {
    let mut text = String::from("\n=== summary\n");
    for report in reports {
        text += &format!("{}\n", row(report));
    }
    let count = |is: fn(&Report) -> bool| reports.iter().filter(|report| is(report)).count();
    let passed = count(|report| matches!(report.outcome, Ok(Done::Passed(_))));
    let failed = count(|report| report.outcome.is_err());
    let skipped = count(|report| matches!(report.outcome, Ok(Done::NotRun(_))));
    text += &format!("all together in {:.0} s\n", took.as_secs_f32());
    text += &format!("{passed} passed, {failed} failed");
    if skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcome: Result<Done, String>) -> Report {
        Report { name: "fmt", took: Duration::from_secs(2), outcome }
    }

    #[test]
    fn the_summary_ends_in_the_counts() {
        let passed = || report(Ok(Done::Passed(String::new())));
        let all = [passed(), report(Err("no\nlong story".into())), passed()];
        let text = summary(&all, Duration::from_secs(6));
        assert!(text.ends_with("\n2 passed, 1 failed\n"), "{text}");
        assert!(text.contains("FAILED       2.0 s  no\n"), "{text}");
    }

    #[test]
    fn a_step_that_could_not_run_is_not_counted_as_passed() {
        let text = summary(&[report(Ok(Done::NotRun("no network".into())))], Duration::ZERO);
        assert!(text.ends_with("\n0 passed, 0 failed, 1 skipped\n"), "{text}");
    }

    #[test]
    fn steps_are_selected_by_name_and_run_in_order() {
        let names: Vec<_> = select("tidy, fmt").unwrap().iter().map(|step| step.name).collect();
        assert_eq!(names, ["fmt", "tidy"]);
        assert!(select("fmt,typo").err().unwrap().contains("no step `typo`"));
    }
}
