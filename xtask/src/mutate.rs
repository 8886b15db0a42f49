//! `cargo xtask mutate`: the engine is broken on purpose, and `pliant verify` must notice.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cmd::{cargo, output, root, run, scratch, text_of};

/// A small mistake in the engine.
struct Mutation {
    what: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn mistake(
    what: &'static str,
    file: &'static str,
    [from, to]: [&'static str; 2],
) -> Mutation {
    Mutation { what, file, from, to }
}

/// Every mistake: an expression that occurs once in its file, and what stands for it.
const ALL: &[Mutation] = &[
    mistake(
        "a factor 6 is lost in a gradient of the volume",
        "crates/pliant/src/constraint/volume.rs",
        ["e2.cross(e3) * sixth", "e2.cross(e3)"],
    ),
    mistake(
        "Lamé's λ − μ stands for λ in rubber",
        "crates/pliant/src/shapes/elastic.rs",
        [
            "self.material.hold(lambda, 1.0 / rest_volume)",
            "self.material.hold(lambda - mu, 1.0 / rest_volume)",
        ],
    ),
    mistake(
        "no λ is kept between iterations",
        "crates/pliant/src/step/project.rs",
        [
            "if batch.first { R::splat(proof, 0.0) } else { group.lambda(proof) }",
            "R::splat(proof, 0.0)",
        ],
    ),
    mistake(
        "friction goes with the inverse mass",
        "crates/pliant/src/step/velocity.rs",
        ["velocity.extend(0.0)", "*v + (velocity.extend(0.0) - *v) * xw.w.min(1.0)"],
    ),
    mistake(
        "constraints of one colour share a particle",
        "crates/pliant/src/coloring/first_fit.rs",
        [
            "particles.iter().fold(0, |mask, &p| mask | around[p as usize])",
            "particles.iter().skip(1).fold(0, |mask, &p| mask | around[p as usize])",
        ],
    ),
    mistake(
        "a thousandth of the velocity is lost",
        "crates/pliant/src/step/predict.rs",
        ["*v = *v * keep + gains", "*v = *v * (0.999 * keep) + gains"],
    ),
    mistake(
        "a wrong sign in the bending of rods",
        "crates/pliant/src/constraint/link_bend.rs",
        ["(length - rest, [g0, -(g0 + g2), g2])", "(length - rest, [g0, -(g0 + g2), -g2])"],
    ),
    mistake(
        "compliance over h instead of h²",
        "crates/pliant/src/step/project.rs",
        ["1.0 / (h * h)", "1.0 / h"],
    ),
    mistake(
        "the dashpot is left out of the denominator",
        "crates/pliant/src/step/project.rs",
        ["(one + gamma) * weighted_gradient", "one * weighted_gradient"],
    ),
    mistake(
        "one minus Poisson's ratio instead of one minus twice it",
        "crates/pliant/src/material.rs",
        ["e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))", "e * nu / ((1.0 + nu) * (1.0 - nu))"],
    ),
    mistake(
        "restitution that is a tenth too large",
        "crates/pliant/src/step/contacts/response.rs",
        ["-collider.restitution * vn_before", "-1.1 * collider.restitution * vn_before"],
    ),
    mistake(
        "plates are twice as stiff against bending",
        "crates/pliant/src/shapes/elastic.rs",
        [
            "rings::add_curvature(self, &mut body, 0.5)?",
            "rings::add_curvature(self, &mut body, 1.0)?",
        ],
    ),
    mistake(
        "a triangle gives each corner half of its mass",
        "crates/pliant/src/shapes/elastic.rs",
        ["self.area(*triangle) / 3.0", "self.area(*triangle) / 2.0"],
    ),
    mistake(
        "hardening is forgotten when a link flows",
        "crates/pliant/src/plastic.rs",
        ["share * beyond / (1.0 + hardening)", "share * beyond"],
    ),
];

/// What tells the copy which mistake to make: to build it once takes as long as to run it for all.
const SWITCH: &str = r#"
pub(crate) fn is_mutant(number: u32) -> bool {
    static NUMBER: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("PLIANT_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *NUMBER == number
}
"#;

/// Marks of the part of the page that is written here.
const MARKS: [&str; 2] = ["<!-- mutations -->\n", "<!-- end of mutations -->\n"];

pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    if !words.is_empty() {
        return Err("usage: cargo xtask mutate".into());
    }
    let tree = copy()?;
    make_mistakes(&tree)?;
    let program = build(&tree)?;
    let unbroken = broken_laws(&program, 0)?;
    if !unbroken.is_empty() {
        return Err(format!("without a mistake already: {}", unbroken.join(", ")));
    }
    let mut rows = Vec::new();
    for (number, mutation) in (1..).zip(ALL) {
        let broken = broken_laws(&program, number)?;
        let by = if broken.is_empty() { "NOT NOTICED".into() } else { broken.join(", ") };
        println!("{}: {by}", mutation.what);
        rows.push((mutation.what, broken));
    }
    publish(&rows)?;
    let missed = rows.iter().filter(|(_, broken)| broken.is_empty()).count();
    println!("{} mistakes, {missed} not noticed", rows.len());
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Mutation {
    /// The text with both, of which the switch chooses one.
    fn applied(&self, text: &str, number: u32) -> Result<String, String> {
        let Self { from, to, .. } = self;
        match text.matches(from).count() {
            1 => {
                let both = format!("(if crate::is_mutant({number}) {{ {to} }} else {{ {from} }})");
                Ok(text.replace(from, &both))
            }
            count => Err(format!("{}: `{}` occurs {count} times, not once", self.file, self.from)),
        }
    }
}

/// Copies what the repository holds, as it is on disk.
fn copy() -> Result<PathBuf, String> {
    let tree = scratch().join("mutate/tree");
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    for name in output(&mut list)?.lines() {
        let (from, to) = (root().join(name), tree.join(name));
        if !from.is_file() {
            continue;
        }
        let bytes = std::fs::read(&from).map_err(|e| format!("{}: {e}", from.display()))?;
        let folder = to.parent().unwrap_or(&tree);
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        std::fs::write(&to, bytes).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    Ok(tree)
}

/// Puts every mistake into the copy, and the switch.
fn make_mistakes(tree: &Path) -> Result<(), String> {
    for (number, mutation) in (1..).zip(ALL) {
        let path = tree.join(mutation.file);
        write(&path, &mutation.applied(&read(&path)?, number)?)?;
    }
    let engine = tree.join("crates/pliant/src/lib.rs");
    write(&engine, &(read(&engine)? + SWITCH))
}

/// Builds the copy, and says where its program is.
fn build(tree: &Path) -> Result<PathBuf, String> {
    let target = scratch().join("mutate/build");
    let mut build = cargo("build --profile mutate -p pliant_cli --no-default-features");
    build.arg("--manifest-path").arg(tree.join("Cargo.toml")).arg("--target-dir").arg(&target);
    run(build.env("RUSTFLAGS", "-Aunused_parens"))?;
    Ok(target.join("mutate/pliant"))
}

/// Which laws are asked, one list after the other until one notices: those of a second, then those of
/// materials, contact and threads, then all.
const ASKED: [&str; 3] = [
    "verify spring damped_spring pbd_stiffness gradients free_fall pendulum chain compliant_chain \
     elongation shape_matching sliding slope bounce tearing plasticity cutting --json",
    "verify momentum neo_hookean traction patch cantilever rod cloth_sag restep --json",
    "verify --json",
];

/// The laws that break with a mistake; 0 is none, with which the first two lists must hold.
fn broken_laws(program: &Path, number: u32) -> Result<Vec<String>, String> {
    let lists = if number == 0 { &ASKED[..2] } else { &ASKED[..] };
    let mut broken = Vec::new();
    for line in lists {
        let mut verify = Command::new(program);
        verify.args(line.split_whitespace()).env("PLIANT_MUTANT", number.to_string());
        let said = verify.output().map_err(|e| format!("{}: {e}", program.display()))?;
        let text = String::from_utf8_lossy(&said.stdout);
        broken.extend(text.lines().filter(|l| l.contains("\"status\":\"fail\"")).filter_map(name));
        if broken.is_empty() && !said.status.success() {
            // It stopped before any law could be measured, or by an assertion.
            broken.push("a check of the engine itself".into());
        }
        if !broken.is_empty() {
            break;
        }
    }
    Ok(broken)
}

/// The name in a line of JSON.
fn name(line: &str) -> Option<String> {
    text_of("name", line).map(str::to_owned)
}

/// Puts the table into the page that `pliant verify --plot` writes.
fn publish(rows: &[(&str, Vec<String>)]) -> Result<(), String> {
    let mut table = String::from(
        "\n## Mistakes on purpose\n\n`cargo xtask mutate` makes each of these mistakes in a copy of the \
         engine; `pliant verify` must notice.\n\n| mistake | noticed by |\n|---|---|\n",
    );
    for (what, broken) in rows {
        let laws = if broken.is_empty() { "nothing".to_owned() } else { broken.join(", ") };
        table += &format!("| {what} | {laws} |\n");
    }
    let path = root().join("docs/validation.md");
    let page = read(&path)?;
    let parts = page.split_once(MARKS[0]).and_then(|(before, rest)| {
        rest.split_once(MARKS[1]).map(|(_, after)| (before.to_owned(), after.to_owned()))
    });
    let Some((before, after)) = parts else {
        return Err("docs/validation.md has no marks; `pliant verify --plot` writes them".into());
    };
    write(&path, &format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_can_be_made() {
        for mutation in ALL {
            let text = read(&root().join(mutation.file)).unwrap();
            assert_ne!(mutation.applied(&text, 1).unwrap(), text, "{}", mutation.what);
        }
    }

    #[test]
    fn names_are_found_in_lines() {
        let line = r#"{"error":0.1,"name":"sliding","status":"fail"}"#;
        assert_eq!(name(line).as_deref(), Some("sliding"));
        assert_eq!(name("{}"), None);
    }
}
