//! VTK, the old format of the Visualization Toolkit: unstructured grids and surfaces, as text or as
//! bytes. Numbers on points and cells are not read.
//!
//! ```text
//! # vtk DataFile Version 5.1
//! title
//! ASCII | BINARY
//! DATASET UNSTRUCTURED_GRID | POLYDATA
//! POINTS n float …
//! CELLS | POLYGONS | TRIANGLE_STRIPS …        counts and points, or OFFSETS and CONNECTIVITY
//! CELL_TYPES n …
//! ```

use super::binary::{Binary, Order, Scalar};
use super::cells::{Cell, Cells, Lists, point_of};
use super::error::Fault;
use super::text::{Dialect, Text};
use super::values::Values;
use super::{Format, Imported, Source};

pub(super) const FORMAT: Format = Format {
    name: "VTK",
    extensions: &["vtk"],
    about: "triangles and tetrahedra, as text or as bytes (legacy)",
    read,
};

/// Cells as the toolkit numbers them; its XML files use the same numbers.
pub(super) fn cell(kind: u64) -> Cell {
    match kind {
        5 | 22 => Cell::Polygon(3),
        6 => Cell::Strip,
        7 => Cell::AnyPolygon,
        9 | 23 | 28 => Cell::Polygon(4),
        10 | 24 => Cell::Tet,
        1 | 2 => Cell::Other("point cells"),
        3 | 4 | 21 => Cell::Other("line cells"),
        11 | 12 | 25 | 29 => Cell::Other("hexahedra"),
        13 | 26 => Cell::Other("prisms"),
        14 | 27 => Cell::Other("pyramids"),
        _ => Cell::Other("cells of other kinds"),
    }
}

/// Types by their names in the format.
fn scalar(name: &[u8]) -> Option<Scalar> {
    Some(match name {
        b"char" => Scalar::I8,
        b"unsigned_char" => Scalar::U8,
        b"short" => Scalar::I16,
        b"unsigned_short" => Scalar::U16,
        b"int" => Scalar::I32,
        b"unsigned_int" => Scalar::U32,
        b"long" | b"vtktypeint64" | b"vtkIdType" => Scalar::I64,
        b"unsigned_long" => Scalar::U64,
        b"float" => Scalar::F32,
        b"double" => Scalar::F64,
        _ => return None,
    })
}

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut reader = Reader::new(source.bytes)?;
    while let Some(word) = reader.text.word() {
        match word {
            b"POINTS" => reader.points()?,
            b"CELLS" => reader.cells = reader.lists("cells")?,
            b"CELL_TYPES" => reader.cell_types()?,
            b"POLYGONS" => reader.add_lists("polygons", 7)?,
            b"TRIANGLE_STRIPS" => reader.add_lists("strips", 6)?,
            b"VERTICES" => reader.add_lists("vertices", 2)?,
            b"LINES" => reader.add_lists("lines", 4)?,
            b"METADATA" => reader.metadata(),
            b"FIELD" => reader.field()?,
            // What follows belongs to points and cells that are already there.
            b"POINT_DATA" | b"CELL_DATA" => break,
            other => return Err(reader.text.fault("a section such as POINTS or CELLS", other)),
        }
    }
    reader.finish()
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: Text<'a>,
    binary: bool,
    result: Cells,
    /// The points of each cell, before it is known what the cells are.
    cells: Lists,
    /// What each cell is.
    types: Vec<u64>,
}

