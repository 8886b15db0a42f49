//! OFF, the format of Geomview: points and polygons as text.

use super::cells::{Cell, Cells, point_of};
use super::error::Fault;
use super::text::{Dialect, Text};
use super::{Format, Imported, Source};

pub(super) const FORMAT: Format =
    Format { name: "OFF", extensions: &["off"], about: "polygons as text", read };

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut text = Text::new(source.bytes, Dialect::Comments)?;
    let normals = header(&mut text)?;
    // A point takes at least "0 0 0" and the end of its line, a polygon "1 0" and the same.
    let points = text.count("vertices", 6)?;
    let faces = text.count("faces", 4)?;
    text.next_line();
    let mut cells = Cells::new(Vec::new());
    let mut directions = Vec::new();
    for _ in 0..points {
        start_of_record(&mut text, "a vertex")?;
        cells.points.push(text.point_here("a coordinate")?);
        if normals {
            directions.push(text.point_here("a component of a normal")?);
        }
        // Colours and texture coordinates.
        text.next_line();
    }
    for _ in 0..faces {
        start_of_record(&mut text, "a face")?;
        let corners = polygon(&mut text, points)?;
        let cell =
            if corners.len() < 3 { Cell::Other("points and lines") } else { Cell::AnyPolygon };
        cells.add(cell, &corners, text.place())?;
        text.next_line();
    }
    let mut imported = cells.finish();
    imported.surface.normals = directions;
    Ok(imported)
}

/// The first word, which says what follows a point; whether that is a normal. The word may be
/// missing.
fn header(text: &mut Text<'_>) -> Result<bool, Fault> {
    let before = text.clone();
    let word = text.need("OFF")?;
    if word.first().is_some_and(u8::is_ascii_digit) && word.iter().all(u8::is_ascii_digit) {
        *text = before;
        return Ok(false);
    }
    let Some(prefix) = word.strip_suffix(b"OFF") else {
        return Err(text.fault("OFF", word));
    };
    if prefix.contains(&b'4') || prefix.contains(&b'n') {
        let remedy = "save the mesh in three dimensions";
        return Err(Fault::unsupported(text.place(), "OFF of more than three dimensions", remedy));
    }
    if text.line_rest().trim_ascii().starts_with(b"BINARY") {
        let remedy = "save the mesh as text, or as PLY";
        return Err(Fault::unsupported(text.place(), "binary OFF", remedy));
    }
    Ok(prefix.contains(&b'N'))
}

/// Goes to the next line with a word on it.
fn start_of_record(text: &mut Text<'_>, what: &str) -> Result<(), Fault> {
    loop {
        let before = text.clone();
        if text.word_here().is_some() {
            *text = before;
            return Ok(());
        }
        if !text.next_line() {
            return Err(Fault::expected(text.place(), what, "the end of the file"));
        }
    }
}

/// The corners of a face: their number, then each.
fn polygon(text: &mut Text<'_>, points: usize) -> Result<Vec<u32>, Fault> {
    let count: u64 = text.number_here("the number of corners")?;
    let mut corners = Vec::new();
    for _ in 0..count {
        let node = text.number_here("a vertex")?;
        corners.push(point_of(node, 0, points, text.place())?);
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};
    use pliant::glam::Vec3;

    #[test]
    fn a_pyramid_with_colours_and_comments() {
        let text = "COFF # made by hand\n5 5 0\n0 0 0 255 0 0\n1 0 0\n1 1 0\n0 1 0\n\
                    .5 .5 1 # top\n\n4 3 2 1 0 0.5 0.5 0.5\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
        let mesh = import(&FORMAT, text.as_bytes()).surface.mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (5, 6));
        assert!((mesh.volume() - 1.0 / 3.0).abs() < 1e-7);
    }

    #[test]
    fn normals_are_kept() {
        let text = "NOFF 3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2";
        assert_eq!(import(&FORMAT, text.as_bytes()).surface.normals, [Vec3::Z; 3]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let error = |text: &str| refuse(&FORMAT, text.as_bytes());
        assert!(
            error("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n")
                .contains("line 6: expected a point from 0 to 2, found 3")
        );
        assert!(
            error("OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n")
                .contains("line 4: expected a coordinate, found the end of the line")
        );
        assert!(error("OFF\n99999999999 6 0\n").contains("at most"));
        assert!(error("4OFF\n1 1 1\n").contains("three dimensions"));
        assert!(error("solid\n").contains("expected OFF, found \"solid\""));
        assert!(error("OFF\n3 1 0\n0 0 nan\n0 0 0\n0 0 0\n3 0 1 2").contains("a finite number"));
    }
}
