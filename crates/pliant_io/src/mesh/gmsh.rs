//! MSH, the format of Gmsh: versions 1, 2 and 4, as text or as bytes.
//!
//! ```text
//! 1        $NOD n (number x y z)* $ENDNOD $ELM n (number type group part nodes node*)* $ENDELM
//! 2        $Nodes n (number x y z)* $EndNodes
//!          $Elements n (number type tags tag* node*)* $EndElements
//! 2 bytes  $Elements n (type count tags (number tag* node*)*)* $EndElements
//! 4        $Nodes blocks n … (dim entity parametric count number* (x y z)*)* $EndNodes
//!          $Elements blocks n … (dim entity type count (number node*)*)* $EndElements
//! ```

use super::binary::{Binary, Order, Scalar};
use super::cells::{Cell, Cells};
use super::error::{Fault, Place};
use super::text::{Dialect, Text};
use super::values::Values;
use super::{Format, Imported, Source};
use pliant::glam::Vec3;

pub(super) const FORMAT: Format = Format {
    name: "Gmsh",
    extensions: &["msh"],
    about: "triangles and tetrahedra, as text or as bytes",
    read,
};

/// Elements by their number in the format: how many nodes they have, and what they are.
const ELEMENTS: &[(u64, usize, Cell)] = &[
    (1, 2, Cell::Other("line elements")),
    (2, 3, Cell::Polygon(3)),
    (3, 4, Cell::Polygon(4)),
    (4, 4, Cell::Tet),
    (5, 8, Cell::Other("hexahedra")),
    (6, 6, Cell::Other("prisms")),
    (7, 5, Cell::Other("pyramids")),
    (8, 3, Cell::Other("line elements")),
    // Of higher order: the corners come first, and nodes on edges and faces after them.
    (9, 6, Cell::Polygon(3)),
    (10, 9, Cell::Polygon(4)),
    (11, 10, Cell::Tet),
    (12, 27, Cell::Other("hexahedra")),
    (13, 18, Cell::Other("prisms")),
    (14, 14, Cell::Other("pyramids")),
    (15, 1, Cell::Other("point elements")),
    (16, 8, Cell::Polygon(4)),
    (17, 20, Cell::Other("hexahedra")),
    (18, 15, Cell::Other("prisms")),
    (19, 13, Cell::Other("pyramids")),
    (20, 9, Cell::Polygon(3)),
    (21, 10, Cell::Polygon(3)),
    (22, 12, Cell::Polygon(3)),
    (23, 15, Cell::Polygon(3)),
    (24, 15, Cell::Polygon(3)),
    (25, 21, Cell::Polygon(3)),
    (26, 4, Cell::Other("line elements")),
    (27, 5, Cell::Other("line elements")),
    (28, 6, Cell::Other("line elements")),
    (29, 20, Cell::Tet),
    (30, 35, Cell::Tet),
    (31, 56, Cell::Tet),
];

