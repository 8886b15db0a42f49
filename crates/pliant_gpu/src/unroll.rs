//! Short loops of shaders, written out.
//!
//! What a loop indexes must lie in memory, unless the loop is unrolled: then it can be in registers. A
//! driver's compiler would do that, but every loop of a shader gets a counter that ends it after 2⁶⁴
//! rounds, and with two ways out a loop is not always unrolled. So loops over the particles and numbers
//! of a constraint are written out before the shader is compiled.

use std::collections::BTreeMap;

/// The most rounds that are written out.
const MOST: u32 = 9;

/// The same shader without comments, its short loops written out: those of the form
/// `for (var k = 0u; k < N; k++)` with known borders, which nothing leaves early.
pub(crate) fn unrolled(source: &str) -> String {
    let bare: Vec<&str> =
        source.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let bare = bare.join("\n");
    let mut constants = BTreeMap::new();
    for line in bare.lines() {
        let found = constant(line, &constants);
        constants.extend(found);
    }
    write_out(&bare, &constants)
}

/// A constant that is a whole number, by those before it.
fn constant<'a>(line: &'a str, constants: &BTreeMap<&str, u32>) -> Option<(&'a str, u32)> {
    let line = line.trim_end().strip_prefix("const ")?;
    let (name, text) = line.strip_suffix(';')?.split_once(" = ")?;
    Some((name, value(text, constants)?))
}

fn number(text: &str) -> Option<u32> {
    text.strip_suffix('u').unwrap_or(text).parse().ok()
}

/// The value of a number, a constant, or the sum or difference of two.
fn value(text: &str, constants: &BTreeMap<&str, u32>) -> Option<u32> {
    let one = |text: &str| {
        let text =
            text.strip_prefix("u32(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        number(text).or_else(|| constants.get(text).copied())
    };
    if let Some((a, b)) = text.split_once(" - ") {
        return one(a)?.checked_sub(one(b)?);
    }
    match text.split_once(" + ") {
        Some((a, b)) => one(a)?.checked_add(one(b)?),
        None => one(text),
    }
}

/// A loop: what is before it, its variable, its rounds, its body, and what follows.
struct Loop<'a> {
    before: &'a str,
    name: &'a str,
    rounds: std::ops::Range<u32>,
    body: &'a str,
    after: &'a str,
}

const BEGIN: &str = "for (var ";

impl<'a> Loop<'a> {
    /// The first loop from a place on, if it can be written out.
    fn at(source: &'a str, place: usize, constants: &BTreeMap<&str, u32>) -> Option<Self> {
        let head = &source[place + BEGIN.len()..];
        let (head, rest) = head.split_once(") {")?;
        let [first, last, next]: [&str; 3] =
            head.split("; ").collect::<Vec<_>>().try_into().ok()?;
        let (name, first) = first.split_once(" = ")?;
        let last = last.strip_prefix(name)?.strip_prefix(" < ")?;
        let rounds = value(first, constants)?..value(last, constants)?;
        let end = end_of_block(rest)?;
        let (body, after) = (&rest[..end], &rest[end + 1..]);
        let is_short = next == format!("{name}++") && rounds.len() <= MOST as usize;
        let is_plain = words(body).all(|word| !matches!(word, "break" | "continue"));
        let before = &source[..place];
        // A signed variable would become an unsigned number.
        (is_short && is_plain && first.contains('u')).then_some(Self {
            before,
            name,
            rounds,
            body,
            after,
        })
    }
}

/// Where the block ends whose first brace is just before the text.
fn end_of_block(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.bytes().position(|byte| {
        depth += match byte {
            b'{' => 1,
            b'}' => -1,
            _ => 0,
        };
        depth == 0
    })
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_in_word(c)).filter(|word| !word.is_empty())
}

fn write_out(source: &str, constants: &BTreeMap<&str, u32>) -> String {
    let mut done = String::with_capacity(2 * source.len());
    let mut left = source;
    while let Some(place) = left.find(BEGIN) {
        let Some(found) = Loop::at(left, place, constants) else {
            let (head, tail) = left.split_at(place + BEGIN.len());
            done += head;
            left = tail;
            continue;
        };
        done += found.before;
        for round in found.rounds {
            let body = with_value(found.body, found.name, round);
            done += "{";
            done += &write_out(&body, constants);
            done += "}\n";
        }
        left = found.after;
    }
    done + left
}

/// The text with a number for every use of a name.
fn with_value(text: &str, name: &str, value: u32) -> String {
    let mut done = String::with_capacity(text.len());
    let mut left = text;
    while let Some(start) = left.find(is_in_word) {
        let end = left[start..].find(|c| !is_in_word(c)).map_or(left.len(), |end| start + end);
        let word = &left[start..end];
        done += &left[..start];
        // What follows a point is a part of something else.
        match word == name && !left[..start].ends_with('.') {
            true => done += &format!("{value}u"),
            false => done += word,
        }
        left = &left[end..];
    }
    done + left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(source: &str) -> String {
        unrolled(source).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn short_loops_are_written_out_one_in_the_other() {
        let source = "const N = 2;\nfor (var k = 0u; k < N; k++) {\n  for (var l = k + 1u; l < 3u; \
                      l++) {\n    a[k].k += b[l]; // all of k\n  }\n}\nend";
        let wanted = "const N = 2; { { a[0u].k += b[1u]; } { a[0u].k += b[2u]; } } \
                      { { a[1u].k += b[2u]; } } end";
        assert_eq!(squeezed(source), wanted);
    }

    #[test]
    fn other_loops_stay() {
        for kept in [
            "for (var k = 0u; k < count; k++) { a(); }",
            "for (var k = 0u; k < 10u; k++) { a(); }",
            "for (var k = 0; k < 3; k++) { a(); }",
            "for (var k = 0u; k < 3u; k++) { if b { break; } }",
            "for (var k = 0u; k < 3u; k++) { if b { continue; } }",
            "for (var half = 4u; half > 0u; half /= 2u) { a(); }",
        ] {
            assert_eq!(squeezed(kept), kept);
        }
        assert_eq!(
            squeezed("for (var k = 0u; k < m; k++) { for (var l = 0u; l < 1u; l++) { a(l); } }"),
            "for (var k = 0u; k < m; k++) { { a(0u); } }"
        );
    }
}
