//! The part of XML that VTU files use: tags with attributes, and what stands between them.

use super::error::{Fault, Place};
use super::text::quote;

/// Most attributes of a tag.
const MOST_ATTRIBUTES: usize = 64;

/// A start tag, an end tag, or both in one.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    attributes: Vec<(&'a [u8], &'a [u8])>,
    /// `</name>`.
    pub(super) is_end: bool,
    /// `<name/>`.
    pub(super) is_empty: bool,
    /// The byte behind it.
    pub(super) end: usize,
}

impl<'a> Tag<'a> {
    /// The value of an attribute. Entities in it are not decoded; names and numbers have none.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|(key, _)| *key == name.as_bytes());
        found.and_then(|(_, value)| str::from_utf8(value).ok())
    }
}

/// The next tag at byte `at` or later, behind remarks and declarations.
pub(super) fn next_tag(bytes: &[u8], mut at: usize) -> Result<Option<Tag<'_>>, Fault> {
    loop {
        let Some(start) = find(bytes, at, b"<") else { return Ok(None) };
        let rest = &bytes[start..];
        let (opening, closing) = match rest {
            [b'<', b'?', ..] => ("<?", &b"?>"[..]),
            [b'<', b'!', b'-', b'-', ..] => ("<!--", &b"-->"[..]),
            [b'<', b'!', ..] => {
                return Err(Fault::expected(
                    Place::Byte(start),
                    "a tag",
                    &quote(&rest[..9.min(rest.len())]),
                ));
            }
            _ => return tag(bytes, start + 1).map(Some),
        };
        let end = find(bytes, start + opening.len(), closing).ok_or_else(|| {
            let expected = String::from_utf8_lossy(closing);
            Fault::expected(Place::Byte(start), &expected, "the end of the file")
        })?;
        at = end + closing.len();
    }
}

/// What follows `<`.
fn tag(bytes: &[u8], mut at: usize) -> Result<Tag<'_>, Fault> {
    let is_end = bytes.get(at) == Some(&b'/');
    at += usize::from(is_end);
    let name = word(bytes, &mut at);
    if name.is_empty() {
        return Err(Fault::expected(Place::Byte(at), "the name of a tag", &found(bytes, at)));
    }
    let mut attributes = Vec::new();
    loop {
        skip_blanks(bytes, &mut at);
        match bytes.get(at) {
            Some(b'>') => {
                return Ok(Tag { name, attributes, is_end, is_empty: false, end: at + 1 });
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                return Ok(Tag { name, attributes, is_end, is_empty: true, end: at + 2 });
            }
            Some(_) if attributes.len() < MOST_ATTRIBUTES => {
                attributes.push(attribute(bytes, &mut at)?)
            }
            _ => {
                return Err(Fault::expected(
                    Place::Byte(at),
                    "> or an attribute",
                    &found(bytes, at),
                ));
            }
        }
    }
}

/// `key = "value"`.
fn attribute<'a>(bytes: &'a [u8], at: &mut usize) -> Result<(&'a [u8], &'a [u8]), Fault> {
    let key = word(bytes, at);
    skip_blanks(bytes, at);
    if key.is_empty() || bytes.get(*at) != Some(&b'=') {
        let expected = "an attribute such as name=\"value\"";
        return Err(Fault::expected(Place::Byte(*at), expected, &found(bytes, *at)));
    }
    *at += 1;
    skip_blanks(bytes, at);
    let mark = match bytes.get(*at) {
        Some(mark @ (b'"' | b'\'')) => [*mark],
        _ => return Err(Fault::expected(Place::Byte(*at), "a quotation mark", &found(bytes, *at))),
    };
    let start = *at + 1;
    let end = find(bytes, start, &mark).ok_or_else(|| {
        Fault::expected(Place::Byte(start), "a quotation mark", "the end of the file")
    })?;
    *at = end + 1;
    Ok((key, &bytes[start..end]))
}

fn word<'a>(bytes: &'a [u8], at: &mut usize) -> &'a [u8] {
    let is_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    let rest = &bytes[*at..];
    let length = rest.iter().take_while(|byte| is_word(byte)).count();
    *at += length;
    &rest[..length]
}

fn skip_blanks(bytes: &[u8], at: &mut usize) {
    *at += bytes[*at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
}

fn found(bytes: &[u8], at: usize) -> String {
    match bytes.get(at..) {
        None | Some([]) => "the end of the file".to_owned(),
        Some(rest) => quote(&rest[..rest.len().min(10)]),
    }
}

/// Where `pattern` stands next.
pub(super) fn find(bytes: &[u8], at: usize, pattern: &[u8]) -> Option<usize> {
    let rest = bytes.get(at..)?;
    rest.windows(pattern.len()).position(|window| window == pattern).map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_remarks() {
        let bytes = b"<?xml version='1.0'?><!-- <no> --><a b = \"1 > 0\" c='x'>text</a><d/>";
        let first = next_tag(bytes, 0).unwrap().unwrap();
        assert_eq!(
            (first.name, first.get("b"), first.get("c")),
            (&b"a"[..], Some("1 > 0"), Some("x"))
        );
        let second = next_tag(bytes, first.end).unwrap().unwrap();
        assert!(second.is_end && second.name == b"a");
        let third = next_tag(bytes, second.end).unwrap().unwrap();
        assert!(third.is_empty && third.name == b"d");
        assert!(next_tag(bytes, third.end).unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_byte() {
        for text in
            ["<", "<a", "<a b", "<a b=", "<a b='", "<a b=1>", "<!--", "<!DOCTYPE x>", "< a>"]
        {
            assert!(next_tag(text.as_bytes(), 0).is_err(), "{text}");
        }
    }
}
