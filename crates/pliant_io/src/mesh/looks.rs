//! How the triangles of a file look: colours, pictures and normal maps.
//!
//! They are read apart from the mesh, for whoever draws. What is missing or broken is no reason not to
//! show a mesh: it is listed, and the mesh shown without.

use std::path::Path;

use pliant::raster::Image;

use super::error::{Fault, MeshError, Place};
use super::{Format, Source, contents, gltf, mtl, neighbours};

/// How the triangles of a file look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// The materials; [`super::Run`] says which triangles have which.
    pub materials: Vec<Material>,
    /// Where texture coordinates begin.
    pub origin: Origin,
    /// What could not be read, and why.
    pub missing: Vec<String>,
}

/// A material, as it is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// What the file calls it.
    pub name: String,
    /// Linear colour, by which that of the picture is multiplied.
    pub tint: [f32; 3],
    /// The colours, as sRGB.
    pub color: Option<Image>,
    /// Where the surface points: red along u, green up in the picture, blue out; 0 to 255 is −1 to 1.
    pub normals: Option<Image>,
}

/// Where the texture coordinate (0, 0) is in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// At the lower left corner.
    #[default]
    Bottom,
    /// At the upper left corner.
    Top,
}

/// A format whose files say how triangles look.
struct Dressed {
    /// Its name in [`super::FORMATS`].
    format: &'static str,
    looks: fn(&Source<'_>) -> Result<Looks, Fault>,
}

/// Every such format.
const ALL: &[Dressed] =
    &[Dressed { format: "glTF", looks: gltf::looks }, Dressed { format: "OBJ", looks: mtl::looks }];

/// Reads how the triangles of a mesh file look.
///
/// # Errors
/// As [`super::read`].
pub fn looks(path: &Path) -> Result<Looks, MeshError> {
    let fail = |cause| MeshError { file: path.to_path_buf(), place: Place::Whole, cause };
    let format = Format::of(path).map_err(fail)?;
    if !ALL.iter().any(|known| known.format == format.name) {
        return Ok(Looks::default());
    }
    let bytes = contents(path).map_err(fail)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |name: &str| neighbours::read(folder, name);
    looks_of(format, &Source { name: path, bytes: &bytes, beside: &beside })
}

/// Reads how the triangles of a mesh in memory look.
///
/// # Errors
/// As [`super::read`].
pub fn looks_of(format: &Format, source: &Source<'_>) -> Result<Looks, MeshError> {
    match ALL.iter().find(|known| known.format == format.name) {
        Some(known) => (known.looks)(source).map_err(|fault| fault.of(source.name.to_path_buf())),
        None => Ok(Looks::default()),
    }
}

/// The picture in the bytes of a file called `name`, or why it is none.
pub(super) fn picture(bytes: &[u8], name: &str) -> Result<Image, String> {
    crate::image::decode(Path::new(name), bytes).map_err(|error| error.to_string())
}
