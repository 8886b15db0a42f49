//! PC2: the positions of each part, frame after frame. Blender, Maya and 3ds Max read it beside a mesh.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pliant::glam::Vec3;

use super::error::at;
use super::{ExportError, Format, Frame, Part, Target, Writer, Written, obj};

pub(super) const FORMAT: Format = Format {
    name: "pc2",
    about: "point cache of each part, with its rest mesh as OBJ: Blender, Maya, 3ds Max",
    create: |target| {
        Ok(Box::new(Pc2 {
            target: target.clone(),
            first: Vec::new(),
            caches: Vec::new(),
            frames: 0,
        }))
    },
};

/// Where the number of frames stands in the file (bytes).
const COUNT_AT: u64 = 28;

struct Pc2 {
    target: Target,
    /// The parts of the first frame.
    first: Vec<Part>,
    caches: Vec<Cache>,
    frames: usize,
}

/// One file; its first bytes say how many frames may be read.
struct Cache {
    path: PathBuf,
    file: File,
}

impl Writer for Pc2 {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        if self.frames == 0 {
            self.first.clone_from(&frame.parts);
            for part in &frame.parts {
                obj::write_part(part, &self.target.path_of(&part.name, ".obj"))?;
                self.caches.push(Cache::create(&self.target.path_of(&part.name, ".pc2"), part)?);
            }
        }
        frame.check_same(&self.first, FORMAT.name, self.frames)?;
        self.frames += 1;
        for (cache, part) in self.caches.iter_mut().zip(&frame.parts) {
            cache.append(&part.positions, self.frames)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let hint = self.caches.first().map_or_else(String::new, |cache| hint(&cache.path));
        Ok(Written { files: self.caches.into_iter().map(|cache| cache.path).collect(), hint })
    }
}

impl Cache {
    /// A file without frames.
    fn create(path: &Path, part: &Part) -> Result<Self, ExportError> {
        let too_large = |_| ExportError::TooLarge { path: path.into(), what: "vertices" };
        let vertices = i32::try_from(part.positions.len()).map_err(too_large)?;
        let mut header = b"POINTCACHE2\0".to_vec();
        header.extend(1i32.to_le_bytes());
        header.extend(vertices.to_le_bytes());
        // First frame, frames between samples, and none so far.
        header.extend(0f32.to_le_bytes());
        header.extend(1f32.to_le_bytes());
        header.extend(0i32.to_le_bytes());
        let mut file = File::create(path).map_err(at(path))?;
        file.write_all(&header).map_err(at(path))?;
        Ok(Self { path: path.into(), file })
    }

    /// Writes the frame, and when it is on the disk raises the count.
    fn append(&mut self, positions: &[Vec3], count: usize) -> Result<(), ExportError> {
        let bytes: Vec<u8> =
            positions.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes).collect();
        let write = |file: &mut File| {
            file.seek(SeekFrom::End(0))?;
            file.write_all(&bytes)?;
            file.sync_data()?;
            file.seek(SeekFrom::Start(COUNT_AT))?;
            file.write_all(&(count as i32).to_le_bytes())
        };
        write(&mut self.file).map_err(at(&self.path))
    }
}

fn hint(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new(".")).display();
    format!(
        "Blender: import {name}.obj, add a Mesh Cache modifier with {} and leave its axes\n\
         Maya: import {name}.obj, select it, then \
         cacheFile -pc2 1 -pcf \"{}\" -f \"{name}\" -dir \"{folder}\" -format \"OneFile\"",
        path.display(),
        path.display()
    )
}
