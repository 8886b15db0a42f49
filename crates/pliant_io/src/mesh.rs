//! Meshes from files: surfaces, tetrahedra and grids of distances.
//!
//! ```no_run
//! use pliant::{World, mesh::body::Recipe, mesh::repair::Repair};
//!
//! let bunny = pliant_io::mesh::read("bunny.off".as_ref())?;
//! let stock = bunny.stock(&Repair::default())?;
//! println!("{}", stock.surface.report);
//! World::default().add(&stock.body(&Recipe::default())?.blueprint)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are not trusted. Counts are bounded by the bytes that are there, every index is checked,
//! files that a file names are opened only inside its own folder, and an error says what was
//! expected where. What a file has and is not read, such as lines or skeletons, is listed.

mod base64;
mod binary;
mod cells;
mod error;
mod gltf;
mod gmsh;
mod looks;
mod mtl;
pub(crate) mod neighbours;
mod obj;
mod off;
mod ply;
mod sdf;
mod stl;
mod tetgen;
mod text;
mod values;
mod vtk;
mod vtu;
mod xml;

pub use error::{Cause, MeshError, Place, Skipped};
pub use looks::{Looks, Material, Origin, looks, looks_of};

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use error::Fault;
use pliant::glam::{UVec3, Vec2, Vec3};
use pliant::mesh::body::Stock;
use pliant::mesh::repair::{Repair, RepairError};
use pliant::mesh::{Aabb, Resolution, TetMesh, TriMesh, boundary, grid};

/// A format in which a mesh can be read.
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Endings of the names of its files, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// One sentence: what it holds.
    pub about: &'static str,
    read: fn(&Source<'_>) -> Result<Imported, Fault>,
}

/// Every format, in alphabetical order.
pub const FORMATS: &[Format] = &[
    gltf::FORMAT,
    gmsh::FORMAT,
    obj::FORMAT,
    off::FORMAT,
    ply::FORMAT,
    sdf::FORMAT,
    stl::FORMAT,
    tetgen::FORMAT,
    vtk::FORMAT,
    vtu::FORMAT,
];

/// Most bytes of a file that are read.
const LARGEST: u64 = 1 << 31;

/// A file in memory.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its name, for errors and for formats that are two files.
    pub name: &'a Path,
    /// Its contents.
    pub bytes: &'a [u8],
    /// Reads another file of the same folder, by the name that the file gives.
    pub beside: &'a Beside<'a>,
}

/// Reads a file beside another.
pub type Beside<'a> = dyn Fn(&str) -> Result<Vec<u8>, Cause> + 'a;

/// What a file gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The triangles of the file, as they are there.
    pub surface: Surface,
    /// The tetrahedra of the file, as they are there.
    pub tets: TetMesh,
    /// The distances of the file.
    pub grid: Option<Grid>,
    /// What else there was.
    pub skipped: Vec<Skipped>,
}

impl Imported {
    /// The surface to look at: that of the file, or else the outside of its tetrahedra.
    pub fn skin(&self) -> Surface {
        if !self.surface.mesh.triangles.is_empty() {
            return self.surface.clone();
        }
        // A tetrahedron that repeats a corner has no sides.
        let whole = |tet: &&[u32; 4]| (1..4).all(|k| !tet[..k].contains(&tet[k]));
        let tets: Vec<_> = self.tets.tets.iter().filter(whole).copied().collect();
        let mesh = cells::only_used(&self.tets.positions, boundary(&tets));
        Surface { mesh, ..Surface::default() }
    }

    /// Repairs surface and tetrahedra, so that bodies can be made of them. Of a file with distances
    /// only, what is inside becomes tetrahedra.
    ///
    /// # Errors
    /// As [`Stock::new`].
    pub fn stock(&self, how: &Repair) -> Result<Stock, RepairError> {
        let given = !(self.surface.mesh.triangles.is_empty() && self.tets.tets.is_empty());
        let filled = self.grid.as_ref().filter(|_| !given).and_then(Grid::fill);
        Stock::new(&self.surface.mesh, filled.as_ref().unwrap_or(&self.tets), how)
    }

