//! STL, the format of 3D printers: loose triangles, as bytes or as text.
//!
//! Each triangle has corners of its own, which must be welded. Its normal is not read: it says
//! again what the order of the corners says, and is often wrong.

use super::binary::{Binary, Order, Scalar};
use super::error::Fault;
use super::text::{Dialect, Text};
use super::values::Values;
use super::{Format, Imported, Source, Surface};
use pliant::glam::Vec3;
use pliant::mesh::TriMesh;

pub(super) const FORMAT: Format = Format {
    name: "STL",
    extensions: &["stl"],
    about: "loose triangles, as bytes or as text",
    read,
};

/// Bytes before the number of triangles, of any content.
const HEADER: usize = 80;
/// Bytes of a triangle: a normal, three corners, and two bytes that programs use differently.
const TRIANGLE: usize = 50;

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let positions = if is_text(source.bytes) { text(source.bytes)? } else { binary(source.bytes)? };
    let triangles =
        (0..positions.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mesh = TriMesh { positions, triangles };
    Ok(Imported { surface: Surface { mesh, ..Surface::default() }, ..Imported::default() })
}

/// Some binary files begin with `solid` too, so their length decides first.
fn is_text(bytes: &[u8]) -> bool {
    let count = bytes.get(HEADER..HEADER + 4).map(|b| Scalar::U32.read(b, Order::Little) as u64);
    let fits = count.is_some_and(|n| HEADER as u64 + 4 + n * TRIANGLE as u64 == bytes.len() as u64);
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    !fits && start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn binary(bytes: &[u8]) -> Result<Vec<Vec3>, Fault> {
    let mut input = Binary::new(bytes, 0, Order::Little);
    input.take(HEADER, "\"solid\", or a header of 80 bytes")?;
    let count = input.number(Scalar::U32, "the number of triangles")? as u64;
    let count = input.bound(count, TRIANGLE, "triangles")?;
    let mut values = Values::Binary(input);
    let mut positions = Vec::new();
    for _ in 0..count {
        for _ in 0..3 {
            values.number(Scalar::F32, "a normal")?;
        }
        for _ in 0..3 {
            positions.push(values.point(Scalar::F32, "a coordinate")?);
        }
        values.number(Scalar::U16, "two bytes after a triangle")?;
    }
    Ok(positions)
}

/// `solid … facet normal x y z outer loop vertex x y z … endloop endfacet … endsolid`, in any case
/// and with any line breaks; several solids may follow each other.
fn text(bytes: &[u8]) -> Result<Vec<Vec3>, Fault> {
    let mut text = Text::new(bytes, Dialect::Plain)?;
    let mut positions = Vec::new();
    let mut open = false;
    while let Some(word) = text.word() {
        match word.to_ascii_lowercase().as_slice() {
            b"solid" if !open => {
                text.next_line();
                open = true;
            }
            b"endsolid" if open => {
                text.next_line();
                open = false;
            }
            b"facet" if open => facet(&mut text, &mut positions)?,
            _ => {
                let expected = if open { "facet or endsolid" } else { "solid" };
                return Err(text.fault(expected, word));
            }
        }
    }
    if open {
        return Err(Fault::expected(text.place(), "facet or endsolid", "the end of the file"));
    }
    Ok(positions)
}

/// What follows `facet`.
fn facet(text: &mut Text<'_>, positions: &mut Vec<Vec3>) -> Result<(), Fault> {
    keyword(text, "normal")?;
    for _ in 0..3 {
        text.need("a component of a normal")?;
    }
    keyword(text, "outer")?;
    keyword(text, "loop")?;
    for _ in 0..3 {
        keyword(text, "vertex")?;
        positions.push(text.point_here("a coordinate")?);
    }
    keyword(text, "endloop")?;
    keyword(text, "endfacet")
}

fn keyword(text: &mut Text<'_>, expected: &str) -> Result<(), Fault> {
    let word = text.need(expected)?;
    if word.eq_ignore_ascii_case(expected.as_bytes()) {
        Ok(())
    } else {
        Err(text.fault(expected, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};

    const TEXT: &str = "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                        VERTEX 0 1e0 0\nendloop\nendfacet\nendsolid a b\n";

    fn bytes(header: &[u8], count: u32, triangles: usize) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(HEADER, b' ');
        bytes.extend(count.to_le_bytes());
        for _ in 0..triangles {
            let numbers = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0f32];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn text_and_bytes_are_told_apart_by_length() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for source in [TEXT.as_bytes(), &bytes(b"solid", 1, 1), &bytes(b"made by", 1, 1)] {
            let mesh = import(&FORMAT, source).surface.mesh;
            assert_eq!((mesh.positions.as_slice(), mesh.triangles.len()), (&triangle[..], 1));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |bytes: &[u8]| refuse(&FORMAT, bytes);
        let huge = error(&bytes(b"", u32::MAX, 1));
        assert!(huge.contains("byte 84: expected at most 1 triangles"), "{huge}");
        assert!(error(&bytes(b"", 1, 1)[..100]).contains("at most 0 triangles"));
        assert!(error(b"").contains("80 bytes"));
        let cut = error(TEXT.split_at(60).0.as_bytes());
        assert!(cut.contains("line 5"), "{cut}");
        let wrong = error(TEXT.replace("endloop", "vertex").as_bytes());
        assert!(wrong.contains("line 7: expected endloop, found \"vertex\""), "{wrong}");
        let open = error(TEXT.replace("endsolid", "").as_bytes());
        assert!(open.contains("line 9: expected facet or endsolid, found \"a\""), "{open}");
    }
}
