//! VTU and VTP, the XML formats of the Visualization Toolkit: unstructured grids and surfaces.
//!
//! Arrays may be text, base64, or bytes behind the XML, and may be compressed with zlib. Numbers on
//! points and cells are not read.

use super::binary::{Order, Scalar};
use super::cells::{Cells, Lists, point_of};
use super::error::{Fault, Place};
use super::text::{Text, parse};
use super::values::{finite, whole};
use super::vtk::cell;
use super::xml::{Tag, find, next_tag};
use super::{Format, Imported, Source, base64};
use pliant::glam::Vec3;
use std::io::Read;

pub(super) const FORMAT: Format = Format {
    name: "VTU",
    extensions: &["vtu", "vtp"],
    about: "triangles and tetrahedra, as XML",
    read,
};

/// Most bytes that a compressed byte may stand for, beyond [`SLACK`]: more is no mesh, but a bomb.
const MOST_RATIO: u64 = 20;
/// Bytes that an array may have however small it is when compressed: a million cells of one type
/// compress to nearly nothing.
const SLACK: u64 = 4 << 20;

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let file = Layout::find(source.bytes)?;
    let mut cells = Cells::default();
    let pieces = file.arrays.iter().map(|array| array.piece).max().map_or(0, |last| last + 1);
    // Pieces may share arrays, so that few bytes could ask for all memory.
    let bytes = source.bytes.len() as u64;
    let limit = if file.compressed { SLACK + MOST_RATIO * bytes } else { bytes };
    let mut read = 0;
    for piece in 0..pieces {
        read += file.piece(piece, &mut cells)? as u64;
        if read > limit {
            let what = format!("a mesh of more than {limit} points from a file of this size");
            return Err(Fault::unsupported(Place::Whole, what, "save it as one piece"));
        }
    }
    Ok(cells.finish())
}

/// An array of the file, before it is decoded.
struct Array<'a> {
    piece: usize,
    /// The tag around it, such as `Points`.
    section: &'a [u8],
    name: &'a str,
    scalar: Scalar,
    encoding: Encoding,
    /// Where it is described.
    place: Place,
}

/// Where the numbers are.
#[derive(Clone, Copy)]
enum Encoding {
    /// As words between two bytes of the file, the first of which is on this line.
    Text(usize, usize, usize),
    /// As base64 between two bytes of the file.
    Base64(usize, usize),
    /// Behind the XML, at this distance from its start.
    Appended(usize),
}

/// Whether the arrays of a section say where points and cells are.
fn is_wanted(section: &[u8]) -> bool {
    matches!(section, b"Points" | b"Cells" | b"Polys" | b"Strips" | b"Lines" | b"Verts")
}

/// What the XML says.
struct Layout<'a> {
    bytes: &'a [u8],
    order: Order,
    /// The type of the lengths in front of binary arrays.
    header: Scalar,
    compressed: bool,
    arrays: Vec<Array<'a>>,
    /// Where appended arrays start, and whether they are base64.
    appended: Option<(usize, bool)>,
}

impl<'a> Layout<'a> {
    fn find(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut layout = Self {
            bytes,
            order: Order::Little,
            header: Scalar::U32,
            compressed: false,
            arrays: Vec::new(),
            appended: None,
        };
        let (mut at, mut pieces, mut section) = (0, 0usize, &b""[..]);
        let (mut known, mut line) = (false, 1);
        while let Some(tag) = next_tag(bytes, at)? {
            line += bytes[at..tag.end].iter().filter(|byte| **byte == b'\n').count();
            at = tag.end;
            match tag.name {
                _ if tag.is_end => {}
                b"VTKFile" => {
                    layout.file(&tag)?;
                    known = true;
                }
                b"Piece" => pieces += 1,
                b"Points" | b"Cells" | b"Polys" | b"Strips" | b"Lines" | b"Verts"
                | b"PointData" | b"CellData" | b"FieldData" => section = tag.name,
                b"DataArray" if is_wanted(section) => {
                    let piece = pieces.saturating_sub(1);
                    layout.array(&tag, (piece, section), line)?;
                }
                b"AppendedData" => {
                    layout.appended(&tag)?;
                    break;
                }
                _ => {}
            }
        }
        if known { Ok(layout) } else { Err(Fault::expected(Place::Whole, "a tag VTKFile", "none")) }
    }

