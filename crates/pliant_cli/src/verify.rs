//! `pliant verify`: what physics says, and what the engine gives.

mod page;
mod run;
mod soak;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant::laws::{self, Law, LawError, Measured, Report, Status};
use pliant_io::scene::did_you_mean;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::{Command, assignments, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "verify",
    about: "Measure the engine against laws of physics",
    args,
    run: verify,
};

/// Exit code when a law is broken.
const BROKEN: u8 = 1;

fn args(command: clap::Command) -> clap::Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let threads = Arg::new("threads").long("threads").value_name("N");
    command
        .arg(Arg::new("law").num_args(0..).help("laws to measure; none measures all"))
        .arg(set_arg().help("change a parameter, such as gravity=1.62, of the laws that have it"))
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_parser(["cpu", "gpu"])
                .default_value("cpu")
                .help("who takes the steps"),
        )
        .arg(threads.value_parser(value_parser!(u32).range(0..=256)).help(
            "threads of a step, 0 is one per core; without, laws are measured side by side, each \
             on one",
        ))
        .arg(flag("quick").help("only laws that take a second or so"))
        .arg(flag("json").help("print one JSON object for every law"))
        .arg(flag("explain").help(
            "say what is claimed, why it cannot pass by accident, and all numbers; with --json, an \
             object for every number",
        ))
        .arg(
            Arg::new("soak")
                .long("soak")
                .value_name("SECONDS")
                .conflicts_with_all(["law", "quick", "plot"])
                .value_parser(value_parser!(f64))
                .help(
                    "instead of laws, a world of 100000 particles (--set particles=N, or a setting \
                     such as substeps=10) for so long, twice at once",
                ),
        )
        .arg(flag("once").requires("soak").help(
            "soak one world alone, and print its hash to be compared with that of another run",
        ))
        .arg(
            Arg::new("plot")
                .long("plot")
                .value_name("FOLDER")
                .num_args(0..=1)
                .default_missing_value("docs")
                .help("write FOLDER/validation.md, with figures in FOLDER/validation"),
        )
}

fn verify(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    if let Some(&seconds) = matches.get_one::<f64>("soak") {
        return soaked(matches, seconds);
    }
    let laws = chosen(matches)?;
    let overrides = overrides(matches, &laws)?;
    let how = run::How::of(matches)?;
    let printer = Printer { json: matches.get_flag("json"), explain: matches.get_flag("explain") };
    printer.head();
    let outcomes = run::run(&laws, &overrides, &how, |law, outcome| printer.law(law, outcome))?;
    let count = |status| outcomes.iter().filter(|o| o.report.status() == status).count();
    let [passed, failed, limits] = [Status::Pass, Status::Fail, Status::Limit].map(count);
    if let Some(folder) = matches.get_one::<String>("plot") {
        let written = page::write(&laws, &overrides, &outcomes, Path::new(folder))?;
        eprintln!("wrote {}", written.display());
    }
    if !printer.json {
        let seconds = began.elapsed().as_secs_f64();
        println!("\n{passed} pass, {failed} fail, {limits} show a limit; {seconds:.0} s");
    }
    if failed > 0 {
        return Err(Failure::boxed(BROKEN, "the engine breaks a law of physics"));
    }
    Ok(())
}

/// Soaks, and prints what was measured as laws are.
fn soaked(matches: &ArgMatches, seconds: f64) -> Result<(), Box<dyn Error>> {
    if !(1.0..=1e6).contains(&seconds) {
        return Err(format!("--soak {seconds}: expected 1 to 1000000 seconds").into());
    }
    let load = soak::Load::of(matches)?;
    let json = matches.get_flag("json");
    let mut failed = 0;
    soak::run(&load, seconds, |(name, rows, seconds)| {
        for row in &rows {
            failed += u32::from(row.status() == Status::Fail);
            match json {
                true => println!("{}", of_number(&format!("{name}: {}", row.what), row, seconds)),
                false => println!("{:<8} {:<5} {row}", name, row.status().name()),
            }
        }
    })?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::boxed(BROKEN, "the engine does not bear it")),
    }
}

/// The laws that were asked for, in the order of [`laws::ALL`].
fn chosen(matches: &ArgMatches) -> Result<Vec<&'static Law>, Box<dyn Error>> {
    let names: Vec<&String> = matches.get_many("law").into_iter().flatten().collect();
    for name in &names {
        laws::find(name).map_err(suggest)?;
    }
    let quick = matches.get_flag("quick");
    let wanted = |law: &&&Law| {
        (names.is_empty() || names.iter().any(|name| *name == law.name)) && (law.quick || !quick)
    };
    let chosen: Vec<_> = laws::ALL.iter().filter(wanted).copied().collect();
    match chosen.is_empty() {
        true => Err("none of these laws is quick; leave out --quick".into()),
        false => Ok(chosen),
    }
}

