//! PLY, the format of Stanford: points and polygons with any properties, as text or as bytes.

use super::binary::{Binary, Order, Scalar};
use super::cells::{point_of, strip};
use super::error::{Fault, Place};
use super::text::{Dialect, Text};
use super::values::{Values, whole};
use super::{Format, Imported, Leftovers, Source, Surface};
use pliant::glam::{Vec2, Vec3};
use pliant::mesh::polygon::triangulate;

pub(super) const FORMAT: Format = Format {
    name: "PLY",
    extensions: &["ply"],
    about: "polygons with normals and texture coordinates, as text or as bytes",
    read,
};

/// Longest name of an element or a property (bytes).
const LONGEST_NAME: usize = 64;

/// A kind of thing, and what each of them has.
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Property {
    name: String,
    scalar: Scalar,
    /// The type of its length, if it is a list.
    length: Option<Scalar>,
}

/// What a vertex may have; the order is that of [`vertex`].
const VERTEX: [&[&str]; 8] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["s", "u", "texture_u", "texture_s"],
    &["t", "v", "texture_v", "texture_t"],
];

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut text = Text::new(source.bytes, Dialect::Plain)?;
    let (order, elements) = header(&mut text)?;
    let mut values = match order {
        None => Values::Text(text),
        Some(order) => Values::Binary(Binary::new(source.bytes, text.offset(), order)),
    };
    let mut surface = Surface::default();
    let vertices = elements.iter().find(|element| element.name == "vertex");
    let mut faces = Faces { vertices: vertices.map_or(0, |e| e.count), ..Faces::default() };
    let mut leftovers = Leftovers::default();
    for element in &elements {
        let count = values.bound(element.count, &element.name, least(&values, element))?;
        for _ in 0..count {
            match element.name.as_str() {
                "vertex" => vertex(&mut values, element, &mut surface)?,
                "face" => faces.face(&mut values, element)?,
                "tristrips" => faces.strips(&mut values, element)?,
                other => {
                    element.properties.iter().try_for_each(|p| skip(&mut values, p))?;
                    leftovers.add(&format!("elements \"{}\"", other.escape_debug()));
                }
            }
        }
    }
    faces.resolve(&mut surface);
    Ok(Imported { surface, skipped: leftovers.list(), ..Imported::default() })
}

/// The order of the bytes, if it is not text, and the elements.
fn header(text: &mut Text<'_>) -> Result<(Option<Order>, Vec<Element>), Fault> {
    let word = text.need("ply")?;
    if word != b"ply" {
        return Err(text.fault("ply", word));
    }
    let mut order = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        match text.need("end_header")? {
            b"format" => order = Some(format(text)?),
            b"comment" | b"obj_info" => drop(text.next_line()),
            b"element" => {
                let (name, count) = (name(text)?, text.number_here("the number of elements")?);
                if elements.iter().any(|element| element.name == name) {
                    return Err(text.fault("a name that no other element has", name.as_bytes()));
                }
                elements.push(Element { name, count, properties: Vec::new() });
            }
            b"property" => {
                let place = text.place();
                let orphan = || Fault::expected(place, "an element before its properties", "none");
                let property = property(text)?;
                elements.last_mut().ok_or_else(orphan)?.properties.push(property);
            }
            b"end_header" => {
                text.next_line();
                let missing = || Fault::expected(text.place(), "a line with the format", "none");
                return Ok((order.ok_or_else(missing)?, elements));
            }
            other => return Err(text.fault("element, property, comment or end_header", other)),
        }
    }
}

fn format(text: &mut Text<'_>) -> Result<Option<Order>, Fault> {
    let order = match text.need("a format")? {
        b"ascii" => None,
        b"binary_little_endian" => Some(Order::Little),
        b"binary_big_endian" => Some(Order::Big),
        other => {
            let expected = "ascii, binary_little_endian or binary_big_endian";
            return Err(text.fault(expected, other));
        }
    };
    match text.need("the version 1.0")? {
        b"1.0" => Ok(order),
        other => Err(text.fault("the version 1.0", other)),
    }
}

