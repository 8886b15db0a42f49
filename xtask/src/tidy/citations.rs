//! Every paper that a comment of the engine cites stands in `docs/references.bib`.
//!
//! A citation is a name and a year: "Macklin et al. 2016", "Tamstorf and Grinspun 2013",
//! "Bender (2014)". It is matched by year and any author's surname.

use super::source::comments;
use super::{Finding, Tree};

const BIBLIOGRAPHY: &str = "docs/references.bib";

/// Capitalised words before a year that are not authors.
const NOT_AUTHORS: &[&str] = &[
    "After",
    "Before",
    "By",
    "Edition",
    "From",
    "In",
    "Of",
    "Rust",
    "Since",
    "Until",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let papers = papers(tree.text(BIBLIOGRAPHY));
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        let is_source = path.ends_with(".rs") || path.ends_with(".wgsl");
        if !is_source || !path.starts_with("crates/pliant/") {
            continue;
        }
        for (line, surname, year) in citations(&comments(text)) {
            let cited = |paper: &Paper| paper.year == year && paper.surnames.contains(&surname);
            if !papers.iter().any(cited) {
                let what = format!("\"{surname} … {year}\" is not in {BIBLIOGRAPHY}");
                let remedy = "add the paper there; if this is no citation, put another word \
                              before the year";
                findings.push(Finding::new(path, line, what, remedy));
            }
        }
    }
    findings
}

struct Paper {
    surnames: Vec<String>,
    year: String,
}

/// The entries of a BibTeX file, with names in UTF-8.
fn papers(text: &str) -> Vec<Paper> {
    let entries = text.split("\n@").filter(|entry| entry.contains('{'));
    entries
        .map(|entry| Paper {
            surnames: field(entry, "author").split(" and ").map(surname).collect(),
            year: field(entry, "year"),
        })
        .collect()
}

/// The value of `name = {value},` or `name = "value",`, which may go over several lines.
fn field(entry: &str, name: &str) -> String {
    let mut value = String::new();
    for line in entry.lines().skip_while(|line| !is_field(line, name)) {
        value += &format!("{} ", line.trim());
        if value.matches('{').count() == value.matches('}').count() {
            break;
        }
    }
    let (_, value) = value.split_once('=').unwrap_or_default();
    value.replace(['{', '}', '"'], "").trim().trim_end_matches(',').to_owned()
}

fn is_field(line: &str, name: &str) -> bool {
    line.split_once('=').is_some_and(|(before, _)| before.trim().eq_ignore_ascii_case(name))
}

/// The surname in "Surname, First" or "First Surname".
fn surname(author: &str) -> String {
    let surname = match author.split_once(',') {
        Some((surname, _)) => surname,
        None => author.rsplit(' ').next().unwrap_or(author),
    };
    surname.trim().to_owned()
}

/// The citations in a text as (line, surname, year).
fn citations(comments: &str) -> Vec<(usize, String, String)> {
    let mut words = Vec::new();
    for (i, line) in comments.lines().enumerate() {
        let line = line.trim().trim_start_matches(['/', '!', '*']);
        words.extend(line.split_whitespace().map(|word| (i + 1, word)));
        if line.is_empty() {
            words.push((i + 1, ".")); // a citation does not go on after a gap
        }
    }
    let mut found = Vec::new();
    for k in 1..words.len() {
        let (line, word) = words[k];
        let before: Vec<&str> =
            words[k.saturating_sub(3)..k].iter().map(|(_, word)| *word).collect();
        if let (Some(year), Some(surname)) = (year(word), cited_surname(&before)) {
            found.push((line, surname, year));
        }
    }
    found
}

/// The year in "2016", "(2016)", "2016a,".
fn year(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = word.strip_suffix(['a', 'b', 'c']).unwrap_or(word);
    let is_year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    (is_year && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.to_owned())
}

/// The surname that the words before a year end in.
fn cited_surname(before: &[&str]) -> Option<String> {
    let name = match before {
        [name, "et", last] if last.starts_with("al") => name,
        [.., name] if !name.ends_with(['.', ';', ':', '?', '!']) => name,
        _ => return None,
    };
    let name = name.trim_matches(|c: char| !c.is_alphanumeric()).trim_end_matches("'s");
    let name = name.rsplit(['/', '–']).next()?;
    let is_name = name.starts_with(char::is_uppercase)
        && name.contains(char::is_lowercase)
        && name.chars().all(|c| c.is_alphabetic() || c == '-');
    (is_name && !NOT_AUTHORS.contains(&name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIB: &str = "% papers\n\n@inproceedings{a,\n  author = {Macklin, Miles and Müller, Matthias\n\
                       \x20           and Nuttapong Chentanez},\n  title = {XPBD},\n  year = {2016},\n}\n\
                       @article{b,\n  author = \"Rasmus Tamstorf and Grinspun, Eitan\",\n  year = 2013\n}\n";

    fn findings(source: &str) -> Vec<Finding> {
        check(&Tree::of(&[(BIBLIOGRAPHY, BIB), ("crates/pliant/src/a.rs", source)]))
    }

    #[test]
    fn papers_in_the_bibliography_may_be_cited() {
        for source in [
            "/// Macklin et al. 2016, \"XPBD\".",
            "/// Macklin, Müller and Chentanez (2016), eq. 7",
            "//! as Macklin et\n//! al. 2016 do",
            "// Tamstorf & Grinspun 2013",
            "// Tamstorf/Grinspun 2013a.",
        ] {
            assert!(findings(source).is_empty(), "{source}: {:?}", findings(source));
        }
    }

    #[test]
    fn other_papers_are_found() {
        for source in ["/// Macklin et al. 2019", "// Bridson 2016", "x(); // see Müller 2007"] {
            assert_eq!(findings(source).len(), 1, "{source}");
        }
        assert_eq!(findings("\n\n//! Bender et al.\n//! 2014.")[0].line, 4);
    }

    #[test]
    fn other_years_are_no_citations() {
        for source in [
            "// In 2020, Rust 2024, SIGGRAPH 2019, 2048 particles, bench of 2026-11-15",
            "let macklin = \"Macklin 2001\"; f(2016);",
            "// Nobody knows. 2019 was long ago",
            "// by Nobody\n\n// 2019",
        ] {
            assert!(findings(source).is_empty(), "{source}: {:?}", findings(source));
        }
    }
}
