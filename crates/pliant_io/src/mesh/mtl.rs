//! MTL, the materials of OBJ: colours, pictures, normal maps and heights.

use pliant::raster::Image;

use super::Source;
use super::error::Fault;
use super::looks::{Looks, Material, Origin, picture};

/// How high white is above black in a map of heights (texels). The format gives no unit; this makes
/// the slope of a soft edge, eight texels wide, 45°.
const HEIGHT: f32 = 8.0;

/// Most libraries of materials that a file may name.
const MOST_LIBRARIES: usize = 16;

/// The materials of the libraries that an OBJ file names.
pub(super) fn looks(source: &Source<'_>) -> Result<Looks, Fault> {
    let mut looks = Looks { origin: Origin::Bottom, ..Looks::default() };
    let text = String::from_utf8_lossy(source.bytes);
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("mtllib "));
    for name in names.take(MOST_LIBRARIES).map(plain) {
        match (source.beside)(&name) {
            Ok(bytes) => read(&String::from_utf8_lossy(&bytes), source, &mut looks),
            Err(cause) => looks.missing.push(cause.to_string()),
        }
    }
    Ok(looks)
}

fn read(text: &str, source: &Source<'_>, looks: &mut Looks) {
    for line in text.lines().map(str::trim) {
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if keyword == "newmtl" {
            let (name, tint) = (rest.trim().to_owned(), [1.0; 3]);
            looks.materials.push(Material { name, tint, color: None, normals: None });
        }
        let Some(material) = looks.materials.last_mut() else { continue };
        let map = match keyword.to_ascii_lowercase().as_str() {
            "kd" => {
                material.tint = tint(rest).unwrap_or(material.tint);
                continue;
            }
            "map_kd" | "norm" | "map_bump" | "bump" => Map::of(rest),
            _ => continue,
        };
        let found = (source.beside)(&map.name).map_err(|cause| cause.to_string());
        match found.and_then(|bytes| picture(&bytes, &map.name)) {
            Err(why) => looks.missing.push(why),
            Ok(image) if keyword.eq_ignore_ascii_case("map_kd") => material.color = Some(image),
            // Many programs write normal maps as heights; those have colours.
            Ok(image) if keyword == "norm" || !is_grey(&image) => material.normals = Some(image),
            Ok(image) => material.normals = Some(normals(&image, HEIGHT * map.strength)),
        }
    }
    // A picture that is multiplied by black is none: files without a colour of their own have it so.
    for material in looks.materials.iter_mut().filter(|material| material.color.is_some()) {
        if material.tint.iter().all(|part| *part <= 0.0) {
            material.tint = [1.0; 3];
        }
    }
}

fn tint(rest: &str) -> Option<[f32; 3]> {
    let mut parts = rest.split_whitespace().map(|part| part.parse::<f32>().ok());
    let mut next = || parts.next().flatten().filter(|part| part.is_finite());
    Some([next()?, next()?, next()?].map(|part| part.clamp(0.0, 1.0)))
}

/// A file that a material names, behind options.
struct Map {
    name: String,
    /// How high its heights are, over what is usual.
    strength: f32,
}

impl Map {
    fn of(rest: &str) -> Self {
        let mut strength = 1.0;
        let mut rest = rest.trim();
        while let Some((option, more)) = option(rest) {
            rest = more;
            let is_number = |word: &str| word.parse::<f32>().is_ok();
            // Three options have up to three numbers, one has two, all others have a word.
            let most = match option {
                "-s" | "-o" | "-t" => 3,
                "-mm" => 2,
                _ => 1,
            };
            for k in 0..most {
                let Some((value, more)) = rest.split_once(char::is_whitespace) else { break };
                if k > 0 && !is_number(value) {
                    break;
                }
                if option == "-bm" {
                    strength = value.parse().unwrap_or(1.0);
                }
                rest = more.trim_start();
            }
        }
        Self { name: plain(rest), strength }
    }
}