/// Most tags of an element; Gmsh writes 2 to 4 and one for each part of a divided mesh.
const MOST_TAGS: u64 = 1000;

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut reader = Reader::new(source.bytes)?;
    while let Some(word) = reader.text.word() {
        match word {
            b"$MeshFormat" => reader.format()?,
            b"$NOD" => reader.nodes_by_number("$ENDNOD")?,
            b"$ELM" => reader.elements_by_line(Version::One)?,
            b"$Nodes" => reader.nodes()?,
            b"$Elements" => reader.elements()?,
            other if other.starts_with(b"$") => reader.skip(other)?,
            other => return Err(reader.text.fault("a section such as $Nodes", other)),
        }
    }
    Ok(reader.cells.finish())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
    Four,
    /// 4.1, which gives a block's numbers before its coordinates.
    FourOne,
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Between sections, and in those that are text.
    text: Text<'a>,
    version: Version,
    /// The order of bytes, if the file has any.
    order: Option<Order>,
    /// The number of each node in the file, and its index; sorted once all are there.
    numbers: Vec<(u64, u32)>,
    cells: Cells,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        Ok(Self {
            bytes,
            text: Text::new(bytes, Dialect::Plain)?,
            version: Version::One,
            order: None,
            numbers: Vec::new(),
            cells: Cells::default(),
        })
    }

    fn format(&mut self) -> Result<(), Fault> {
        self.version = match self.text.need("a version")? {
            b"2" | b"2.0" | b"2.1" | b"2.2" => Version::Two,
            b"4" | b"4.0" => Version::Four,
            b"4.1" => Version::FourOne,
            other => return Err(self.text.fault("version 2.2, 4.0 or 4.1", other)),
        };
        let binary: u32 = self.text.number("0 for text or 1 for bytes")?;
        let size: u32 = self.text.number("the size of numbers")?;
        if size != 8 {
            return Err(Fault::expected(
                self.text.place(),
                "numbers of 8 bytes",
                &size.to_string(),
            ));
        }
        if binary == 1 {
            self.text.next_line();
            let one = Binary::new(self.bytes, self.text.offset(), Order::Little)
                .take(4, "the number 1, which tells the order of bytes")?;
            self.order = match one {
                [1, 0, 0, 0] => Some(Order::Little),
                [0, 0, 0, 1] => Some(Order::Big),
                other => return Err(self.text.fault("the number 1 as 4 bytes", other)),
            };
            self.text.skip_to(self.text.offset() + 4);
            if self.version == Version::Four {
                let remedy = "save the mesh in version 4.1 or 2.2";
                return Err(Fault::unsupported(self.text.place(), "version 4.0 as bytes", remedy));
            }
        }
        self.end("$EndMeshFormat")
    }

    fn end(&mut self, expected: &str) -> Result<(), Fault> {
        let word = self.text.need(expected)?;
        if word == expected.as_bytes() { Ok(()) } else { Err(self.text.fault(expected, word)) }
    }

    /// Goes behind the end of a section that is not read. It may have bytes in it, so words do not
    /// lead there.
    fn skip(&mut self, start: &[u8]) -> Result<(), Fault> {
        let end = [b"$End", &start[1..]].concat();
        let rest = &self.bytes[self.text.offset()..];
        let found = rest.windows(end.len()).position(|window| window == end);
        let missing = || {
            let expected = end.escape_ascii().to_string();
            Fault::expected(self.text.place(), &expected, "the end of the file")
        };
        let found = found.ok_or_else(missing)?;
        self.text.skip_to(self.text.offset() + found + end.len());
        Ok(())
    }

    /// The values of a section, which start behind its name.
    fn values(&mut self) -> Values<'a> {
        match self.order {
            None => Values::Text(self.text.clone()),
            Some(order) => {
                self.text.next_line();
                Values::Binary(Binary::new(self.bytes, self.text.offset(), order))
            }
        }
    }

    /// Goes on behind the values of a section.
    fn resume(&mut self, values: Values<'a>, end: &str) -> Result<(), Fault> {
        match values {
            Values::Text(text) => self.text = text,
            Values::Binary(binary) => self.text.skip_to(binary.offset()),
        }
        self.end(end)
    }

    fn nodes(&mut self) -> Result<(), Fault> {
        match self.version {
            Version::One | Version::Two => self.nodes_by_number("$EndNodes"),
            Version::Four | Version::FourOne => self.nodes_by_block(),
        }
    }

    fn nodes_by_number(&mut self, end: &str) -> Result<(), Fault> {
        // The number of nodes is text even before bytes. A node takes at least "1 0 0 0" and the
        // end of its line, or an integer and three numbers of 8 bytes.
        let count = self.text.count("nodes", if self.order.is_none() { 8 } else { 28 })?;
        let mut values = self.values();
        for _ in 0..count {
            let number = values.index(Scalar::I32, "the number of a node")?;
            let point = values.point(Scalar::F64, "a coordinate")?;
            self.add(number, point);
        }
        self.resume(values, end)?;
        self.sort_numbers()
    }

    fn nodes_by_block(&mut self) -> Result<(), Fault> {
        let mut values = self.values();
        let least = values.least(Scalar::I32, 4);
        let blocks = values.count(Scalar::U64, "blocks of nodes", least)?;
        let total = values.index(Scalar::U64, "the number of nodes")?;
        let range = match self.version {
            Version::FourOne => Some([
                values.index(Scalar::U64, "the smallest number of a node")?,
                values.index(Scalar::U64, "the largest number of a node")?,
            ]),
            _ => None,
        };
        for _ in 0..blocks {
            self.block_of_nodes(&mut values)?;
        }
        announced(total, self.numbers.len() as u64, "nodes", values.place())?;
        self.resume(values, "$EndNodes")?;
        self.sort_numbers()?;
        if let (Some([low, high]), [first, .., last]) = (range, self.numbers.as_slice())
            && (low, high) != (first.0, last.0)
        {
            let expected = format!("nodes with the numbers {low} to {high}, as announced");
            let found = format!("{} to {}", first.0, last.0);
            return Err(Fault::expected(self.text.place(), &expected, &found));
        }
        Ok(())
    }

    fn block_of_nodes(&mut self, values: &mut Values<'a>) -> Result<(), Fault> {
        for what in ["the dimension of an entity", "the number of an entity"] {
            values.number(Scalar::I32, what)?;
        }
        if values.index(Scalar::I32, "0 or 1 for parametric coordinates")? != 0 {
            let remedy = "save the mesh without them";
            return Err(Fault::unsupported(
                values.place(),
                "a mesh with parametric coordinates",
                remedy,
            ));
        }
        let least = values.least(Scalar::U64, 1) + values.least(Scalar::F64, 3);
        let count = values.count(Scalar::U64, "nodes", least)?;
        if self.version == Version::Four {
            for _ in 0..count {
                let number = values.index(Scalar::U64, "the number of a node")?;
                let point = values.point(Scalar::F64, "a coordinate")?;
                self.add(number, point);
            }
            return Ok(());
        }
        let first = self.numbers.len();
        for _ in 0..count {
            let number = values.index(Scalar::U64, "the number of a node")?;
            self.numbers.push((number, self.numbers.len() as u32));
        }
        for _ in first..first + count {
            self.cells.points.push(values.point(Scalar::F64, "a coordinate")?);
        }
        Ok(())
    }

    fn add(&mut self, number: u64, point: Vec3) {
        self.numbers.push((number, self.numbers.len() as u32));
        self.cells.points.push(point);
    }

    fn sort_numbers(&mut self) -> Result<(), Fault> {
        self.numbers.sort_unstable();
        match self.numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => {
                let found = format!("two with the number {}", pair[0].0);
                Err(Fault::expected(self.text.place(), "one node for each number", &found))
            }
        }
    }

    fn elements(&mut self) -> Result<(), Fault> {
        match (self.version, self.order) {
            (Version::One | Version::Two, None) => self.elements_by_line(Version::Two),
            (Version::One | Version::Two, Some(_)) => self.elements_by_type(),
            (Version::Four | Version::FourOne, _) => self.elements_by_block(),
        }
    }

    fn elements_by_line(&mut self, version: Version) -> Result<(), Fault> {
        // An element takes at least "1 15 0 1" and the end of its line.
        let count = self.text.count("elements", 9)?;
        for _ in 0..count {
            let _number: u64 = self.text.number("the number of an element")?;
            let kind = self.text.number_here("the type of an element")?;
            let (nodes, cell) = element(kind, self.text.place())?;
            let tags = match version {
                Version::One => 3,
                _ => few_tags(self.text.number_here("the number of tags")?, self.text.place())?,
            };
            for _ in 0..tags {
                self.text.number_here::<i64>("a tag")?;
            }
            let mut ids = [0; 56];
            for id in &mut ids[..nodes] {
                let number = self.text.number_here("a node")?;
                *id = self.node(number, self.text.place())?;
            }
            self.cells.add(cell, &ids[..nodes], self.text.place())?;
        }
        self.end(if version == Version::One { "$ENDELM" } else { "$EndElements" })
    }

    fn elements_by_type(&mut self) -> Result<(), Fault> {
        // The number of elements is text even between bytes.
        let total = self.text.count("elements", 8)?;
        let mut values = self.values();
        let mut read = 0;
        while read < total {
            let (nodes, cell) = kind(&mut values)?;
            let count = values.index(Scalar::I32, "a number of elements")?;
            let place = values.place();
            let tags = few_tags(values.index(Scalar::I32, "the number of tags")?, place)?;
            let count = values.bound(count, "elements", 4 * (1 + tags + nodes))?;
            if count == 0 {
                return Err(Fault::expected(values.place(), "one element or more", "0"));
            }
            for _ in 0..count {
                for _ in 0..=tags {
                    values.number(Scalar::I32, "the number or a tag of an element")?;
                }
                self.element_nodes(&mut values, (nodes, cell), Scalar::I32)?;
            }
            read += count;
        }
        self.resume(values, "$EndElements")
    }

    fn elements_by_block(&mut self) -> Result<(), Fault> {
        let mut values = self.values();
        let least = values.least(Scalar::I32, 4);
        let blocks = values.count(Scalar::U64, "blocks of elements", least)?;
        let total = values.index(Scalar::U64, "the number of elements")?;
        if self.version == Version::FourOne {
            values.index(Scalar::U64, "the smallest number of an element")?;
            values.index(Scalar::U64, "the largest number of an element")?;
        }
        let mut read = 0;
        for _ in 0..blocks {
            for what in ["the dimension of an entity", "the number of an entity"] {
                values.number(Scalar::I32, what)?;
            }
            let (nodes, cell) = kind(&mut values)?;
            let least = values.least(Scalar::U64, 1 + nodes);
            let count = values.count(Scalar::U64, "elements", least)?;
            for _ in 0..count {
                values.index(Scalar::U64, "the number of an element")?;
                self.element_nodes(&mut values, (nodes, cell), Scalar::U64)?;
            }
            read += count as u64;
        }
        announced(total, read, "elements", values.place())?;
        self.resume(values, "$EndElements")
    }

    fn element_nodes(
        &mut self,
        values: &mut Values<'a>,
        (nodes, cell): (usize, Cell),
        scalar: Scalar,
    ) -> Result<(), Fault> {
        let mut ids = [0; 56];
        for id in &mut ids[..nodes] {
            let place = values.place();
            let number = values.index(scalar, "a node")?;
            *id = self.node(number, place)?;
        }
        self.cells.add(cell, &ids[..nodes], values.place())
    }

    /// The index of the node of that number.
    fn node(&self, number: u64, place: Place) -> Result<u32, Fault> {
        // Most files number their nodes 1, 2, 3 …
        if let Some(&(found, index)) = self.numbers.get((number as usize).wrapping_sub(1))
            && found == number
        {
            return Ok(index);
        }
        match self.numbers.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => Ok(self.numbers[at].1),
            Err(_) => {
                let expected = format!("one of the {} nodes", self.numbers.len());
                Err(Fault::expected(place, &expected, &number.to_string()))
            }
        }
    }
}

