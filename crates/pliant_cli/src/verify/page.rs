//! `docs/validation.md`: every law with its numbers and figures, and which check of the plan it is.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pliant::laws::coverage::PLAN;
use pliant::laws::{Law, Measured, Status};
use pliant_io::plot;

use super::run::{Outcome, of_law};

/// What others write into the page, such as `cargo xtask mutate`, stands between these.
const KEPT: [&str; 2] = ["<!-- mutations -->\n", "<!-- end of mutations -->\n"];

/// Writes the page and its figures, and says where the page is.
pub(super) fn write(
    laws: &[&Law],
    overrides: &[(&str, f64)],
    outcomes: &[Outcome],
    folder: &Path,
) -> Result<PathBuf, Box<dyn Error>> {
    let figures = folder.join("validation");
    fs::create_dir_all(&figures).map_err(|e| format!("{}: {e}", figures.display()))?;
    let path = folder.join("validation.md");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut page = head(outcomes)?;
    summary(&mut page, outcomes)?;
    limits(&mut page, outcomes)?;
    coverage(&mut page)?;
    page += &format!("\n{}{}{}", KEPT[0], kept(&before), KEPT[1]);
    for outcome in outcomes {
        let Some(law) = laws.iter().find(|law| law.name == outcome.report.law) else { continue };
        let figure = law.draw(&of_law(law, overrides))?;
        if let Some(figure) = &figure {
            plot::write(figure, &figures.join(format!("{}.svg", law.name)))?;
        }
        section(&mut page, law, outcome)?;
        if let Some(figure) = &figure {
            writeln!(page, "\n![{}](validation/{}.svg)", figure.title, law.name)?;
        }
    }
    fs::write(&path, page).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn head(outcomes: &[Outcome]) -> Result<String, std::fmt::Error> {
    let count = |status| outcomes.iter().filter(|o| o.report.status() == status).count();
    let numbers: usize = outcomes.iter().map(|o| o.report.measured.len()).sum();
    let mut page =
        String::from("# Validation\n\nWritten by `pliant verify --plot`; not by hand.\n\n");
    writeln!(
        page,
        "What physics says, and what the engine gives: {} laws, {numbers} numbers. {} pass, {} fail, \
         {} show a limit of the method. `pliant verify NAME --explain` measures one of them again, \
         with `--set` for values of your own.\n",
        outcomes.len(),
        count(Status::Pass),
        count(Status::Fail),
        count(Status::Limit),
    )?;
    Ok(page)
}

/// One line for each law.
fn summary(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    writeln!(
        page,
        "| law | the number that stands for it | measured | expected | error | tolerance | |"
    )?;
    writeln!(page, "|---|---|--:|--:|--:|--:|---|")?;
    for Outcome { report, .. } in outcomes {
        let name = report.law;
        let Some(row) = report.headline() else { continue };
        writeln!(page, "| [{name}](#{name}) | {}", cells(row))?;
    }
    Ok(())
}

fn cells(row: &Measured) -> String {
    let what = row.what.replace('|', "\\|");
    let [measured, expected, error, tolerance] = row.cells();
    let status = row.status().name();
    format!("{what} | {measured} | {expected} | {error} | {tolerance} | {status} |")
}

/// Where the method cannot reach what is expected, and why.
fn limits(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    writeln!(page, "\n## Limits\n")?;
    let rows = outcomes.iter().flat_map(|o| o.report.measured.iter().map(move |row| (o, row)));
    let mut any = false;
    for (outcome, row) in rows.filter(|(_, row)| row.status() == Status::Limit) {
        any = true;
        writeln!(page, "- {}, {row}: {}", outcome.report.law, row.limit.unwrap_or_default())?;
    }
    if !any {
        writeln!(page, "None was met.")?;
    }
    Ok(())
}

/// Which laws and tests carry out each check of the plan.
fn coverage(page: &mut String) -> std::fmt::Result {
    writeln!(page, "\n## Coverage\n\n| check | what | laws | tests |\n|---|---|---|---|")?;
    for check in PLAN {
        let laws: Vec<String> = check.laws().map(|law| format!("[{0}](#{0})", law.name)).collect();
        let tests: Vec<String> =
            check.tests.iter().map(|(file, name)| format!("`{name}` in `{file}`")).collect();
        let (laws, tests) = (laws.join(", "), tests.join("; "));
        writeln!(page, "| {} | {} | {laws} | {tests} |", check.id, check.what)?;
    }
    Ok(())
}

/// What stood between the marks.
fn kept(before: &str) -> &str {
    let inside = before.split_once(KEPT[0]).and_then(|(_, rest)| rest.split_once(KEPT[1]));
    inside.map_or("", |(inside, _)| inside)
}

fn section(page: &mut String, law: &Law, outcome: &Outcome) -> std::fmt::Result {
    let Law { name, covers, setup, claim, source, tolerance, accident, .. } = law;
    writeln!(page, "\n## {name}\n\n{}.\n", capital(claim))?;
    writeln!(page, "- Set-up: {setup}.\n- Source: {source}.\n- Tolerance: {tolerance}.")?;
    writeln!(page, "- No accident: {accident}.\n- Checks: {}.", covers.join(", "))?;
    for (param, value) in &outcome.report.settings {
        let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
        let (name, min, max, meaning) = (param.name, param.min, param.max, param.meaning);
        writeln!(page, "- `{name}` = {value}{unit}, from {min} to {max}: {meaning}.")?;
    }
    writeln!(
        page,
        "\n| number | measured | expected | error | tolerance | |\n|---|--:|--:|--:|--:|---|"
    )?;
    outcome.report.measured.iter().try_for_each(|row| writeln!(page, "| {}", cells(row)))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
