//! NPZ: arrays for numpy, all frames of a part in one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pliant::glam::Vec3;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::error::at;
use super::spool::Spool;
use super::{ExportError, Format, Frame, Part, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "npz",
    about: "numpy arrays: times, and per part positions [frames, vertices, 3] and numbers",
    create: |target| {
        let path = target.path(".npz");
        Ok(Box::new(Npz { path, first: Vec::new(), spools: Vec::new(), times: Vec::new() }))
    },
};

struct Npz {
    path: PathBuf,
    /// The parts of the first frame.
    first: Vec<Part>,
    /// Of each part, its positions and then its attributes in all frames so far.
    spools: Vec<Vec<Spool>>,
    times: Vec<f64>,
}

impl Writer for Npz {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        if self.times.is_empty() {
            self.first.clone_from(&frame.parts);
            let spools = |part: &Part| {
                (0..=part.attributes.len()).map(|_| Spool::beside(&self.path)).collect()
            };
            self.spools = frame
                .parts
                .iter()
                .map(spools)
                .collect::<io::Result<_>>()
                .map_err(at(&self.path))?;
        }
        frame.check_same(&self.first, FORMAT.name, self.times.len())?;
        self.times.push(frame.time);
        for (part, spools) in frame.parts.iter().zip(&mut self.spools) {
            append(part, spools).map_err(at(&self.path))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written, ExportError> {
        let path = self.path.clone();
        self.write(&path).map_err(at(&path))?;
        let hint = format!("Python: numpy.load(\"{}\").files lists the arrays", path.display());
        Ok(Written { files: vec![path], hint })
    }
}

fn append(part: &Part, spools: &mut [Spool]) -> io::Result<()> {
    let mut spools = spools.iter_mut();
    let mut put = |numbers: &mut dyn Iterator<Item = f32>| {
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        spools.next().map_or(Ok(()), |spool| spool.write_all(&bytes))
    };
    put(&mut part.positions.iter().flat_map(Vec3::to_array))?;
    part.attributes.iter().try_for_each(|attribute| put(&mut attribute.values.iter().copied()))
}

impl Npz {
    fn write(&mut self, path: &Path) -> io::Result<()> {
        let mut archive = Archive { zip: ZipWriter::new(Draft::create(path)?) };
        let frames = self.times.len();
        let times: Vec<u8> = self.times.iter().flat_map(|time| time.to_le_bytes()).collect();
        archive.start("times", "<f8", &[frames])?.write_all(&times)?;
        for (part, spools) in self.first.iter().zip(&mut self.spools) {
            let (name, count) = (&part.name, part.positions.len());
            let rows =
                |rows: &[u32]| rows.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
            let shape = [part.triangles.len(), 3];
            archive
                .start(&format!("{name}.triangles"), "<u4", &shape)?
                .write_all(&rows(part.triangles.as_flattened()))?;
            archive
                .start(&format!("{name}.lines"), "<u4", &[part.lines.len(), 2])?
                .write_all(&rows(part.lines.as_flattened()))?;
            let mut spools = spools.iter_mut();
            if let Some(positions) = spools.next() {
                let out =
                    archive.start(&format!("{name}.positions"), "<f4", &[frames, count, 3])?;
                positions.copy_into(out)?;
            }
            for (attribute, values) in part.attributes.iter().zip(spools) {
                let array = format!("{name}.{}", attribute.name);
                values.copy_into(archive.start(&array, "<f4", &[frames, count])?)?;
            }
        }
        archive.zip.finish()?.publish()
    }
}

/// A zip file of `.npy` files, not compressed so that they can be mapped into memory.
struct Archive {
    zip: ZipWriter<Draft>,
}

impl Archive {
    /// Starts an array; its numbers follow.
    fn start(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
    ) -> io::Result<&mut ZipWriter<Draft>> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
        let mut header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
        // The format wants the numbers to begin at a multiple of 64 bytes, after a line break.
        const LEAD: usize = 10;
        let end = (LEAD + header.len() + 1).next_multiple_of(64);
        header.extend(std::iter::repeat_n(' ', end - LEAD - header.len() - 1));
        header.push('\n');
        self.zip.write_all(b"\x93NUMPY\x01\x00")?;
        self.zip.write_all(&(header.len() as u16).to_le_bytes())?;
        self.zip.write_all(header.as_bytes())?;
        Ok(&mut self.zip)
    }
}