    fn is_empty(&self) -> bool {
        self.surface.mesh.triangles.is_empty() && self.tets.tets.is_empty() && self.grid.is_none()
    }
}

/// A surface to draw. At seams, where normals or texture coordinates differ between triangles, it
/// has several vertices in one place; [`pliant::mesh::repair`] joins them and says which.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Where it is (m).
    pub mesh: TriMesh,
    /// One direction per vertex, as the file has them (of any length, 0 for none); or nothing.
    pub normals: Vec<Vec3>,
    /// One texture coordinate per vertex, as the file has them; or nothing.
    pub texture: Vec<Vec2>,
    /// Which triangles have which material, in the order of the triangles; or nothing.
    pub runs: Vec<Run>,
}

/// Triangles of one material: from the first on, up to the next run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: u32,
    /// The material, as the file calls it; in glTF it has a number.
    pub material: String,
}

/// Numbers on the points of a grid, such as the distance to a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Points along x, y and z.
    pub size: [usize; 3],
    /// The first point (m).
    pub origin: Vec3,
    /// Distance of neighbouring points (m).
    pub spacing: f32,
    /// The numbers; x runs fastest, z slowest.
    pub values: Vec<f32>,
}

impl Grid {
    /// Tetrahedra where the distance is negative, in cubes of two spacings; none if there is no
    /// such place, or the grid is not one.
    fn fill(&self) -> Option<TetMesh> {
        let counts = UVec3::from_array(self.size.map(|count| count as u32));
        let (origin, cell, values) = (self.origin, self.spacing, self.values.clone());
        let field = grid::Grid { origin, cell, counts, values };
        let whole = self.size.iter().product::<usize>() == field.values.len();
        let high = origin + (counts.max(UVec3::ONE) - 1).as_vec3() * cell;
        let bounds = Aabb { low: origin, high };
        let resolution = Resolution::Cell(2.0 * cell);
        let fill = || TetMesh::stuff_function(&|x| field.value(x), bounds, resolution).ok();
        if whole && counts.min_element() > 1 { fill() } else { None }
    }
}

/// Reads the mesh in a file, in the format that the ending of its name says.
///
/// # Errors
/// If the file cannot be read, or its contents are not what the format says; with the place.
pub fn read(path: &Path) -> Result<Imported, MeshError> {
    let fail = |cause| MeshError { file: path.to_path_buf(), place: Place::Whole, cause };
    let format = Format::of(path).map_err(fail)?;
    let bytes = contents(path).map_err(fail)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |name: &str| neighbours::read(folder, name);
    read_bytes(format, &Source { name: path, bytes: &bytes, beside: &beside })
}

/// Reads a mesh from memory.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(format: &Format, source: &Source<'_>) -> Result<Imported, MeshError> {
    let imported = (format.read)(source).map_err(|fault| fault.of(source.name.to_path_buf()))?;
    if imported.is_empty() {
        let cause = Cause::Empty { skipped: imported.skipped };
        return Err(Fault { place: Place::Whole, cause }.of(source.name.to_path_buf()));
    }
    Ok(imported)
}

/// For [`Source::beside`] where there is no folder: every name is refused.
///
/// # Errors
/// Always.
pub fn nothing_beside(name: &str) -> Result<Vec<u8>, Cause> {
    let reason = "is not at hand; pack everything into one file".to_owned();
    Err(Cause::Neighbour { name: name.to_owned(), reason })
}

impl Format {
    /// The format that the ending of a file's name says.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(path: &Path) -> Result<&'static Self, Cause> {
        let extension =
            path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        let found = FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()));
        found.ok_or(Cause::UnknownFormat { extension })
    }
}

