//! Surfaces written to files, registry [`WRITERS`].

use std::io::{self, BufWriter, Write};
use std::path::Path;

use pliant::glam::Vec3;
use pliant::mesh::TriMesh;

use super::{Cause, MeshError, Place};
use crate::draft::Draft;

/// A format in which a surface can be written.
pub struct Writer {
    /// The ending of the names of its files, in lower case and without the dot.
    pub extension: &'static str,
    write: fn(&TriMesh, &mut dyn Write) -> io::Result<()>,
}

/// Every format that is written, in alphabetical order.
pub const WRITERS: &[Writer] = &[
    Writer { extension: "obj", write: obj },
    Writer { extension: "off", write: off },
    Writer { extension: "ply", write: ply },
    Writer { extension: "stl", write: stl },
];

/// Writes a surface, in the format that the ending of the name says. The file appears when it is
/// complete.
///
/// # Errors
/// If the ending belongs to no format that is written, or the file cannot be.
pub fn write(mesh: &TriMesh, path: &Path) -> Result<(), MeshError> {
    let fail = |cause| MeshError { file: path.to_path_buf(), place: Place::Whole, cause };
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let writer = WRITERS.iter().find(|writer| writer.extension == extension);
    let writer = writer.ok_or_else(|| fail(Cause::UnknownFormat { extension }))?;
    let publish = || {
        let mut draft = Draft::create(path)?;
        let mut out = BufWriter::new(&mut draft);
        (writer.write)(mesh, &mut out)?;
        out.flush()?;
        drop(out);
        draft.publish()
    };
    publish().map_err(|error| fail(Cause::Io(error)))
}

/// Counted from 1.
fn obj(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    for Vec3 { x, y, z } in &mesh.positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1)?;
    }
    Ok(())
}

fn off(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "OFF\n{} {} 0", mesh.positions.len(), mesh.triangles.len())?;
    for Vec3 { x, y, z } in &mesh.positions {
        writeln!(out, "{x} {y} {z}")?;
    }
    mesh.triangles.iter().try_for_each(|[a, b, c]| writeln!(out, "3 {a} {b} {c}"))
}

fn ply(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n\
         property float y\nproperty float z\nelement face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )?;
    for x in &mesh.positions {
        x.to_array().iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))?;
    }
    for triangle in &mesh.triangles {
        out.write_all(&[3])?;
        triangle.iter().try_for_each(|corner| out.write_all(&corner.to_le_bytes()))?;
    }
    Ok(())
}

/// Binary. The normal is that of the corners' order.
fn stl(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[b' '; 80])?;
    out.write_all(&(mesh.triangles.len() as u32).to_le_bytes())?;
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for x in [normal, a, b, c] {
            x.to_array().iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))?;
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::solids::torus::torus;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let ring = torus(0.35, 0.15, 16);
        let folder = std::env::temp_dir().join(format!("pliant-write-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for writer in WRITERS {
            let path = folder.join("ring").with_extension(writer.extension);
            write(&ring, &path).unwrap();
            let read = crate::mesh::read(&path).unwrap().surface.mesh;
            assert_eq!(read.triangles.len(), ring.triangles.len(), "{}", writer.extension);
            let off = (read.volume() - ring.volume()).abs();
            assert!(off < 1e-6, "{}: the volume is off by {off} m³", writer.extension);
            if writer.extension != "stl" {
                assert_eq!(read, ring, "{}", writer.extension);
            }
        }
        let wrong = write(&ring, &folder.join("ring.xyz")).unwrap_err().to_string();
        assert!(wrong.contains("xyz"), "{wrong}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
