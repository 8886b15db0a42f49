//! Tells code from comments and strings, in Rust and in WGSL.

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// The code of `text`: comments and strings are blank, lines keep their numbers.
pub(super) fn code(text: &str) -> String {
    only(text, Kind::Code)
}

/// The comments of `text`: everything else is blank, lines keep their numbers.
pub(super) fn comments(text: &str) -> String {
    only(text, Kind::Comment)
}

fn only(text: &str, wanted: Kind) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut kept = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let (kind, end) = token(&chars, i);
        let keep = |c: &char| if kind == wanted || *c == '\n' { *c } else { ' ' };
        kept.extend(chars[i..end].iter().map(keep));
        i = end;
    }
    kept
}

/// What begins at `i`, and where it ends.
fn token(chars: &[char], i: usize) -> (Kind, usize) {
    let at = |k: usize| chars.get(i + k).copied().unwrap_or('\0');
    let in_word = i > 0 && is_word(chars[i - 1]);
    match (at(0), at(1)) {
        ('/', '/') => (Kind::Comment, until(chars, i, "\n")),
        ('/', '*') => (Kind::Comment, block_comment_end(chars, i)),
        ('"', _) => (Kind::Literal, string_end(chars, i)),
        ('r', '"' | '#') if !in_word => raw_string(chars, i),
        ('b' | 'c', 'r') if !in_word && matches!(at(2), '"' | '#') => raw_string(chars, i + 1),
        ('\'', '\\') => (Kind::Literal, (until(chars, i + 3, "'") + 1).min(chars.len())),
        ('\'', _) if at(2) == '\'' => (Kind::Literal, i + 3),
        _ => (Kind::Code, i + 1),
    }
}

/// Whether `c` can be part of a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `end` begins, from `i` on; the end of the text if nowhere.
fn until(chars: &[char], i: usize, end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    (i..chars.len()).find(|&k| chars[k..].starts_with(&end)).unwrap_or(chars.len())
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut i = start;
    while i < chars.len() {
        match chars[i..] {
            ['/', '*', ..] => depth += 1,
            ['*', '/', ..] => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// A raw string from its `r` on, or a raw name such as `r#type`.
fn raw_string(chars: &[char], start: usize) -> (Kind, usize) {
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return (Kind::Code, open);
    }
    let close = format!("\"{}", "#".repeat(hashes));
    (Kind::Literal, (until(chars, open + 1, &close) + close.len()).min(chars.len()))
}

/// The words of `text` with their lines, counted from 1, that equal `word`.
pub(super) fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let has = |line: &str| line.split(|c| !is_word(c)).any(|found| found == word);
    text.lines().enumerate().filter(|(_, line)| has(line)).map(|(i, _)| i + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let text = "a // b\n/* c /* d */ e */ f \"g \\\" // h\" i r#\"j \" k\"# l 'm' '\\'' n";
        assert_eq!(words(&code(text)), ["a", "f", "i", "l", "n"]);
        assert_eq!(words(&comments(text)), ["//", "b", "/*", "c", "/*", "d", "*/", "e", "*/"]);
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        let text = "fn f<'a>(r#type: &'a str) -> char { '\\u{1F}' }";
        assert_eq!(code(text), text.replace("'\\u{1F}'", "        "));
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "/* one\ntwo */ x\n\"three\nfour\" x_y x";
        assert_eq!(lines_with_word(&code(text), "x"), [2, 4]);
        assert_eq!(lines_with_word(&code(text), "two"), [0; 0]);
    }

    #[test]
    fn an_unfinished_string_or_comment_ends_with_the_text() {
        for text in ["\"a", "/* a", "r#\"a", "'\\", "\"a\\"] {
            assert_eq!(words(&code(text)), [""; 0], "{text}");
        }
    }
}
