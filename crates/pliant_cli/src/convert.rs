//! `pliant convert`: a run, a recording or a mesh in another format.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches, value_parser};
use pliant_io::export::{ExportError, FORMATS, Frame, Part, Recording};
use pliant_io::mesh;

use crate::Command;
use crate::export::Exports;
use crate::replay::Replay;

pub(crate) const COMMAND: &Command = &Command {
    name: "convert",
    about: "Write a run, a recording of one (`--export recording`), or a mesh, in another format",
    args: |command| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let option =
            |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
        command
            .arg(
                Arg::new("from")
                    .required(true)
                    .help("the folder of a run, which is run again; a recording; or a mesh"),
            )
            .arg(
                Arg::new("export")
                    .long("to")
                    .value_name("FORMATS")
                    .required(true)
                    .value_delimiter(',')
                    .help(format!("{}, with commas between them", names.join(", "))),
            )
            .arg(option("out", "FOLDER").help("for the files; without, that of the run, or out"))
            .arg(
                option("fps", "N")
                    .value_parser(value_parser!(f64))
                    .default_value("60")
                    .help("frames per second of the recording"),
            )
            .arg(
                option("scale", "FACTOR")
                    .value_parser(value_parser!(f32))
                    .default_value("1")
                    .help("multiply the coordinates of a mesh, such as 0.001 for millimetres"),
            )
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let from = Path::new(matches.get_one::<String>("from").map_or("", String::as_str));
    let out = matches.get_one::<String>("out").map(Path::new);
    if from.is_dir() {
        return convert_run(from, out.unwrap_or(from), matches);
    }
    let name = from.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let fps = *matches.get_one::<f64>("fps").unwrap_or(&60.0);
    if !(fps > 0.0 && fps.is_finite()) {
        return Err(format!("--fps {fps}: expected a number above 0").into());
    }
    // What is wrong with the input is said before files are begun.
    let is_mesh = mesh::Format::of(from).is_ok();
    let one = if is_mesh { Some(frame_of_mesh(from, &name, matches)?) } else { None };
    let recording = if is_mesh { None } else { Some(Recording::open(from)?) };
    let mut exports = Exports::new(matches, out.unwrap_or("out".as_ref()), &name, fps)?;
    let frames = one.into_iter().map(Ok).chain(recording.into_iter().flatten());
    for (written, frame) in frames.enumerate() {
        match frame {
            // What ended the run ended the recording as well: all that is whole is of use.
            Err(damaged @ ExportError::Damaged { .. }) if written > 0 => {
                eprintln!("pliant: {damaged}; the {written} frames before it are written");
            }
            frame => exports.write(&frame?)?,
        }
    }
    exports.finish()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Runs are the same whenever they are run: nothing but the scene has to be kept for this.
fn convert_run(from: &Path, out: &Path, matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let replay = Replay::open(from)?;
    let mut exports = Exports::new(matches, out, "run", replay.play.fps)?;
    replay.run(|play| exports.frame(&play.world))?;
    exports.finish()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// The surface of a mesh, as a world at one time.
fn frame_of_mesh(path: &Path, name: &str, matches: &ArgMatches) -> Result<Frame, Box<dyn Error>> {
    let scale = *matches.get_one::<f32>("scale").unwrap_or(&1.0);
    if !(scale.is_finite() && scale != 0.0) {
        return Err(format!("--scale {scale}: expected a finite number that is not 0").into());
    }
    let surface = mesh::read(path)?.skin().mesh;
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let part = Part {
        name: name.chars().map(letters).collect(),
        positions: surface.positions.iter().map(|&x| x * scale).collect(),
        triangles: surface.triangles,
        ..Part::default()
    };
    Ok(Frame { parts: vec![part], ..Frame::default() })
}
