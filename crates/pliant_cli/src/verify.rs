//! `pliant verify`: what physics says, and what the engine gives.

use std::error::Error;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches};
use pliant::laws::{self, Law, Measured, Report, Tolerance};

use crate::failure::{CHECK, Failure};
use crate::{Command, assignments, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "verify",
    about: "Measure the engine against laws of physics",
    args: |command| {
        command
            .arg(Arg::new("law").help("the law to measure; none measures all"))
            .arg(
                set_arg()
                    .requires("law")
                    .help("change a parameter of the law, such as gravity=1.62"),
            )
            .arg(
                Arg::new("explain")
                    .long("explain")
                    .action(ArgAction::SetTrue)
                    .help("say what is claimed, why it cannot pass by accident, and all numbers"),
            )
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let chosen: Vec<&Law> = match matches.get_one::<String>("law") {
        Some(name) => vec![laws::find(name)?],
        None => laws::ALL.to_vec(),
    };
    let overrides = overrides(matches)?;
    let explain = matches.get_flag("explain");
    println!("{:<16} {:>9} {:>10}  worst of its numbers", "law", "", "seconds");
    let (mut passed, mut failed) = (0, 0);
    for law in chosen {
        let began = Instant::now();
        let report = law.run(&overrides)?;
        let verdict = if report.passes() { "holds" } else { "BROKEN" };
        *if report.passes() { &mut passed } else { &mut failed } += 1;
        let worst = worst(&report).map_or(String::new(), ToString::to_string);
        let seconds = began.elapsed().as_secs_f64();
        println!("{:<16} {verdict:>9} {seconds:>10.2}  {worst}", law.name);
        if explain {
            explain_law(law, &report);
        }
        report.failures().for_each(|failure| println!("    {failure}"));
    }
    println!("\n{passed} hold, {failed} are broken");
    if failed > 0 {
        return Err(Failure::boxed(CHECK, "the engine breaks a law of physics"));
    }
    Ok(())
}

/// Every `--set`, as numbers.
fn overrides(matches: &ArgMatches) -> Result<Vec<(&str, f64)>, Box<dyn Error>> {
    let numbers = assignments(matches)?.into_iter().map(|(name, value)| {
        let number = value.parse().map_err(|_| format!("--set {name}={value}: not a number"))?;
        Ok((name, number))
    });
    numbers.collect()
}

/// The number that uses up most of its tolerance.
fn worst(report: &Report) -> Option<&Measured> {
    let used = |m: &Measured| match m.tolerance {
        Tolerance::Relative(_) | Tolerance::Absolute(_) => m.error() / m.allowed(),
        _ if m.passes() => 0.0,
        _ => f64::INFINITY,
    };
    report.measured.iter().max_by(|a, b| used(a).total_cmp(&used(b)))
}

fn explain_law(law: &Law, report: &Report) {
    println!("    {}\n    source: {}\n    {}", law.claim, law.source, law.accident);
    for (param, value) in &report.settings {
        let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
        println!("    {} = {value}{unit} ({})", param.name, param.meaning);
    }
    report.measured.iter().for_each(|measured| println!("    {measured}"));
    println!();
}
