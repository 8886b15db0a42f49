//! OBJ, the format of Wavefront: points, normals, texture coordinates and polygons as text.
//!
//! Materials are in other files, which [`super::looks`] opens.

use std::collections::BTreeMap;

use super::error::{Fault, Place};
use super::text::{Dialect, Text, parse};
use super::{Format, Imported, Leftovers, Run, Source, Surface};
use pliant::glam::{Vec2, Vec3};
use pliant::mesh::TriMesh;
use pliant::mesh::polygon::triangulate;

pub(super) const FORMAT: Format = Format {
    name: "OBJ",
    extensions: &["obj"],
    about: "polygons with normals and texture coordinates, as text",
    read,
};

/// Words that say how a surface looks or is grouped, which is no loss.
const LOOKS: &[&[u8]] = &[b"mtllib", b"o", b"g", b"s", b"mg", b"lod", b"usemap", b"maplib"];

/// A corner: position, texture coordinate and normal, counted from 0; [`NONE`] for neither.
type Corner = [u32; 3];
const NONE: u32 = u32::MAX;

#[derive(Default)]
struct Obj {
    positions: Vec<Vec3>,
    texture: Vec<Vec2>,
    normals: Vec<Vec3>,
    /// Corners of all polygons, one after the other.
    corners: Vec<Corner>,
    /// Where each polygon ends in `corners`, and on which line it stands.
    polygons: Vec<(usize, usize)>,
    /// From which polygon on which material is used.
    materials: Vec<(usize, String)>,
    leftovers: Leftovers,
}

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut text = Text::new(source.bytes, Dialect::Continued)?;
    let mut obj = Obj::default();
    loop {
        if let Some(keyword) = text.word_here() {
            obj.line(keyword, &mut text)?;
        }
        if !text.next_line() {
            return obj.finish();
        }
    }
}

impl Obj {
    fn line(&mut self, keyword: &[u8], text: &mut Text<'_>) -> Result<(), Fault> {
        match keyword {
            b"v" => self.positions.push(text.point_here("a coordinate")?),
            b"vn" => self.normals.push(text.point_here("a component of a normal")?),
            b"vt" => self.texture.push(texture_coordinate(text)?),
            b"f" => self.polygon(text)?,
            b"usemtl" => self.materials.push((self.polygons.len(), name(text.line_rest()))),
            b"p" | b"l" => self.leftovers.add("points and lines"),
            known if LOOKS.contains(&known) => {}
            other => {
                let short = other[..other.len().min(20)].escape_ascii();
                self.leftovers.add(&format!("lines that begin with \"{short}\""));
            }
        }
        Ok(())
    }

    fn polygon(&mut self, text: &mut Text<'_>) -> Result<(), Fault> {
        let start = self.corners.len();
        while let Some(word) = text.word_here() {
            let corner = self.corner(word).ok_or_else(|| {
                text.fault(
                    "a corner such as 1, 1/2, 1//3 or 1/2/3, counted from 1 or from −1",
                    word,
                )
            })?;
            self.corners.push(corner);
        }
        if self.corners.len() < start + 3 {
            let found = format!("{}", self.corners.len() - start);
            return Err(Fault::expected(text.place(), "three or more corners", &found));
        }
        self.polygons.push((self.corners.len(), text.line()));
        Ok(())
    }

    /// `position/texture/normal`, of which the last two may be missing. Negative numbers count
    /// back from the last that was given.
    fn corner(&self, word: &[u8]) -> Option<Corner> {
        let counts = [self.positions.len(), self.texture.len(), self.normals.len()];
        let mut corner = [NONE; 3];
        for (k, part) in word.split(|byte| *byte == b'/').enumerate() {
            if part.is_empty() && k > 0 {
                continue;
            }
            *corner.get_mut(k)? = match parse::<i64>(part)? {
                0 => return None,
                // May name what comes later in the file; `finish` checks.
                ahead @ 1.. => u32::try_from(ahead - 1).ok().filter(|index| *index != NONE)?,
                back => u32::try_from((counts[k] as i64).checked_add(back)?).ok()?,
            };
        }
        Some(corner)
    }

    fn finish(mut self) -> Result<Imported, Fault> {
        self.check()?;
        let (mut surface, corners) = self.vertices();
        let TriMesh { positions, triangles } = &mut surface.mesh;
        let mut start = 0;
        let mut materials = self.materials.iter().peekable();
        for (number, &(end, _)) in self.polygons.iter().enumerate() {
            while let Some((_, material)) = materials.next_if(|next| next.0 <= number) {
                let (first, material) = (triangles.len() as u32, material.clone());
                surface.runs.push(Run { first, material });
            }
            triangulate(positions, &corners[start..end], triangles);
            start = end;
        }
        Ok(Imported { surface, skipped: self.leftovers.list(), ..Imported::default() })
    }

