//! PLY: one binary file per frame, with numbers on the vertices.

use std::io::Write;

use super::error::at;
use super::{ExportError, Format, Frame, Target, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "ply",
    about: "one PLY per frame, all parts in one, with speed and strain on the vertices",
    create: |target| Ok(Box::new(Sequence { target: target.clone(), frames: 0 })),
};

struct Sequence {
    target: Target,
    frames: usize,
}

impl Writer for Sequence {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        let path = self.target.path_at(self.frames, ".ply");
        let mut draft = Draft::create(&path).map_err(at(&path))?;
        draft.write_all(header(frame).as_bytes()).map_err(at(&path))?;
        draft.write_all(&body(frame)).map_err(at(&path))?;
        draft.publish().map_err(at(&path))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let files = vec![self.target.path_at(0, ".ply")];
        let hint = format!(
            "{} files in {}; y is up; speed (m/s), strain and body are numbers on the vertices",
            self.frames,
            self.target.folder.display()
        );
        Ok(Written { files, hint })
    }
}

fn header(frame: &Frame) -> String {
    let count = |of: fn(&super::Part) -> usize| frame.parts.iter().map(of).sum::<usize>();
    let numbers: String =
        attributes(frame).map(|name| format!("property float {name}\n")).collect();
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment metres, y up, time {} s\n\
         element vertex {}\nproperty float x\nproperty float y\nproperty float z\n{numbers}\
         property int body\n\
         element face {}\nproperty list uchar uint vertex_indices\n\
         element edge {}\nproperty uint vertex1\nproperty uint vertex2\nend_header\n",
        frame.time,
        count(|part| part.positions.len()),
        count(|part| part.triangles.len()),
        count(|part| part.lines.len()),
    )
}

/// The numbers that the vertices have.
fn attributes(frame: &Frame) -> impl Iterator<Item = &'static str> + '_ {
    frame.parts.first().into_iter().flat_map(|part| part.attributes.iter().map(|a| a.name))
}

fn body(frame: &Frame) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, part) in frame.parts.iter().enumerate() {
        for (i, x) in part.positions.iter().enumerate() {
            bytes.extend(x.to_array().into_iter().flat_map(f32::to_le_bytes));
            bytes.extend(part.attributes.iter().flat_map(|a| a.values[i].to_le_bytes()));
            bytes.extend((number as i32).to_le_bytes());
        }
    }
    let firsts = || {
        frame.parts.iter().scan(0, |next, part| {
            let first = *next;
            *next += part.positions.len() as u32;
            Some((first, part))
        })
    };
    for (first, part) in firsts() {
        for triangle in &part.triangles {
            bytes.push(3);
            bytes.extend(triangle.iter().flat_map(|i| (first + i).to_le_bytes()));
        }
    }
    for (first, part) in firsts() {
        bytes.extend(part.lines.as_flattened().iter().flat_map(|i| (first + i).to_le_bytes()));
    }
    bytes
}
