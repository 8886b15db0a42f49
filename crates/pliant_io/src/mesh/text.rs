//! Words and numbers of text files, with the line on which they stand.

use std::str::FromStr;

use pliant::glam::Vec3;

use super::error::{Fault, Place};

/// Most characters of a file that an error quotes.
const QUOTED: usize = 40;

/// What a dialect has beside words and lines.
#[derive(Clone, Copy)]
pub(super) enum Dialect {
    /// Nothing.
    Plain,
    /// `#` starts a comment.
    Comments,
    /// The same, and a backslash at the end of a line continues it.
    Continued,
}

/// Reads words from a text, in bytes: files in the field are not always UTF-8.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    dialect: Dialect,
}

impl<'a> Text<'a> {
    /// Starts at the first byte, after a byte order mark if there is one.
    pub(super) fn new(bytes: &'a [u8], dialect: Dialect) -> Result<Self, Fault> {
        if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
            return Err(Fault::expected(Place::Line(1), "UTF-8 or ASCII text", "UTF-16 text"));
        }
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Ok(Self { bytes, at, line: 1, dialect })
    }

    /// Starts with a piece of a text, on the line of that number.
    pub(super) fn within(bytes: &'a [u8], line: usize) -> Self {
        Self { bytes, at: 0, line, dialect: Dialect::Plain }
    }

    /// The next word, on whatever line.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.word_here() {
                return Some(word);
            }
            if !self.next_line() {
                return None;
            }
        }
    }

    /// The next word of this line.
    pub(super) fn word_here(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let comment = !matches!(self.dialect, Dialect::Plain) && rest.first() == Some(&b'#');
        let length = rest.iter().take_while(|byte| !is_blank(**byte) && !is_end(**byte)).count();
        if comment || length == 0 {
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.bytes[self.at..];
            self.at += rest.iter().take_while(|byte| is_blank(**byte)).count();
            let continues = matches!(self.dialect, Dialect::Continued)
                && self.bytes.get(self.at) == Some(&b'\\')
                && self.bytes.get(self.at + 1).is_some_and(|byte| is_end(*byte));
            if !continues || !self.next_line() {
                return;
            }
        }
    }

    /// Goes to the start of the next line; false if this is the last.
    pub(super) fn next_line(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.iter().position(|byte| is_end(*byte)) else {
            self.at = self.bytes.len();
            return false;
        };
        let windows = rest[end..].starts_with(b"\r\n");
        self.at += end + if windows { 2 } else { 1 };
        self.line += 1;
        true
    }

    /// What is left of this line.
    pub(super) fn line_rest(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        &rest[..rest.iter().position(|byte| is_end(*byte)).unwrap_or(rest.len())]
    }

    /// The number of the byte that is read next.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Goes on at byte `at`, which is not before the one that is read next.
    pub(super) fn skip_to(&mut self, at: usize) {
        let at = at.clamp(self.at, self.bytes.len());
        self.line += self.bytes[self.at..at].iter().filter(|byte| **byte == b'\n').count();
        self.at = at;
    }

    /// The line that is read, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Where the reader is.
    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// The next word, which must be there.
    pub(super) fn need(&mut self, what: &str) -> Result<&'a [u8], Fault> {
        self.word().ok_or_else(|| Fault::expected(self.place(), what, "the end of the file"))
    }

    /// The next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Fault> {
        let word = self.need(what)?;
        parse(word).ok_or_else(|| self.fault(what, word))
    }

    /// The next word of this line, which must be there.
    fn need_here(&mut self, what: &str) -> Result<&'a [u8], Fault> {
        self.word_here().ok_or_else(|| Fault::expected(self.place(), what, "the end of the line"))
    }

    /// The next word of this line as a number.
    pub(super) fn number_here<T: FromStr>(&mut self, what: &str) -> Result<T, Fault> {
        let word = self.need_here(what)?;
        parse(word).ok_or_else(|| self.fault(what, word))
    }

    /// The next word of this line as a number that is finite.
    pub(super) fn float_here(&mut self, what: &str) -> Result<f32, Fault> {
        let word = self.need_here(what)?;
        let value: f32 = parse(word).ok_or_else(|| self.fault(what, word))?;
        if value.is_finite() { Ok(value) } else { Err(self.fault("a finite number", word)) }
    }

    /// Three numbers of this line.
    pub(super) fn point_here(&mut self, what: &str) -> Result<Vec3, Fault> {
        Ok(Vec3::new(self.float_here(what)?, self.float_here(what)?, self.float_here(what)?))
    }

    /// A count of things that take at least `bytes` each, so that a file cannot ask for more
    /// memory than it has contents.
    pub(super) fn count(&mut self, what: &str, bytes: usize) -> Result<usize, Fault> {
        let count: u64 = self.number(&format!("the number of {what}"))?;
        bounded(count, self.left() + 1, bytes, what, self.place())
    }

    /// Says what was found instead of what was expected.
    pub(super) fn fault(&self, expected: &str, found: &[u8]) -> Fault {
        Fault::expected(self.place(), expected, &quote(found))
    }
}

/// `count` if that many things of `bytes` each fit into what is `left`.
pub(super) fn bounded(
    count: u64,
    left: usize,
    bytes: usize,
    what: &str,
    place: Place,
) -> Result<usize, Fault> {
    let most = left / bytes.max(1);
    match usize::try_from(count) {
        Ok(count) if count <= most => Ok(count),
        _ => {
            let expected = format!("at most {most} {what} in the {left} bytes that are left");
            Err(Fault::expected(place, &expected, &count.to_string()))
        }
    }
}

/// A word as a number.
pub(super) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    str::from_utf8(word).ok()?.parse().ok()
}

/// A piece of a file, as an error shows it.
pub(super) fn quote(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(QUOTED)];
    let dots = if bytes.len() > QUOTED { "…" } else { "" };
    format!("\"{}{dots}\"", shown.escape_ascii())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_line_counts_once() {
        let mut text = Text::new(b"\xef\xbb\xbfa\nb\r\nc\rd # e\n\n f", Dialect::Comments).unwrap();
        let mut words = Vec::new();
        while let Some(word) = text.word() {
            words.push((String::from_utf8_lossy(word).into_owned(), text.line));
        }
        let expected = [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("f", 6)];
        assert_eq!(words, expected.map(|(word, line)| (word.to_owned(), line)));
    }

    #[test]
    fn a_backslash_continues_a_line() {
        let mut text = Text::new(b"f 1 \\\n 2\nv", Dialect::Continued).unwrap();
        let words = std::iter::from_fn(|| text.word_here()).count();
        assert_eq!(words, 3);
        assert_eq!(text.word(), Some(&b"v"[..]));
        assert_eq!(text.line, 3);
    }

    #[test]
    fn a_count_is_bounded_by_what_is_there() {
        let mut text = Text::new(b"353535235358 1 2 3", Dialect::Plain).unwrap();
        let error = text.count("vertices", 6).unwrap_err();
        assert!(error.to_string().contains("353535235358"), "{error}");
    }
}