    /// The vertices, and that of each corner: one for each position, or for each combination of
    /// position, texture coordinate and normal if there are such.
    fn vertices(&mut self) -> (Surface, Vec<u32>) {
        let has = |k: usize| self.corners.iter().any(|corner| corner[k] != NONE);
        let [texture, normals] = [has(1), has(2)];
        let mut surface = Surface::default();
        if !texture && !normals {
            surface.mesh.positions = std::mem::take(&mut self.positions);
            return (surface, self.corners.iter().map(|corner| corner[0]).collect());
        }
        let mut known = BTreeMap::new();
        let mut used = vec![false; self.positions.len()];
        let corners = self.corners.iter().map(|corner| {
            *known.entry(*corner).or_insert_with(|| {
                let [position, uv, normal] = corner.map(|k| k as usize);
                used[position] = true;
                surface.mesh.positions.push(self.positions[position]);
                if texture {
                    surface.texture.push(self.texture.get(uv).copied().unwrap_or_default());
                }
                if normals {
                    surface.normals.push(self.normals.get(normal).copied().unwrap_or_default());
                }
                surface.mesh.positions.len() as u32 - 1
            })
        });
        let corners = corners.collect();
        for _ in used.iter().filter(|used| !**used) {
            self.leftovers.add("vertices that no polygon uses");
        }
        (surface, corners)
    }

    /// Every corner names what is there.
    fn check(&self) -> Result<(), Fault> {
        let counts = [self.positions.len(), self.texture.len(), self.normals.len()];
        let mut start = 0;
        for &(end, line) in &self.polygons {
            for corner in &self.corners[start..end] {
                for k in 0..3 {
                    if corner[k] as usize >= counts[k] && (k == 0 || corner[k] != NONE) {
                        return Err(missing(k, counts[k], corner[k], line));
                    }
                }
            }
            start = end;
        }
        Ok(())
    }
}

/// The rest of a line as a name.
fn name(rest: &[u8]) -> String {
    String::from_utf8_lossy(rest).trim().to_owned()
}

fn missing(part: usize, count: usize, index: u32, line: usize) -> Fault {
    let name = ["vertex", "texture coordinate", "normal"][part];
    let expected = match count {
        0 => format!("no {name}, for there are none"),
        _ => format!("a {name} from 1 to {count}"),
    };
    let found = if index == NONE { "none".to_owned() } else { (u64::from(index) + 1).to_string() };
    Fault::expected(Place::Line(line), &expected, &found)
}

/// One to three numbers, of which the third is for textures of three dimensions.
fn texture_coordinate(text: &mut Text<'_>) -> Result<Vec2, Fault> {
    let u = text.float_here("a texture coordinate")?;
    let v = if text.line_rest().trim_ascii().is_empty() {
        0.0
    } else {
        text.float_here("a texture coordinate")?
    };
    Ok(Vec2::new(u, v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{import, refuse};

    #[test]
    fn a_seam_has_two_vertices_in_one_place() {
        let text = b"mtllib no/such/file.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nvt 0 0\nvt 1 1\n\
                     vn 0 0 2\nf 1/1/1 2/1/1 3/2/1\nf 1/2/1 3/2/1 \\\n4//1\n";
        let Imported { surface, skipped, .. } = import(&FORMAT, text);
        assert_eq!(surface.mesh.triangles, [[0, 1, 2], [3, 2, 4]]);
        assert_eq!(surface.mesh.positions[0], surface.mesh.positions[3]);
        assert_eq!(surface.texture, [Vec2::ZERO, Vec2::ZERO, Vec2::ONE, Vec2::ONE, Vec2::ZERO]);
        assert_eq!(surface.normals, [Vec3::Z * 2.0; 5]);
        assert_eq!(skipped[0].to_string(), "1 vertices that no polygon uses");
    }

    #[test]
    fn corners_count_from_either_end_and_may_come_first() {
        let text = b"f 1 2 3\nv 0 0 0 1 0.5 0.5 0.5\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nl 1 2\nxyz 3";
        let Imported { surface, skipped, .. } = import(&FORMAT, text);
        assert_eq!(surface.mesh.triangles, [[0, 1, 2]; 2]);
        let skipped: Vec<_> = skipped.iter().map(ToString::to_string).collect();
        assert_eq!(skipped, ["1 lines that begin with \"xyz\"", "1 points and lines"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let error = |text: &str| refuse(&FORMAT, text.as_bytes());
        let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        let found = |line: &str| error(&format!("{triangle}{line}"));
        assert!(found("f 1 2 4").contains("line 4: expected a vertex from 1 to 3, found 4"));
        assert!(found("f 0 1 2").contains("line 4: expected a corner such as"));
        assert!(found("f 1 2 -4").contains("found \"-4\""));
        assert!(
            found("f 1/1 2/1 3/1").contains("no texture coordinate, for there are none, found 1")
        );
        assert!(found("f 1 2").contains("three or more corners, found 2"));
        assert!(found("f 4294967296 1 2").contains("found \"4294967296\""));
        assert!(found("f 1/2/3/4 1 2").contains("found \"1/2/3/4\""));
        assert!(
            error("v 0 0").contains("line 1: expected a coordinate, found the end of the line")
        );
        assert!(error("v 1,5 0 0").contains("found \"1,5\""));
        assert!(error("v 1e999 0 0").contains("a finite number, found \"1e999\""));
        assert!(error("l 1 2").contains("only 1 points and lines"));
        assert!(error("\u{feff}").contains("no triangles"));
    }
}
