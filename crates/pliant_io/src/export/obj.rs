//! OBJ: one text per frame, which everything reads.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use super::error::at;
use super::{ExportError, Format, Frame, Part, Target, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "obj",
    about: "one OBJ per frame, its parts as objects: everything reads it",
    create: |target| Ok(Box::new(Sequence { target: target.clone(), frames: 0 })),
};

struct Sequence {
    target: Target,
    frames: usize,
}

impl Writer for Sequence {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        write(&frame.parts, &self.target.path_at(self.frames, ".obj"))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let files = vec![self.target.path_at(0, ".obj")];
        let hint = format!("{} files in {}; y is up", self.frames, self.target.folder.display());
        Ok(Written { files, hint })
    }
}

/// One part as a file.
pub(super) fn write_part(part: &Part, path: &Path) -> Result<(), ExportError> {
    write(std::slice::from_ref(part), path)
}

fn write(parts: &[Part], path: &Path) -> Result<(), ExportError> {
    let mut text = String::from("# metres, y up\n");
    // Indices count from 1, through all objects.
    let mut first = 1;
    for part in parts {
        object(part, first, &mut text);
        first += part.positions.len();
    }
    let mut draft = Draft::create(path).map_err(at(path))?;
    draft.write_all(text.as_bytes()).map_err(at(path))?;
    draft.publish().map_err(at(path))
}

fn object(part: &Part, first: usize, text: &mut String) {
    let number = |i: u32| first + i as usize;
    // Writing to a String cannot fail.
    let _ = writeln!(text, "o {}", part.name);
    for x in &part.positions {
        let _ = writeln!(text, "v {} {} {}", x.x, x.y, x.z);
    }
    for &[a, b, c] in &part.triangles {
        let _ = writeln!(text, "f {} {} {}", number(a), number(b), number(c));
    }
    for &[a, b] in &part.lines {
        let _ = writeln!(text, "l {} {}", number(a), number(b));
    }
}
