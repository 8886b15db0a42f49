//! MDD: the times, then the positions of a part in every frame. Houdini, Blender and LightWave read it.

use std::io::Write;
use std::path::PathBuf;

use pliant::glam::Vec3;

use super::error::at;
use super::spool::Spool;
use super::{ExportError, Format, Frame, Part, Target, Writer, Written, obj};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "mdd",
    about: "motion designer data of each part, with its rest mesh as OBJ: Houdini, Blender",
    create: |target| {
        Ok(Box::new(Mdd {
            target: target.clone(),
            first: Vec::new(),
            spools: Vec::new(),
            times: Vec::new(),
        }))
    },
};

struct Mdd {
    target: Target,
    /// The parts of the first frame.
    first: Vec<Part>,
    /// Their positions: the file begins with the number of frames.
    spools: Vec<(PathBuf, Spool)>,
    /// When each frame was (s).
    times: Vec<f32>,
}

impl Writer for Mdd {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        if self.times.is_empty() {
            self.first.clone_from(&frame.parts);
            for part in &frame.parts {
                obj::write_part(part, &self.target.path_of(&part.name, ".obj"))?;
                let path = self.target.path_of(&part.name, ".mdd");
                let spool = Spool::beside(&path).map_err(at(&path))?;
                self.spools.push((path, spool));
            }
        }
        frame.check_same(&self.first, FORMAT.name, self.times.len())?;
        self.times.push(frame.time as f32);
        for ((path, spool), part) in self.spools.iter_mut().zip(&frame.parts) {
            let numbers = part.positions.iter().flat_map(Vec3::to_array);
            let bytes: Vec<u8> = numbers.flat_map(f32::to_be_bytes).collect();
            spool.write_all(&bytes).map_err(at(path))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let Self { first, spools, times, .. } = *self;
        let mut files = Vec::new();
        for (part, (path, mut spool)) in first.iter().zip(spools) {
            let size = |count: usize, what| {
                let too_large = |_| ExportError::TooLarge { path: path.clone(), what };
                i32::try_from(count).map(i32::to_be_bytes).map_err(too_large)
            };
            let counts = [size(times.len(), "frames")?, size(part.positions.len(), "vertices")?];
            let seconds: Vec<u8> = times.iter().flat_map(|time| time.to_be_bytes()).collect();
            let mut draft = Draft::create(&path).map_err(at(&path))?;
            draft.write_all(counts.as_flattened()).map_err(at(&path))?;
            draft.write_all(&seconds).map_err(at(&path))?;
            spool.copy_into(&mut draft).map_err(at(&path))?;
            draft.publish().map_err(at(&path))?;
            files.push(path);
        }
        let hint = "Houdini: a File SOP with the .obj, then an MDD SOP with the .mdd\n\
                    Blender: import the .obj, add a Mesh Cache modifier and leave its axes";
        Ok(Written { files, hint: hint.into() })
    }
}
