//! `pliant convert`: a mesh in another format.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches, value_parser};
use pliant_io::mesh;

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "convert",
    about: "Read a mesh and write its surface in another format",
    args: |command| {
        let endings: Vec<_> = mesh::WRITERS.iter().map(|writer| writer.extension).collect();
        command
            .arg(Arg::new("from").required(true).help("a mesh that `pliant mesh` reads"))
            .arg(Arg::new("to").required(true).help(format!("one of: {}", endings.join(", "))))
            .arg(
                Arg::new("scale")
                    .long("scale")
                    .value_name("FACTOR")
                    .value_parser(value_parser!(f32))
                    .default_value("1")
                    .help("multiply all coordinates, such as 0.001 for millimetres"),
            )
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let path = |name: &str| Path::new(matches.get_one::<String>(name).map_or("", String::as_str));
    let scale = *matches.get_one::<f32>("scale").unwrap_or(&1.0);
    if !(scale.is_finite() && scale != 0.0) {
        return Err(format!("--scale {scale}: expected a finite number that is not 0").into());
    }
    let mut surface = mesh::read(path("from"))?.skin().mesh;
    surface.positions.iter_mut().for_each(|x| *x *= scale);
    mesh::write(&surface, path("to"))?;
    println!(
        "wrote {}: {} vertices, {} triangles",
        path("to").display(),
        surface.positions.len(),
        surface.triangles.len()
    );
    Ok(())
}