/// A name, which is compared and shown once for each element and so must be short.
fn name(text: &mut Text<'_>) -> Result<String, Fault> {
    let word = text.word_here();
    let word =
        word.ok_or_else(|| Fault::expected(text.place(), "a name", "the end of the line"))?;
    let name = str::from_utf8(word).ok().filter(|name| name.len() <= LONGEST_NAME);
    name.map(str::to_owned).ok_or_else(|| text.fault("a name of at most 64 letters", word))
}

fn property(text: &mut Text<'_>) -> Result<Property, Fault> {
    let first = text.need("a type")?;
    if first != b"list" {
        return Ok(Property { scalar: scalar(text, first)?, length: None, name: name(text)? });
    }
    let word = text.need("the type of a list's length")?;
    let length = scalar(text, word)?;
    let word = text.need("the type of a list's entries")?;
    Ok(Property { scalar: scalar(text, word)?, length: Some(length), name: name(text)? })
}

fn scalar(text: &Text<'_>, word: &[u8]) -> Result<Scalar, Fault> {
    Ok(match word {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        other => return Err(text.fault("a type such as float, uchar or int", other)),
    })
}

/// The fewest bytes that an element takes. One without properties takes none, so that any number
/// would fit; it is counted as one byte.
fn least(values: &Values<'_>, element: &Element) -> usize {
    let of = |p: &Property| values.least(p.length.unwrap_or(p.scalar), 1);
    element.properties.iter().map(of).sum::<usize>().max(1)
}

/// The entries of a list.
fn entries(
    values: &mut Values<'_>,
    property: &Property,
    length: Scalar,
) -> Result<Vec<f64>, Fault> {
    let count = values.count(length, &property.name, values.least(property.scalar, 1))?;
    (0..count).map(|_| values.number(property.scalar, &property.name)).collect()
}

fn skip(values: &mut Values<'_>, property: &Property) -> Result<(), Fault> {
    match property.length {
        None => values.number(property.scalar, &property.name).map(drop),
        Some(length) => entries(values, property, length).map(drop),
    }
}

fn vertex(values: &mut Values<'_>, element: &Element, surface: &mut Surface) -> Result<(), Fault> {
    let mut found = [None; 8];
    for property in &element.properties {
        let slot = VERTEX.iter().position(|names| names.contains(&property.name.as_str()));
        match slot.filter(|_| property.length.is_none()) {
            Some(slot) => found[slot] = Some(values.float(property.scalar, &property.name)?),
            None => skip(values, property)?,
        }
    }
    let (Some(x), Some(y), Some(z)) = (found[0], found[1], found[2]) else {
        return Err(Fault::expected(values.place(), "vertices with x, y and z", "some without"));
    };
    surface.mesh.positions.push(Vec3::new(x, y, z));
    if let (Some(x), Some(y), Some(z)) = (found[3], found[4], found[5]) {
        surface.normals.push(Vec3::new(x, y, z));
    }
    if let (Some(u), Some(v)) = (found[6], found[7]) {
        surface.texture.push(Vec2::new(u, v));
    }
    Ok(())
}

/// Polygons and strips, which may come before the vertices.
#[derive(Default)]
struct Faces {
    /// How many vertices there are, or will be.
    vertices: u64,
    /// Corners of all polygons, one after the other.
    corners: Vec<u32>,
    /// Where each polygon ends in `corners`.
    ends: Vec<usize>,
    /// Triangles of strips.
    triangles: Vec<[u32; 3]>,
}

impl Faces {
    fn face(&mut self, values: &mut Values<'_>, element: &Element) -> Result<(), Fault> {
        for property in &element.properties {
            let Some(length) = property.length.filter(|_| has_corners(property)) else {
                skip(values, property)?;
                continue;
            };
            let place = values.place();
            let entries = entries(values, property, length)?;
            if entries.len() < 3 {
                let found = entries.len().to_string();
                return Err(Fault::expected(place, "three or more corners", &found));
            }
            for entry in entries {
                self.corners.push(self.index(entry, &place)?);
            }
            self.ends.push(self.corners.len());
        }
        Ok(())
    }

    /// Strips of triangles in one list, each ended by −1.
    fn strips(&mut self, values: &mut Values<'_>, element: &Element) -> Result<(), Fault> {
        for property in &element.properties {
            let Some(length) = property.length.filter(|_| has_corners(property)) else {
                skip(values, property)?;
                continue;
            };
            let place = values.place();
            for part in entries(values, property, length)?.split(|entry| *entry == -1.0) {
                let corners: Result<Vec<_>, _> =
                    part.iter().map(|entry| self.index(*entry, &place)).collect();
                self.triangles.extend(strip(&corners?));
            }
        }
        Ok(())
    }