impl<'a> Reader<'a> {
    /// Reads up to the kind of data.
    fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut text = Text::new(bytes, Dialect::Plain)?;
        let first = text.line_rest();
        if !first.to_ascii_lowercase().starts_with(b"# vtk datafile version") {
            return Err(text.fault("\"# vtk DataFile Version\"", first));
        }
        text.next_line();
        text.next_line();
        let binary = match text.need("ASCII or BINARY")? {
            b"ASCII" => false,
            b"BINARY" => true,
            other => return Err(text.fault("ASCII or BINARY", other)),
        };
        let word = text.need("DATASET")?;
        if word != b"DATASET" {
            return Err(text.fault("DATASET", word));
        }
        match text.need("UNSTRUCTURED_GRID or POLYDATA")? {
            b"UNSTRUCTURED_GRID" | b"POLYDATA" => {}
            other => return Err(text.fault("UNSTRUCTURED_GRID or POLYDATA", other)),
        }
        let (cells, types) = (Lists::default(), Vec::new());
        Ok(Self { bytes, text, binary, result: Cells::default(), cells, types })
    }

    /// The numbers that follow this line.
    fn values(&mut self) -> Values<'a> {
        self.text.next_line();
        match self.binary {
            false => Values::Text(self.text.clone()),
            true => Values::Binary(Binary::new(self.bytes, self.text.offset(), Order::Big)),
        }
    }

    /// Goes on behind the numbers.
    fn resume(&mut self, values: Values<'a>) {
        match values {
            Values::Text(text) => self.text = text,
            Values::Binary(binary) => self.text.skip_to(binary.offset()),
        }
    }

    fn scalar(&mut self) -> Result<Scalar, Fault> {
        let word = self.text.need("a type")?;
        scalar(word).ok_or_else(|| self.text.fault("a type such as float or int", word))
    }

    fn points(&mut self) -> Result<(), Fault> {
        let count = self.text.number("the number of points")?;
        let scalar = self.scalar()?;
        let mut values = self.values();
        let count = values.bound(count, "points", values.least(scalar, 3))?;
        for _ in 0..count {
            self.result.points.push(values.point(scalar, "a coordinate")?);
        }
        self.resume(values);
        Ok(())
    }

    /// Lists of points: each with its length before it, or, since version 5, all in one list beside
    /// one of where each starts.
    fn lists(&mut self, what: &str) -> Result<Lists, Fault> {
        let count: u64 = self.text.number(&format!("the number of {what}"))?;
        let size: u64 = self.text.number("the number of entries")?;
        let before = self.text.clone();
        self.text.next_line();
        if self.text.word() == Some(b"OFFSETS") {
            return self.lists_by_offsets(count, size);
        }
        self.text = before;
        let mut values = self.values();
        let count = values.bound(count, what, values.least(Scalar::I32, 1))?;
        let mut lists = Lists::default();
        for _ in 0..count {
            let length = values.count(Scalar::I32, "points", values.least(Scalar::I32, 1))?;
            self.nodes(&mut values, length, (Scalar::I32, &mut lists.nodes))?;
            lists.ends.push(lists.nodes.len());
        }
        self.resume(values);
        Ok(lists)
    }

    /// The next `count` points, of that type, behind those.
    fn nodes(
        &self,
        values: &mut Values<'a>,
        count: usize,
        (scalar, nodes): (Scalar, &mut Vec<u32>),
    ) -> Result<(), Fault> {
        for _ in 0..count {
            let place = values.place();
            let node = values.index(scalar, "a point")?;
            nodes.push(point_of(node, 0, self.result.points.len(), place)?);
        }
        Ok(())
    }

    fn lists_by_offsets(&mut self, offsets: u64, size: u64) -> Result<Lists, Fault> {
        let scalar = self.scalar()?;
        let mut values = self.values();
        let count = values.bound(offsets, "offsets", values.least(scalar, 1))?;
        let mut lists = Lists::default();
        for k in 0..count {
            let place = values.place();
            let end = values.index(scalar, "an offset")?;
            let last = lists.ends.last().copied().unwrap_or(0) as u64;
            if end > size || end < last || (k == 0 && end > 0) {
                let expected = format!("an offset from 0 to {size}, and none after a larger one");
                return Err(Fault::expected(place, &expected, &end.to_string()));
            }
            // The first offset is the start of the first list.
            if k > 0 {
                lists.ends.push(end as usize);
            }
        }
        self.resume(values);
        let word = self.text.need("CONNECTIVITY")?;
        if word != b"CONNECTIVITY" {
            return Err(self.text.fault("CONNECTIVITY", word));
        }
        let scalar = self.scalar()?;
        let mut values = self.values();
        let size = values.bound(size, "points", values.least(scalar, 1))?;
        self.nodes(&mut values, size, (scalar, &mut lists.nodes))?;
        self.resume(values);
        Ok(lists)
    }

    fn add_lists(&mut self, what: &str, kind: u64) -> Result<(), Fault> {
        for list in self.lists(what)?.iter() {
            self.result.add(cell(kind), list, self.text.place())?;
        }
        Ok(())
    }

    fn cell_types(&mut self) -> Result<(), Fault> {
        let count = self.text.number("the number of cells")?;
        let mut values = self.values();
        let count = values.bound(count, "cells", values.least(Scalar::I32, 1))?;
        for _ in 0..count {
            self.types.push(values.index(Scalar::I32, "the type of a cell")?);
        }
        self.resume(values);
        Ok(())
    }

    /// Remarks on the numbers before them, up to an empty line.
    fn metadata(&mut self) {
        while self.text.next_line() && !self.text.line_rest().trim_ascii().is_empty() {}
    }

    /// Arrays that belong to nothing in particular.
    fn field(&mut self) -> Result<(), Fault> {
        self.text.need("a name")?;
        let arrays = self.text.count("arrays", 8)?;
        for _ in 0..arrays {
            self.text.need("a name")?;
            let width: u32 = self.text.number("a number of components")?;
            let rows: u32 = self.text.number("a number of rows")?;
            let word = self.text.need("a type")?;
            let remedy = "save the mesh without field data";
            let scalar = scalar(word).ok_or_else(|| {
                Fault::unsupported(self.text.place(), "a field that is not of numbers", remedy)
            })?;
            let mut values = self.values();
            let count = u64::from(width) * u64::from(rows);
            let count = values.bound(count, "numbers", values.least(scalar, 1))?;
            for _ in 0..count {
                values.number(scalar, "a number")?;
            }
            self.resume(values);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, Fault> {
        if self.cells.ends.len() != self.types.len() {
            let expected = format!("a type for each of {} cells", self.cells.ends.len());
            return Err(Fault::expected(
                self.text.place(),
                &expected,
                &self.types.len().to_string(),
            ));
        }
        for (list, kind) in self.cells.iter().zip(&self.types) {
            self.result.add(cell(*kind), list, self.text.place())?;
        }
        Ok(self.result.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};

    const HEAD: &str =
        "# vtk DataFile Version 3.0\nmade by hand\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    const TEXT: &str = "FIELD data 1\ntime 1 1 double\n0.5\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0\n0 0 1\nMETADATA\nINFORMATION 0\n\n\
        CELLS 3 12\n4 0 1 2 3\n3 0 2 1\n2 0 1\nCELL_TYPES 3\n10\n5\n3\nPOINT_DATA 4\nanything";
    const VERSION_5: &str = "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 4 9\nOFFSETS vtktypeint64\n\
        0 4 7 9\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 2 1 0 1\nCELL_TYPES 3\n10 5 3\n";

    fn binary() -> Vec<u8> {
        let mut bytes = HEAD.replace("ASCII", "BINARY").into_bytes();
        bytes.extend(b"POINTS 4 double\n");
        for x in [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] {
            bytes.extend(f64::from(x).to_be_bytes());
        }
        let int = |x: i32| x.to_be_bytes();
        bytes.extend(b"\nCELLS 3 12\n");
        bytes.extend([4, 0, 1, 2, 3, 3, 0, 2, 1, 2, 0, 1].into_iter().flat_map(int));
        bytes.extend(b"\nCELL_TYPES 3\n");
        bytes.extend([10, 5, 3].into_iter().flat_map(int));
        bytes
    }

    #[test]
    fn text_bytes_and_offsets_give_the_same() {
        let expected = import(&FORMAT, format!("{HEAD}{TEXT}").as_bytes());
        assert_eq!(expected.tets.tets, [[0, 1, 2, 3]]);
        assert_eq!(expected.surface.mesh.triangles, [[0, 2, 1]]);
        assert_eq!(expected.skipped[0].to_string(), "1 line cells");
        assert_eq!(import(&FORMAT, format!("{HEAD}{VERSION_5}").as_bytes()), expected);
        assert_eq!(import(&FORMAT, &binary()), expected);
    }

    #[test]
    fn surfaces_are_polygons_and_strips() {
        let head = HEAD.replace("UNSTRUCTURED_GRID", "POLYDATA");
        let text = format!(
            "{head}POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\nPOLYGONS 1 5\n4 0 1 3 2\n\
                            TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"
        );
        let mesh = import(&FORMAT, text.as_bytes()).surface.mesh;
        assert_eq!(mesh.triangles.len(), 4);
        assert_eq!(mesh.triangles[2..], [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |from: &str, to: &str| {
            let text = format!("{HEAD}{TEXT}").replace(from, to);
            refuse(&FORMAT, text.as_bytes())
        };
        assert!(
            error("3 0 2 1", "3 0 2 4").contains("line 16: expected a point from 0 to 3, found 4")
        );
        assert!(error("POINTS 4", "POINTS 4000000000").contains("at most"));
        assert!(error("CELL_TYPES 3", "CELL_TYPES 2").contains("found \"3\""));
        assert!(
            error("CELL_TYPES 3\n10\n5\n3", "").contains("a type for each of 3 cells, found 0")
        );
        assert!(error("UNSTRUCTURED_GRID", "RECTILINEAR_GRID").contains("line 4: expected UNSTR"));
        assert!(error("# vtk", "# vtp").contains("line 1: expected \"# vtk"));
        let short = refuse(&FORMAT, &binary()[..200]);
        assert!(short.contains("byte"), "{short}");
        let offsets = VERSION_5.replace("0 4 7 9", "0 7 4 9");
        assert!(
            refuse(&FORMAT, format!("{HEAD}{offsets}").as_bytes()).contains("none after a larger")
        );
    }
}