/// An option, and what is behind it.
fn option(rest: &str) -> Option<(&str, &str)> {
    let (word, more) = rest.split_once(char::is_whitespace)?;
    let is_option =
        word.starts_with('-') && word[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    is_option.then(|| (word, more.trim_start()))
}

/// A name with the slashes of this side of the world.
fn plain(name: &str) -> String {
    name.trim().replace('\\', "/")
}

fn is_grey(image: &Image) -> bool {
    image.rgb.iter().all(|[r, g, b]| r.abs_diff(*g) <= 2 && g.abs_diff(*b) <= 2)
}

/// Heights as directions: (−∂h/∂u, −∂h/∂v, 1) of unit length, by central differences. The picture
/// repeats.
fn normals(heights: &Image, height: f32) -> Image {
    let (width, rows) = (heights.width as usize, heights.height as usize);
    let at = |x: usize, y: usize| {
        f32::from(heights.rgb[y % rows * width + x % width][0]) / 255.0 * height
    };
    let mut image = heights.clone();
    for y in 0..rows {
        for x in 0..width {
            let right = (at(x + 1, y) - at(x + width - 1, y)) / 2.0;
            let up = (at(x, y + rows - 1) - at(x, y + 1)) / 2.0;
            let length = (right * right + up * up + 1.0).sqrt();
            image.rgb[y * width + x] =
                [-right, -up, 1.0].map(|part| (127.5 + 127.5 * part / length).round() as u8);
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Cause, Format, looks_of, nothing_beside, read_bytes};
    use std::path::Path;

    const QUAD: &[u8] = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\n\
        vt 1 1\nvt 0 1\nusemtl red\nf 1/1 2/2 3/3\nusemtl wall\nf 1/1 3/3 4/4\n";

    fn of(beside: &crate::mesh::Beside<'_>) -> Looks {
        let source = Source { name: Path::new("quad.obj"), bytes: QUAD, beside };
        looks_of(Format::of(source.name).unwrap(), &source).unwrap()
    }

    fn png(image: &Image) -> Vec<u8> {
        let path = std::env::temp_dir().join(format!("pliant-mtl-{}.png", std::process::id()));
        crate::image::write(image, &path).unwrap();
        std::fs::read(&path).unwrap()
    }

    #[test]
    fn triangles_have_the_material_that_was_last_named() {
        let source = Source { name: Path::new("quad.obj"), bytes: QUAD, beside: &nothing_beside };
        let surface = read_bytes(Format::of(source.name).unwrap(), &source).unwrap().surface;
        let runs: Vec<_> = surface.runs.iter().map(|r| (r.first, r.material.as_str())).collect();
        assert_eq!(runs, [(0, "red"), (1, "wall")]);
    }

    #[test]
    fn colours_pictures_and_heights_are_read_and_what_is_missing_is_told() {
        let mut ramp = Image::new(4, 2);
        for (k, pixel) in ramp.rgb.iter_mut().enumerate() {
            *pixel = [(k % 4 * 40) as u8; 3];
        }
        let bytes = png(&ramp);
        let mtl = "newmtl red\nKd 0.5 0.25 0\nnewmtl wall\nKd 0 0 0\n\
            map_Kd -s 2 2 1 -clamp on tiles\\ramp 1.png\nmap_Bump -bm 0.5 ramp 1.png\n\
            newmtl gone\nmap_Kd none.png\nnorm broken.png\n";
        let beside = |name: &str| match name {
            "a.mtl" => Ok(mtl.as_bytes().to_vec()),
            "tiles/ramp 1.png" | "ramp 1.png" => Ok(bytes.clone()),
            "broken.png" => Ok(bytes[..40].to_vec()),
            _ => nothing_beside(name),
        };
        let looks = of(&beside);
        let [red, wall, gone] = looks.materials.as_slice() else { panic!("{looks:?}") };
        assert_eq!((red.tint, wall.tint), ([0.5, 0.25, 0.0], [1.0; 3]));
        assert_eq!(wall.color.as_ref(), Some(&ramp));
        // 40 of 255 higher with each texel, where white is 4 texels high: a slope of 0.627.
        let normal =
            wall.normals.as_ref().unwrap().rgb[1].map(|part| f32::from(part) / 127.5 - 1.0);
        let slope = 40.0 / 255.0 * 4.0;
        assert!((normal[0] / normal[2] + slope).abs() < 0.02, "{normal:?}");
        assert_eq!((&gone.color, &gone.normals), (&None, &None));
        assert_eq!(looks.missing.len(), 2, "{:?}", looks.missing);
        assert!(looks.missing[0].contains("none.png"), "{:?}", looks.missing);
        assert!(looks.missing[1].contains("broken.png"), "{:?}", looks.missing);
        let alone = of(&|name: &str| -> Result<Vec<u8>, Cause> { nothing_beside(name) });
        assert!(alone.missing[0].contains("a.mtl"), "{:?}", alone.missing);
    }
}