    fn index(&self, entry: f64, place: &Place) -> Result<u32, Fault> {
        let node = whole(entry, "a vertex counted from 0", place.clone())?;
        let count = self.vertices.min(u64::from(u32::MAX)) as usize;
        point_of(node, 0, count, place.clone())
    }

    fn resolve(self, surface: &mut Surface) {
        let mesh = &mut surface.mesh;
        let mut start = 0;
        for end in self.ends {
            triangulate(&mesh.positions, &self.corners[start..end], &mut mesh.triangles);
            start = end;
        }
        mesh.triangles.extend(self.triangles);
    }
}

fn has_corners(property: &Property) -> bool {
    matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};

    const HEADER: &str = "ply\nformat FORMAT 1.0\ncomment by hand\nelement vertex 4\nproperty float x\n\
        property float y\nproperty double z\nproperty uchar red\nproperty float s\nproperty float t\n\
        element face 2\nproperty list uchar int vertex_indices\nelement edge 1\nproperty short a\nend_header\n";

    fn text() -> String {
        let body = "0 0 0 255 0 0\n1 0 0 255 1 0\n1 1 0 9 1 1\n0 1 0 9 0 1\n3 0 1 2\n3 0 2 3\n7\n";
        HEADER.replace("FORMAT", "ascii") + body
    }

    fn binary(order: Order) -> Vec<u8> {
        let big = order == Order::Big;
        let f32 = |x: f32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let int = |x: i32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let f64 = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let name = if big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = HEADER.replace("FORMAT", name).into_bytes();
        for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            bytes.extend(f32(x).into_iter().chain(f32(y)).chain(f64(0.0)));
            bytes.push(255);
            bytes.extend(f32(x).into_iter().chain(f32(y)));
        }
        for face in [[0, 1, 2], [0, 2, 3]] {
            bytes.push(3);
            bytes.extend(face.into_iter().flat_map(int));
        }
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn text_and_both_orders_of_bytes_give_the_same() {
        let expected = import(&FORMAT, text().as_bytes());
        assert_eq!(expected.surface.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(expected.surface.texture[2], Vec2::ONE);
        assert_eq!(expected.skipped[0].to_string(), "1 elements \"edge\"");
        for order in [Order::Little, Order::Big] {
            assert_eq!(import(&FORMAT, &binary(order)), expected, "{order:?}");
        }
    }

    #[test]
    fn strips_turn_the_same_way() {
        let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
            property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
            0 0 0 1 0 0 0 1 0 1 1 0\n8 0 1 2 3 -1 0 1 2\n";
        let mesh = import(&FORMAT, text.as_bytes()).surface.mesh;
        assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3], [0, 1, 2]]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = |from: &str, to: &str| refuse(&FORMAT, text().replace(from, to).as_bytes());
        assert!(error("vertex 4", "vertex 4000000000").contains("at most"));
        assert!(error("\n3 0 2 3", "\n1000000000 0 2 3").contains("line 21: expected at most"));
        assert!(error("\n3 0 2 3", "\n-1 0 2 3").contains("found -1"));
        assert!(
            error("\n3 0 2 3", "\n3 0 2 9")
                .contains("line 20: expected a point from 0 to 3, found 9")
        );
        assert!(error("float x", "quad x").contains("line 5: expected a type"));
        assert!(error("property float x\n", "").contains("vertices with x, y and z"));
        assert!(error("end_header\n", "").contains("expected element, property"));
        assert!(error("1.0", "2.0").contains("line 2: expected the version 1.0"));
        assert!(refuse(&FORMAT, b"").contains("line 1: expected ply"));
        let cut = binary(Order::Big);
        let cut = refuse(&FORMAT, &cut[..cut.len() - 3]);
        assert!(cut.contains("byte"), "{cut}");
        // Nothing to read for each of four thousand million things.
        let empty = "element nothing 4000000000\nend_header";
        assert!(error("end_header", empty).contains("at most"));
    }
}