    fn file(&mut self, tag: &Tag<'_>) -> Result<(), Fault> {
        let place = Place::Byte(tag.end);
        let kind = tag.get("type").unwrap_or("none");
        if !matches!(kind, "UnstructuredGrid" | "PolyData") {
            return Err(Fault::expected(place, "the type UnstructuredGrid or PolyData", kind));
        }
        if tag.get("byte_order") == Some("BigEndian") {
            self.order = Order::Big;
        }
        if tag.get("header_type") == Some("UInt64") {
            self.header = Scalar::U64;
        }
        match tag.get("compressor") {
            None => Ok(()),
            Some("vtkZLibDataCompressor") => {
                self.compressed = true;
                Ok(())
            }
            Some(other) => {
                let remedy = "save the mesh without compression, or with zlib";
                Err(Fault::unsupported(place, format!("data compressed by {other}"), remedy))
            }
        }
    }

    /// Adds an array that is described on this line.
    fn array(
        &mut self,
        tag: &Tag<'a>,
        (piece, section): (usize, &'a [u8]),
        line: usize,
    ) -> Result<(), Fault> {
        let place = Place::Line(line);
        let wrong = |what: &str, found: Option<&str>| {
            Fault::expected(place.clone(), what, found.unwrap_or("none"))
        };
        let kind = tag.get("type");
        let scalar = kind.and_then(scalar);
        let scalar = scalar.ok_or_else(|| wrong("a type such as Float32 or Int64", kind))?;
        let end = if tag.is_empty {
            tag.end
        } else {
            find(self.bytes, tag.end, b"<").unwrap_or(self.bytes.len())
        };
        let offset = tag.get("offset");
        let encoding = match tag.get("format") {
            None | Some("ascii") => Encoding::Text(tag.end, end, line),
            Some("binary") => Encoding::Base64(tag.end, end),
            Some("appended") => Encoding::Appended(
                offset.and_then(|o| o.parse().ok()).ok_or_else(|| wrong("an offset", offset))?,
            ),
            other => return Err(wrong("the format ascii, binary or appended", other)),
        };
        let name = tag.get("Name").unwrap_or("");
        self.arrays.push(Array { piece, section, name, scalar, encoding, place });
        Ok(())
    }

    fn appended(&mut self, tag: &Tag<'_>) -> Result<(), Fault> {
        let letters = match tag.get("encoding") {
            Some("raw") => false,
            Some("base64") => true,
            other => {
                let found = other.unwrap_or("none");
                return Err(Fault::expected(
                    Place::Byte(tag.end),
                    "the encoding raw or base64",
                    found,
                ));
            }
        };
        let mark = find(self.bytes, tag.end, b"_");
        let missing =
            || Fault::expected(Place::Byte(tag.end), "_ and the data", "the end of the file");
        self.appended = Some((mark.ok_or_else(missing)? + 1, letters));
        Ok(())
    }

    /// Reads a piece; returns how many points and corners it has.
    fn piece(&self, piece: usize, cells: &mut Cells) -> Result<usize, Fault> {
        let first = cells.points.len();
        if let Some((array, numbers)) = self.numbers(piece, b"Points", "")? {
            if numbers.len() % 3 != 0 {
                let found = format!("{} numbers", numbers.len());
                return Err(Fault::expected(
                    array.place.clone(),
                    "three coordinates for each point",
                    &found,
                ));
            }
            for point in numbers.chunks_exact(3) {
                let x = |k: usize| finite(point[k], array.place.clone());
                cells.points.push(Vec3::new(x(0)?, x(1)?, x(2)?));
            }
        }
        let sections: [(&[u8], Option<u64>); 5] = [
            (b"Cells", None),
            (b"Polys", Some(7)),
            (b"Strips", Some(6)),
            (b"Lines", Some(4)),
            (b"Verts", Some(2)),
        ];
        let mut read = cells.points.len() - first;
        for (section, kind) in sections {
            let Some((lists, place)) = self.lists(piece, section, (first, cells.points.len()))?
            else {
                continue;
            };
            read += lists.nodes.len();
            let count = lists.ends.len();
            let types = match (kind, self.numbers(piece, section, "types")?) {
                (Some(kind), _) => vec![kind as f64; count],
                (None, types) => types.map(|(_, numbers)| numbers).unwrap_or_default(),
            };
            if types.len() != count {
                let expected = format!("a type for each of {count} cells");
                return Err(Fault::expected(place, &expected, &types.len().to_string()));
            }
            for (list, kind) in lists.iter().zip(types) {
                let kind = whole(kind, "the type of a cell", place.clone())?;
                cells.add(cell(kind), list, place.clone())?;
            }
        }
        Ok(read)
    }

    /// The points of each cell of a section; a piece counts its points from 0.
    fn lists(
        &self,
        piece: usize,
        section: &[u8],
        (first, end): (usize, usize),
    ) -> Result<Option<(Lists, Place)>, Fault> {
        let Some((array, nodes)) = self.numbers(piece, section, "connectivity")? else {
            return Ok(None);
        };
        let offsets = self.numbers(piece, section, "offsets")?;
        let missing =
            || Fault::expected(array.place.clone(), "offsets beside the connectivity", "none");
        let (at, offsets) = offsets.ok_or_else(missing)?;
        let mut lists = Lists::default();
        for node in nodes {
            let node = whole(node, "a point", array.place.clone())?;
            let node = point_of(node, 0, end - first, array.place.clone())?;
            lists.nodes.push(node + first as u32);
        }
        for offset in offsets {
            let last = lists.ends.last().copied().unwrap_or(0);
            let offset = whole(offset, "an offset", at.place.clone())?;
            if offset < last as u64 || offset > lists.nodes.len() as u64 {
                let expected = format!("an offset from {last} to {}", lists.nodes.len());
                return Err(Fault::expected(at.place.clone(), &expected, &offset.to_string()));
            }
            lists.ends.push(offset as usize);
        }
        let [used, all] = [lists.ends.last().copied().unwrap_or(0), lists.nodes.len()];
        if used != all {
            let expected = format!("offsets up to {all}, the end of the connectivity");
            return Err(Fault::expected(at.place.clone(), &expected, &used.to_string()));
        }
        Ok(Some((lists, array.place.clone())))
    }

    /// The numbers of an array, of any name if none is given.
    fn numbers(
        &self,
        piece: usize,
        section: &[u8],
        name: &str,
    ) -> Result<Option<(&Array<'a>, Vec<f64>)>, Fault> {
        // Pieces are in order, and there may be as many as the file has room for.
        let first = self.arrays.partition_point(|array| array.piece < piece);
        let mut arrays = self.arrays[first..].iter().take_while(|array| array.piece == piece);
        let is = |a: &&Array<'_>| a.section == section && (name.is_empty() || a.name == name);
        let Some(array) = arrays.find(is) else { return Ok(None) };
        let numbers = match array.encoding {
            Encoding::Text(from, to, line) => words(&self.bytes[from..to], line)?,
            Encoding::Base64(from, to) => {
                self.decode(array, Bytes::letters(&self.bytes[from..to]))?
            }
            Encoding::Appended(offset) => {
                let missing = || Fault::expected(array.place.clone(), "appended data", "none");
                let (start, letters) = self.appended.ok_or_else(missing)?;
                let rest = start.checked_add(offset).and_then(|at| self.bytes.get(at..));
                let found = offset.to_string();
                let beyond =
                    || Fault::expected(array.place.clone(), "an offset inside of the file", &found);
                let rest = rest.ok_or_else(beyond)?;
                self.decode(array, if letters { Bytes::letters(rest) } else { Bytes::Raw(rest) })?
            }
        };
        Ok(Some((array, numbers)))
    }

    /// An array of bytes: its length, or those of its blocks, and its contents.
    fn decode(&self, array: &Array<'_>, mut data: Bytes<'_>) -> Result<Vec<f64>, Fault> {
        let wrong = |what: &str, found: String| Fault::expected(array.place.clone(), what, &found);
        let number = |data: &mut Bytes<'_>| {
            let bytes =
                data.take(self.header.size() as u64).map_err(|found| wrong("a length", found))?;
            Ok(self.header.read(&bytes, self.order) as u64)
        };
        let length = number(&mut data)?;
        let contents = if self.compressed {
            let block = number(&mut data)?;
            let last = number(&mut data)?;
            let count = length.min(data.left());
            let sizes: Result<Vec<u64>, Fault> = (0..count).map(|_| number(&mut data)).collect();
            inflate(&mut data, &sizes?, [block, last])
        } else {
            data.take(length)
        };
        let contents = contents.map_err(|found| wrong("the contents of the array", found))?;
        let numbers = contents.chunks_exact(array.scalar.size());
        if !numbers.remainder().is_empty() {
            return Err(wrong("whole numbers of its type", format!("{} bytes", contents.len())));
        }
        Ok(numbers.map(|number| array.scalar.read(number, self.order)).collect())
    }
}

