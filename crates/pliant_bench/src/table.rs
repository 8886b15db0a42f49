//! Results as aligned text, or as one JSON object per line.

/// Rows of cells under headings.
pub(crate) struct Table {
    pub(crate) headings: &'static [&'static str],
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A word or a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Word(String),
    Count(usize),
    /// With three digits after the point, for people.
    Number(f64),
    Nothing,
}

impl Cell {
    fn to_text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => format!("{number:.3}"),
            Self::Nothing => "-".into(),
        }
    }

    fn to_json(&self) -> String {
        match self {
            // Words are our own: no quotes or backslashes in them.
            Self::Word(word) => format!("{word:?}"),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Nothing => "null".into(),
        }
    }
}

impl Table {
    /// Columns of even width, words to the left and numbers to the right.
    pub(crate) fn to_text(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::to_text).collect()).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].len());
            cells.chain([self.headings[column].len()]).max().unwrap_or(0)
        };
        let words = |column: usize| {
            self.rows.first().is_none_or(|row| matches!(row[column], Cell::Word(_)))
        };
        let line = |cells: &[&str]| {
            let padded = cells.iter().enumerate().map(|(column, cell)| match words(column) {
                true => format!("{cell:<0$}", width(column)),
                false => format!("{cell:>0$}", width(column)),
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
        };
        let body = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
        line(self.headings) + &body.collect::<String>()
    }

    /// A line of headings and one for each row; words that hold a comma are in quotes.
    pub(crate) fn to_csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let cell = |cell: &Cell| match cell {
            Cell::Word(word) if word.contains(',') => format!("\"{word}\""),
            Cell::Number(number) => number.to_string(),
            Cell::Nothing => String::new(),
            other => other.to_text(),
        };
        let head = line(self.headings.iter().map(|&heading| heading.into()).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(cell).collect()));
        head + &rows.collect::<String>()
    }

    /// One object per row, with the headings as keys.
    pub(crate) fn to_json(&self) -> String {
        let object = |row: &Vec<Cell>| {
            let pairs = self.headings.iter().zip(row);
            let pairs = pairs.map(|(key, cell)| format!("{key:?}: {}", cell.to_json()));
            format!("{{{}}}\n", pairs.collect::<Vec<_>>().join(", "))
        };
        self.rows.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |word: &str, n, x| vec![Cell::Word(word.into()), Cell::Count(n), Cell::Number(x)];
        Table {
            headings: &["what", "n", "ms"],
            rows: vec![row("a", 7, 0.5), row("bcdef", 12, 2.0)],
        }
    }

    #[test]
    fn text_is_aligned() {
        assert_eq!(table().to_text(), "what    n     ms\na       7  0.500\nbcdef  12  2.000\n");
    }

    #[test]
    fn csv_keeps_commas_inside_words() {
        let row = vec![Cell::Word("a, b".into()), Cell::Nothing, Cell::Number(0.25)];
        let table = Table { headings: &["what", "n", "ms"], rows: vec![row] };
        assert_eq!(table.to_csv(), "what,n,ms\n\"a, b\",,0.25\n");
    }

    #[test]
    fn json_has_a_line_for_each_row() {
        let text = table().to_json();
        assert_eq!(text.lines().next(), Some(r#"{"what": "a", "n": 7, "ms": 0.5}"#));
        assert_eq!(text.lines().count(), 2);
    }
}