/// The error, and the word that was meant.
fn suggest(error: LawError) -> Box<dyn Error> {
    let near = match &error {
        LawError::UnknownLaw { name } => did_you_mean(name, laws::ALL.iter().map(|law| law.name)),
        LawError::UnknownParam { name, known, .. } => did_you_mean(name, known.iter().copied()),
        _ => String::new(),
    };
    format!("{error}{near}").into()
}

/// Every `--set`, as numbers. At least one of the laws must have the parameter.
fn overrides<'a>(
    matches: &'a ArgMatches,
    laws: &[&Law],
) -> Result<Vec<(&'a str, f64)>, Box<dyn Error>> {
    let mut numbers = Vec::new();
    for (name, value) in assignments(matches)? {
        let number = value.parse().map_err(|_| format!("--set {name}={value}: not a number"))?;
        if laws.iter().all(|law| law.param(name).is_none()) {
            return Err(unknown_param(name, laws));
        }
        numbers.push((name, number));
    }
    Ok(numbers)
}

fn unknown_param(name: &str, laws: &[&Law]) -> Box<dyn Error> {
    if let [law] = laws {
        let known = law.params.iter().map(|param| param.name).collect();
        return suggest(LawError::UnknownParam { law: law.name, name: name.into(), known });
    }
    let known = laws.iter().flat_map(|law| law.params).map(|param| param.name);
    let near = did_you_mean(name, known);
    format!("--set {name}: none of these laws has that parameter{near}").into()
}

/// What of a run is shown.
struct Printer {
    json: bool,
    explain: bool,
}

impl Printer {
    fn head(&self) {
        if !self.json {
            println!(
                "{:<22} {:>16} {:>16} {:>14} {:>14}  {:<7} {:>7}  the number",
                "law", "measured", "expected", "error", "tolerance", "verdict", "seconds"
            );
        }
    }

    fn law(&self, law: &Law, outcome: &run::Outcome) {
        let run::Outcome { report, seconds } = outcome;
        match (self.json, self.explain) {
            (true, false) => println!("{}", object(law.name, report, *seconds)),
            (true, true) => report.measured.iter().for_each(|row| {
                let name = format!("{}: {}", law.name, row.what);
                println!("{}", of_number(&name, row, *seconds));
            }),
            (false, _) => {
                print_law(law, report, *seconds);
                if self.explain {
                    explain(law, report);
                }
            }
        }
    }
}

/// A law as JSON, by the number that stands for it.
fn object(name: &str, report: &Report, seconds: f64) -> Value {
    match report.headline() {
        Some(row) => of_number(name, row, seconds),
        None => json!({
            "name": name, "measured": null, "expected": null, "error": null, "tolerance": null,
            "status": report.status().name(), "pass": false, "seconds": seconds,
        }),
    }
}

/// A number as JSON. Error and tolerance are shares of the expected number where the tolerance is
/// one, else in its unit. What is not finite is null.
fn of_number(name: &str, row: &Measured, seconds: f64) -> Value {
    let status = row.status();
    json!({
        "name": name,
        "measured": row.measured,
        "expected": row.expected,
        "error": row.error(),
        "tolerance": row.allowed(),
        "status": status.name(),
        "pass": status == Status::Pass,
        "seconds": seconds,
    })
}

fn print_law(law: &Law, report: &Report, seconds: f64) {
    let none = || std::array::from_fn(|_| "–".to_owned());
    let [measured, expected, error, tolerance] =
        report.headline().map_or_else(none, Measured::cells);
    let what = report.headline().map_or("nothing was measured", |row| &row.what);
    let verdict = report.status().name();
    println!(
        "{:<22} {measured:>16} {expected:>16} {error:>14} {tolerance:>14}  {verdict:<7} \
         {seconds:>7.2}  {what}",
        law.name
    );
    let others = report.measured.iter().filter(|row| row.status() != Status::Pass);
    others.for_each(|row| println!("    {}: {row}", row.status().name()));
}

fn explain(law: &Law, report: &Report) {
    let Law { setup, claim, source, tolerance, accident, .. } = law;
    println!("    {claim}\n    set-up: {setup}\n    source: {source}");
    println!("    tolerance: {tolerance}\n    no accident: {accident}");
    for (param, value) in &report.settings {
        let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
        println!(
            "    {} = {value}{unit}, from {} to {} ({})",
            param.name, param.min, param.max, param.meaning
        );
    }
    report.measured.iter().for_each(|measured| println!("    {measured}"));
    println!();
}