/// The contents of a file of a reasonable size.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>, Cause> {
    // Asked before opening, because to open a pipe may wait forever.
    let metadata = fs::metadata(path).map_err(Cause::Io)?;
    if !metadata.is_file() {
        return Err(Cause::NotAFile);
    }
    let file = fs::File::open(path).map_err(Cause::Io)?;
    let mut bytes = Vec::new();
    // The file may be growing.
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(Cause::Io)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Cause::TooLarge { bytes: metadata.len(), limit: LARGEST });
    }
    Ok(bytes)
}

/// Counts what is not read.
#[derive(Default)]
struct Leftovers(BTreeMap<String, usize>);

/// Most kinds of leftovers that are told apart: their names may come from the file.
const MOST_LEFTOVERS: usize = 20;

impl Leftovers {
    fn add(&mut self, what: &str) {
        let what = if self.0.len() < MOST_LEFTOVERS { what } else { "other things" };
        match self.0.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(what.to_owned(), 1)),
        }
    }

    fn list(self) -> Vec<Skipped> {
        self.0.into_iter().map(|(what, count)| Skipped { what, count }).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Reads `bytes`, which must be in order.
    pub(super) fn import(format: &Format, bytes: &[u8]) -> Imported {
        try_import(format, bytes).unwrap()
    }

    /// Reads `bytes`, which must be wrong; what the error says.
    pub(super) fn refuse(format: &Format, bytes: &[u8]) -> String {
        try_import(format, bytes).unwrap_err().to_string()
    }

    fn try_import(format: &Format, bytes: &[u8]) -> Result<Imported, MeshError> {
        let source = Source { name: Path::new("mesh"), bytes, beside: &nothing_beside };
        read_bytes(format, &source)
    }

    #[test]
    fn an_unknown_ending_is_explained() {
        let error = read(Path::new("mesh.blend")).unwrap_err().to_string();
        assert!(error.contains("mesh.blend: no mesh format is called \"blend\""), "{error}");
        assert!(error.contains("obj, off, ply"), "{error}");
    }

    #[test]
    fn a_folder_is_not_a_mesh_and_a_missing_file_is_named() {
        let folder = std::env::temp_dir().join(format!("pliant-folder-{}.obj", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let error = read(&folder).unwrap_err();
        fs::remove_dir(&folder).unwrap();
        assert!(matches!(error.cause, Cause::NotAFile), "{error}");
        let error = read(Path::new("no-such-folder/mesh.obj")).unwrap_err();
        assert!(error.to_string().starts_with("no-such-folder/mesh.obj: "), "{error}");
    }

    #[test]
    fn a_grid_of_distances_becomes_a_body() {
        let size = [17; 3];
        let values = (0..17 * 17 * 17).map(|i| {
            let x = UVec3::new(i % 17, i / 17 % 17, i / 289).as_vec3() / 8.0 - 1.0;
            x.length() - 0.8
        });
        let grid =
            Grid { size, origin: Vec3::splat(-1.0), spacing: 0.125, values: values.collect() };
        let mut file = Imported { grid: Some(grid), ..Imported::default() };
        let stock = file.stock(&Repair::default()).unwrap();
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.8f64.powi(3);
        let volume = stock.surface.report.volume;
        assert!((volume / ball - 1.0).abs() < 0.05, "{volume} m³, not {ball}");
        assert!(stock.tets.is_some());
        // A grid that lies about its size is none.
        file.grid.as_mut().unwrap().values.pop();
        assert!(file.stock(&Repair::default()).unwrap().tets.is_none());
    }

    #[test]
    fn formats_are_in_order_and_no_ending_is_taken_twice() {
        assert!(FORMATS.is_sorted_by_key(|format| format.name.to_ascii_lowercase()));
        let mut endings: Vec<_> = FORMATS.iter().flat_map(|format| format.extensions).collect();
        let count = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), count);
    }
}