/// The numbers of a text whose first line has this number in its file.
fn words(bytes: &[u8], line: usize) -> Result<Vec<f64>, Fault> {
    let mut text = Text::within(bytes, line);
    let mut numbers = Vec::new();
    while let Some(word) = text.word() {
        numbers.push(parse(word).ok_or_else(|| text.fault("a number", word))?);
    }
    Ok(numbers)
}

/// Bytes, as they are or as letters.
enum Bytes<'a> {
    Raw(&'a [u8]),
    /// And bytes that were decoded and not yet taken.
    Letters(base64::Reader<'a>, Vec<u8>),
}

impl<'a> Bytes<'a> {
    fn letters(letters: &'a [u8]) -> Self {
        Self::Letters(base64::Reader { letters, at: 0 }, Vec::new())
    }

    /// How many bytes there are at most.
    fn left(&self) -> u64 {
        match self {
            Self::Raw(bytes) => bytes.len() as u64,
            Self::Letters(reader, spare) => (reader.letters.len() - reader.at + spare.len()) as u64,
        }
    }

    /// The next bytes, or what was found instead.
    fn take(&mut self, count: u64) -> Result<Vec<u8>, String> {
        let left = self.left();
        let short = || format!("at most {left} of {count} bytes");
        let count = usize::try_from(count).ok().filter(|_| count <= left).ok_or_else(short)?;
        match self {
            Self::Raw(bytes) => {
                let (taken, rest) = bytes.split_at(count);
                *bytes = rest;
                Ok(taken.to_vec())
            }
            Self::Letters(reader, spare) => {
                let mut taken = std::mem::take(spare);
                while taken.len() < count {
                    let group =
                        reader.next_group().map_err(|at| format!("no base64 at letter {at}"))?;
                    taken.extend(group.ok_or_else(short)?);
                }
                *spare = taken.split_off(count);
                Ok(taken)
            }
        }
    }
}

/// The contents of compressed blocks of these sizes; all but the last have `block` bytes.
fn inflate(
    data: &mut Bytes<'_>,
    sizes: &[u64],
    [block, last]: [u64; 2],
) -> Result<Vec<u8>, String> {
    let mut contents = Vec::new();
    for (k, size) in sizes.iter().enumerate() {
        let expected = if k + 1 == sizes.len() && last > 0 { last } else { block };
        let most = SLACK + MOST_RATIO * size;
        if expected > most {
            return Err(format!("{size} bytes that claim to become {expected}"));
        }
        let compressed = data.take(*size)?;
        let before = contents.len() as u64;
        let mut decoder = flate2::read::ZlibDecoder::new(compressed.as_slice()).take(expected);
        decoder.read_to_end(&mut contents).map_err(|error| error.to_string())?;
        let found = contents.len() as u64 - before;
        if found != expected {
            return Err(format!("a block of {found} instead of {expected} bytes"));
        }
    }
    Ok(contents)
}

fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "Int8" => Scalar::I8,
        "UInt8" => Scalar::U8,
        "Int16" => Scalar::I16,
        "UInt16" => Scalar::U16,
        "Int32" => Scalar::I32,
        "UInt32" => Scalar::U32,
        "Int64" => Scalar::I64,
        "UInt64" => Scalar::U64,
        "Float32" => Scalar::F32,
        "Float64" => Scalar::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::base64::tests::encode;
    use crate::mesh::tests::{import, refuse};
    use std::io::Write;

    const TEXT: &str = r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
  <UnstructuredGrid>
    <Piece NumberOfPoints="4" NumberOfCells="3">
      <PointData><DataArray type="String" Name="x" format="ascii">1 2 3 4</DataArray></PointData>
      <Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">
        0 0 0 1 0 0 0 1 0 0 0 1
      </DataArray></Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 0 2 1 0 1</DataArray>
        <DataArray type="Int64" Name="offsets" format="ascii">4 7 9</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">10 5 3</DataArray>
      </Cells>
    </Piece>
  </UnstructuredGrid>
</VTKFile>"#;

    fn arrays() -> [Vec<u8>; 4] {
        let points = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1].map(|x| (x as f32).to_le_bytes());
        let nodes = [0i64, 1, 2, 3, 0, 2, 1, 0, 1].map(i64::to_le_bytes);
        let offsets = [4i64, 7, 9].map(i64::to_le_bytes);
        [points.concat(), nodes.concat(), offsets.concat(), vec![10, 5, 3]]
    }

    fn replace_arrays(
        text: &str,
        attribute: impl Fn(usize) -> String,
        contents: impl Fn(usize) -> String,
    ) -> String {
        let old =
            ["\n        0 0 0 1 0 0 0 1 0 0 0 1\n      ", "0 1 2 3 0 2 1 0 1", "4 7 9", "10 5 3"];
        let mut text = text.to_owned();
        for (k, old) in old.iter().enumerate() {
            let from = format!("format=\"ascii\">{old}<");
            assert!(text.contains(&from), "{from}");
            text = text.replace(&from, &format!("{}>{}<", attribute(k), contents(k)));
        }
        text
    }

    fn with_length(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
    }

    fn inline() -> String {
        let binary = |_| "format=\"binary\"".to_owned();
        replace_arrays(TEXT, binary, |k| encode(&with_length(&arrays()[k])))
    }

    fn compressed() -> String {
        let squeeze = |bytes: &[u8]| {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let contents = |k: usize| {
            let bytes = &arrays()[k];
            let block = squeeze(bytes);
            let header = [1, 1 << 15, bytes.len() as u32, block.len() as u32].map(u32::to_le_bytes);
            encode(&header.concat()) + &encode(&block)
        };
        let text = replace_arrays(TEXT, |_| "format=\"binary\"".to_owned(), contents);
        text.replace("byte_order", "compressor=\"vtkZLibDataCompressor\" byte_order")
    }

    fn appended() -> Vec<u8> {
        let start = |k: usize| arrays()[..k].iter().map(|array| array.len() + 4).sum::<usize>();
        let attribute = |k| format!("format=\"appended\" offset=\"{}\"", start(k));
        let text = replace_arrays(TEXT, attribute, |_| String::new());
        let mut bytes = text.replace("</VTKFile>", "<AppendedData encoding=\"raw\">_").into_bytes();
        arrays().iter().for_each(|array| bytes.extend(with_length(array)));
        bytes.extend(b"</AppendedData></VTKFile>");
        bytes
    }

    #[test]
    fn every_encoding_gives_the_same() {
        let expected = import(&FORMAT, TEXT.as_bytes());
        assert_eq!(expected.tets.tets, [[0, 1, 2, 3]]);
        assert_eq!(expected.tets.positions[3], Vec3::Z);
        assert_eq!(expected.surface.mesh.triangles, [[0, 2, 1]]);
        assert_eq!(expected.skipped[0].to_string(), "1 line cells");
        assert_eq!(import(&FORMAT, inline().as_bytes()), expected);
        assert_eq!(import(&FORMAT, compressed().as_bytes()), expected);
        assert_eq!(import(&FORMAT, &appended()), expected);
    }

    #[test]
    fn surfaces_of_two_pieces() {
        let piece = r#"<Piece><Points><DataArray type="Float64" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>
            <Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
            <DataArray type="Int32" Name="offsets" format="ascii">4</DataArray></Polys></Piece>"#;
        let text =
            format!("<VTKFile type=\"PolyData\"><PolyData>{piece}{piece}</PolyData></VTKFile>");
        let mesh = import(&FORMAT, text.as_bytes()).surface.mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 4));
        assert!(mesh.triangles[2..].iter().flatten().all(|&corner| corner >= 4));
    }

    #[test]
    fn pieces_cannot_share_an_array_without_end() {
        // Two thousand times the same thousand points.
        let piece = "<Piece><Points><DataArray type=\"Int8\" format=\"appended\" offset=\"0\"/></Points></Piece>";
        let pieces = piece.repeat(2000);
        let text = format!("<VTKFile type=\"PolyData\">{pieces}<AppendedData encoding=\"raw\">_");
        let bytes = [text.as_bytes(), &with_length(&[0; 3000])].concat();
        let error = refuse(&FORMAT, &bytes);
        assert!(error.contains("save it as one piece"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |from: &str, to: &str| {
            let text = TEXT.replace(from, to);
            assert_ne!(text, TEXT, "{from}");
            refuse(&FORMAT, text.as_bytes())
        };
        assert!(
            error("0 2 1 0 1<", "0 2 4 0 1<").contains("expected a point from 0 to 3, found 4")
        );
        assert!(error("4 7 9", "4 7 10").contains("expected an offset from 7 to 9, found 10"));
        assert!(error("10 5 3", "10 5").contains("a type for each of 3 cells, found 2"));
        assert!(
            error("0 0 0 1 0 0 0 1 0", "0 0 x 1 0 0 0 1 0")
                .contains("line 7: expected a number, found \"x\"")
        );
        assert!(error("UnstructuredGrid\" v", "ImageData\" v").contains("found ImageData"));
        assert!(
            error("byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order").contains("zlib")
        );
        let huge = inline().replace("ascii", "binary");
        let wrong = refuse(&FORMAT, huge.replace("MAAAAAAA", "////fwAA").as_bytes());
        assert!(wrong.contains("of 2147483647 bytes"), "{wrong}");
        assert!(refuse(&FORMAT, b"<a/>").contains("VTKFile"));
    }
}
