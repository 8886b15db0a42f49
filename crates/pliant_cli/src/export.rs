//! `--export`: a run in the formats of other programs.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches};
use pliant::World;
use pliant_io::export::{self, FORMATS, Frame, Target, Writer};

/// `--export NAMES`.
pub(crate) fn arg() -> Arg {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let help =
        format!("write every frame as well as: {}, with commas between them", names.join(", "));
    Arg::new("export").long("export").value_name("FORMATS").value_delimiter(',').help(help)
}

/// Writes every frame in all formats that were asked for.
#[derive(Default)]
pub(crate) struct Exports {
    writers: Vec<Box<dyn Writer>>,
}

impl Exports {
    /// Files in `folder` whose names begin with `name`.
    pub(crate) fn new(
        matches: &ArgMatches,
        folder: &Path,
        name: &str,
        fps: f64,
    ) -> Result<Self, Box<dyn Error>> {
        let target = Target { folder: folder.into(), name: name.into(), fps };
        let formats = matches.get_many::<String>("export").into_iter().flatten();
        let writers = formats.map(|format| export::create(format.trim(), &target));
        Ok(Self { writers: writers.collect::<Result<_, _>>()? })
    }

    /// Writes the world as it is now.
    pub(crate) fn frame(&mut self, world: &World) -> Result<(), Box<dyn Error>> {
        if self.writers.is_empty() {
            return Ok(());
        }
        self.write(&Frame::of(world))
    }

    pub(crate) fn write(&mut self, frame: &Frame) -> Result<(), Box<dyn Error>> {
        Ok(self.writers.iter_mut().try_for_each(|writer| writer.frame(frame))?)
    }

    /// Completes the files, and returns what is to be said about them.
    pub(crate) fn finish(self) -> Result<Vec<String>, Box<dyn Error>> {
        let mut lines = Vec::new();
        for writer in self.writers {
            let written = writer.finish()?;
            lines.extend(written.files.iter().map(|file| format!("wrote {}", file.display())));
            lines.extend(written.hint.lines().map(|line| format!("  {line}")));
        }
        Ok(lines)
    }
}
