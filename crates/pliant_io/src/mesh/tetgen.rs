//! TetGen: points in a `.node` file, tetrahedra in the `.ele` file beside it, as text.

use super::cells::{Cell, Cells, point_of};
use super::error::{Fault, Place};
use super::text::{Dialect, Text};
use super::{Cause, Format, Imported, Source};
use pliant::glam::Vec3;

pub(super) const FORMAT: Format = Format {
    name: "TetGen",
    extensions: &["ele", "node"],
    about: "tetrahedra as text, in two files of one name",
    read,
};

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let is_node = source.name.extension().is_some_and(|e| e.eq_ignore_ascii_case("node"));
    let other = source.name.with_extension(if is_node { "ele" } else { "node" });
    let other = other.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // Names in files write a percent sign so; this one is not from a file.
    let beside = (source.beside)(&other.replace('%', "%25"))
        .map_err(|cause| Fault { place: Place::Whole, cause })?;
    let [node, ele] =
        if is_node { [source.bytes, &beside] } else { [beside.as_slice(), source.bytes] };
    // An error names the file that was asked for, so one in the other must name that.
    let named = |fault: Fault, mine: bool| if mine { fault } else { within(other, fault) };
    let (points, first) = points(node).map_err(|fault| named(fault, is_node))?;
    let mut cells = Cells::new(points);
    tets(ele, first, &mut cells).map_err(|fault| named(fault, !is_node))?;
    Ok(cells.finish())
}

fn within(file: &str, fault: Fault) -> Fault {
    let Fault { place, cause } = fault;
    let reason = format!("is wrong{place}: {cause}");
    Fault { place: Place::Whole, cause: Cause::Neighbour { name: file.to_owned(), reason } }
}

/// The points, and the number of the first: 0 or 1.
fn points(bytes: &[u8]) -> Result<(Vec<Vec3>, u64), Fault> {
    let mut text = Text::new(bytes, Dialect::Comments)?;
    // A point takes at least "0 0 0 0" and the end of its line.
    let count = text.count("points", 8)?;
    let dimensions: u32 = text.number("the number of dimensions")?;
    if dimensions != 3 {
        return Err(Fault::expected(text.place(), "3 dimensions", &dimensions.to_string()));
    }
    text.next_line();
    let mut points = Vec::new();
    let mut first = 0;
    for k in 0..count as u64 {
        let number: u64 = text.number("the number of a point")?;
        if k == 0 && number <= 1 {
            first = number;
        }
        if number != first + k {
            return Err(Fault::expected(
                text.place(),
                &format!("point {}", first + k),
                &number.to_string(),
            ));
        }
        points.push(text.point_here("a coordinate")?);
        // Attributes and markers.
        text.next_line();
    }
    Ok((points, first))
}

fn tets(bytes: &[u8], first: u64, cells: &mut Cells) -> Result<(), Fault> {
    let mut text = Text::new(bytes, Dialect::Comments)?;
    // A tetrahedron takes at least "0 0 1 2 3" and the end of its line.
    let count = text.count("tetrahedra", 10)?;
    let corners: u32 = text.number("the number of corners")?;
    if corners != 4 && corners != 10 {
        return Err(Fault::expected(text.place(), "4 or 10 corners", &corners.to_string()));
    }
    text.next_line();
    for _ in 0..count {
        let _number: u64 = text.number("the number of a tetrahedron")?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            let node = text.number_here("a corner")?;
            *corner = point_of(node, first, cells.points.len(), text.place())?;
        }
        cells.add(Cell::Tet, &tet, text.place())?;
        text.next_line();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{nothing_beside, read_bytes};
    use std::path::Path;

    const NODE: &str = "# points\n4 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 1\n4 0 0 1 1\n";
    const ELE: &str = "1 4 1\n1 1 2 3 4 7\n";

    fn import(node: &str, ele: &str) -> Result<Imported, String> {
        let beside = |name: &str| {
            assert_eq!(name, "a.node");
            Ok(node.as_bytes().to_vec())
        };
        let source = Source { name: Path::new("x/a.ele"), bytes: ele.as_bytes(), beside: &beside };
        read_bytes(&FORMAT, &source).map_err(|error| error.to_string())
    }

    #[test]
    fn points_count_from_0_or_1() {
        let mesh = import(NODE, ELE).unwrap().tets;
        assert_eq!((mesh.positions.len(), mesh.tets.as_slice()), (4, &[[0, 1, 2, 3]][..]));
        let node = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1";
        assert_eq!(import(node, "1 4 0\n0 0 1 2 3").unwrap().tets, mesh);
        let beside = |_: &str| Ok(ELE.as_bytes().to_vec());
        let source = Source { name: Path::new("a.node"), bytes: NODE.as_bytes(), beside: &beside };
        assert_eq!(read_bytes(&FORMAT, &source).unwrap().tets, mesh);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_file() {
        let ele = import(NODE, "1 4 1\n1 1 2 3 5 7\n").unwrap_err();
        assert!(ele.contains("a.ele, line 2: expected a point from 1 to 4, found 5"), "{ele}");
        let node = import(&NODE.replace("4 0 0 1 1", "9 0 0 1 1"), ELE).unwrap_err();
        assert!(node.contains("\"a.node\", is wrong, line 6: expected point 4, found 9"), "{node}");
        let source = Source { name: Path::new("a.ele"), bytes: b"", beside: &nothing_beside };
        let alone = read_bytes(&FORMAT, &source).unwrap_err().to_string();
        assert!(alone.contains("is not at hand"), "{alone}");
    }
}
