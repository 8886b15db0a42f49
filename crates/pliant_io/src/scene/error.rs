//! What can be wrong with a scene, and where.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that scenes are read from, with the name under which it is known.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    /// The file, or what stands for one, such as `--set`.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it is from.
    pub text: Arc<Text>,
    /// Which bytes.
    pub bytes: Range<usize>,
}

impl Place {
    /// The line, counted from 1, and the column in characters, counted from 1.
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = &self.text.text[..self.start()];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The whole line in which it begins.
    fn line(&self) -> &str {
        let text = &self.text.text;
        let start = text[..self.start()].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        text[start..end].trim_end_matches('\r')
    }

    /// Where it begins, at a character of the text.
    fn start(&self) -> usize {
        let mut at = self.bytes.start.min(self.text.text.len());
        while !self.text.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// Something that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Where.
    pub place: Place,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Longest part of a line that is shown (characters).
const WIDTH: usize = 100;

impl fmt::Display for SceneError {
    /// ```text
    /// cloth.toml:7:1: no key "substeeps" in [solver]; did you mean "substeps"?
    ///   7 | substeeps = 20
    ///     | ^^^^^^^^^
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { text, bytes } = &self.place;
        let (line, column) = self.place.line_and_column();
        write!(f, "{}:{line}:{column}: {}", text.name, self.message)?;
        let whole = self.place.line();
        // A line may be a megabyte: only what is around the place is shown.
        let long = whole.chars().count() > WIDTH;
        let skipped = if long { (column - 1).saturating_sub(WIDTH / 2) } else { 0 };
        let shown: String = whole
            .chars()
            .skip(skipped)
            .take(WIDTH)
            .map(|c| if c == '\t' { ' ' } else { c })
            .collect();
        if shown.trim().is_empty() {
            return Ok(());
        }
        let number = line.to_string();
        let indent = column - 1 - skipped;
        let rest = shown.chars().count().saturating_sub(indent).max(1);
        let marked = text.text.get(bytes.clone()).map_or(1, |part| part.chars().count());
        let carets = "^".repeat(marked.clamp(1, rest));
        write!(f, "\n  {number} | {shown}\n  {:>2$} | {:>3$}{carets}", "", "", number.len(), indent)
    }
}

impl Error for SceneError {}

/// Everything that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneErrors(pub Vec<SceneError>);

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            let gap = if number > 0 { "\n\n" } else { "" };
            write!(f, "{gap}{error}")?;
        }
        Ok(())
    }
}

impl Error for SceneErrors {}

impl From<SceneError> for SceneErrors {
    fn from(error: SceneError) -> Self {
        Self(vec![error])
    }
}

/// The known word nearest to what was written, as `; did you mean "…"?`, or nothing.
pub fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|word| (distance(found, word), word)).min();
    match near {
        Some((slips, word)) if slips <= 1 + word.chars().count() / 4 => {
            format!("; did you mean {word:?}?")
        }
        _ => String::new(),
    }
}

/// How many letters must be added, left out, changed or swapped with their neighbour (the optimal
/// string alignment distance). Long words are far from all.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().take(64).collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, &from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &to) in b.iter().enumerate() {
            let change = rows[i][j] + usize::from(from != to);
            let mut least = change.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_middle_of_a_letter_or_past_the_end_is_shown_all_the_same() {
        let text = Arc::new(Text { name: "a".into(), text: "é = ü\n\tb = 1".into() });
        for start in 0..=text.text.len() + 2 {
            let place = Place { text: text.clone(), bytes: start..start + 3 };
            let error = SceneError { place, message: "no".into() };
            assert!(error.to_string().starts_with("a:"), "{error}");
        }
    }

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = || ["substeps", "iterations", "gravity"].into_iter();
        assert_eq!(did_you_mean("substeeps", known()), "; did you mean \"substeps\"?");
        assert_eq!(did_you_mean("gravtiy", known()), "; did you mean \"gravity\"?");
        assert_eq!(did_you_mean("Gravity", known()), "; did you mean \"gravity\"?");
        assert_eq!(did_you_mean("colour", known()), "");
        assert_eq!(did_you_mean(&"x".repeat(1 << 20), known()), "");
    }
}