fn announced(total: u64, read: u64, what: &str, place: Place) -> Result<(), Fault> {
    if total == read {
        return Ok(());
    }
    Err(Fault::expected(place, &format!("{total} {what}, as announced"), &read.to_string()))
}

fn few_tags(tags: u64, place: Place) -> Result<usize, Fault> {
    if tags <= MOST_TAGS {
        return Ok(tags as usize);
    }
    Err(Fault::expected(place, &format!("at most {MOST_TAGS} tags"), &tags.to_string()))
}

fn kind(values: &mut Values<'_>) -> Result<(usize, Cell), Fault> {
    let place = values.place();
    element(values.index(Scalar::I32, "the type of an element")?, place)
}

fn element(kind: u64, place: Place) -> Result<(usize, Cell), Fault> {
    let found = ELEMENTS.iter().find(|(number, ..)| *number == kind);
    let found = found.map(|(_, nodes, cell)| (*nodes, *cell));
    found.ok_or_else(|| Fault::expected(place, "a type of element from 1 to 31", &kind.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};

    const VERSION_1: &str = "$NOD\n5\n7 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 5 5 5\n$ENDNOD\n\
        $ELM\n3\n1 4 1 1 4 7 2 3 4\n2 2 1 1 3 7 3 2\n3 1 1 1 2 7 2\n$ENDELM\n";
    const VERSION_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n\
        $EndPhysicalNames\n$Nodes\n5\n7 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 5 5 5\n$EndNodes\n\
        $Elements\n3\n1 4 2 0 1 7 2 3 4\n2 2 0 7 3 2\n3 1 1 0 7 2\n$EndElements\n";
    const VERSION_4: &str = "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n$Nodes\n2 5\n1 3 0 3\n7 0 0 0\n\
        2 1 0 0\n3 0 1 0\n2 3 0 2\n4 0 0 1\n9 5 5 5\n$EndNodes\n$Elements\n3 3\n1 3 4 1\n1 7 2 3 4\n\
        1 2 2 1\n2 7 3 2\n1 1 1 1\n3 7 2\n$EndElements\n";
    const VERSION_4_1: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 5 2 9\n3 1 0 3\n7\n2\n3\n\
        0 0 0\n1 0 0\n0 1 0\n3 2 0 2\n4\n9\n0 0 1\n5 5 5\n$EndNodes\n$Elements\n3 3 1 3\n3 1 4 1\n\
        1 7 2 3 4\n2 1 2 1\n2 7 3 2\n1 1 1 1\n3 7 2\n$EndElements\n";

    const POINTS: [(u64, [f64; 3]); 5] = [
        (7, [0.0, 0.0, 0.0]),
        (2, [1.0, 0.0, 0.0]),
        (3, [0.0, 1.0, 0.0]),
        (4, [0.0, 0.0, 1.0]),
        (9, [5.0, 5.0, 5.0]),
    ];

    fn binary_2(order: Order) -> Vec<u8> {
        let big = order == Order::Big;
        let int = |x: u64| if big { (x as i32).to_be_bytes() } else { (x as i32).to_le_bytes() };
        let double = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
        bytes.extend(int(1));
        bytes.extend(b"\n$EndMeshFormat\n$Nodes\n5\n");
        for (number, point) in POINTS {
            bytes.extend(int(number));
            bytes.extend(point.into_iter().flat_map(double));
        }
        bytes.extend(b"\n$EndNodes\n$Elements\n3\n");
        for header in
            [&[4, 1, 1, 1, 0, 7, 2, 3, 4][..], &[2, 1, 0, 2, 7, 3, 2], &[1, 1, 0, 3, 7, 2]]
        {
            bytes.extend(header.iter().flat_map(|x| int(*x)));
        }
        bytes.extend(b"\n$EndElements\n");
        bytes
    }

    fn binary_4_1() -> Vec<u8> {
        let int = |x: u64| (x as i32).to_le_bytes();
        let mut bytes = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
        let sizes = |bytes: &mut Vec<u8>, sizes: &[u64]| {
            bytes.extend(sizes.iter().flat_map(|x| x.to_le_bytes()));
        };
        sizes(&mut bytes, &[1, 5, 2, 9]);
        bytes.extend([3, 1, 0].into_iter().flat_map(int));
        sizes(&mut bytes, &[5, 7, 2, 3, 4, 9]);
        bytes.extend(POINTS.iter().flat_map(|(_, x)| x).flat_map(|x| x.to_le_bytes()));
        bytes.extend(b"\n$EndNodes\n$Elements\n");
        sizes(&mut bytes, &[3, 3, 1, 3]);
        for (kind, nodes) in [(4, &[7, 2, 3, 4][..]), (2, &[7, 3, 2]), (1, &[7, 2])] {
            bytes.extend([3, 1, kind].into_iter().flat_map(int));
            sizes(&mut bytes, &[1, 1]);
            sizes(&mut bytes, nodes);
        }
        bytes.extend(b"\n$EndElements\n");
        bytes
    }

    #[test]
    fn every_version_gives_the_same() {
        let expected = import(&FORMAT, VERSION_1.as_bytes());
        assert_eq!(expected.tets.tets, [[0, 1, 2, 3]]);
        assert_eq!(expected.tets.positions.len(), 5);
        assert_eq!(expected.surface.mesh.triangles, [[0, 2, 1]]);
        assert_eq!(
            expected.surface.mesh.positions.len(),
            3,
            "beside tetrahedra, only what is used"
        );
        assert_eq!(expected.skipped[0].to_string(), "1 line elements");
        for text in [VERSION_2, VERSION_4, VERSION_4_1] {
            assert_eq!(import(&FORMAT, text.as_bytes()), expected, "{text}");
        }
        assert_eq!(import(&FORMAT, &binary_2(Order::Little)), expected);
        assert_eq!(import(&FORMAT, &binary_2(Order::Big)), expected);
        assert_eq!(import(&FORMAT, &binary_4_1()), expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |from: &str, to: &str| {
            let text = VERSION_2.replace(from, to);
            assert_ne!(text, VERSION_2, "{from}");
            refuse(&FORMAT, text.as_bytes())
        };
        let missing = error("7 3 2", "7 3 8");
        assert!(missing.contains("line 19: expected one of the 5 nodes, found 8"), "{missing}");
        assert!(error("$Nodes\n5", "$Nodes\n4000000000").contains("at most"));
        assert!(error("$Nodes\n5", "$Nodes\n4").contains("expected $EndNodes, found \"9\""));
        assert!(error("2 1 0 0", "7 1 0 0").contains("two with the number 7"));
        assert!(error("1 4 2 0 1", "1 99 2 0 1").contains("line 18: expected a type of element"));
        assert!(error("1 4 2 0 1", "1 4 2000 0 1").contains("line 18: expected at most 1000 tags"));
        assert!(error("2.2 0", "3 0").contains("line 2: expected version 2.2"));
        assert!(error("$EndPhysicalNames", "").contains("$EndPhysicalNames, found the end"));
        let range = refuse(&FORMAT, VERSION_4_1.replace("5 2 9", "5 2 100").as_bytes());
        assert!(range.contains("numbers 2 to 100, as announced, found 2 to 9"), "{range}");
    }
}
