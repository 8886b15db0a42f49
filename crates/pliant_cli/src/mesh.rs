//! `pliant mesh`: what is in a mesh file, what is wrong with it, what it looks like, and what body
//! it becomes.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant::mesh::body::Stock;
use pliant::mesh::repair::{Repair, Report, TetReport};
use pliant_io::image;
use pliant_io::mesh::{self, Format, Grid, Imported};
use serde_json::{Value, json};

use crate::Command;
use body::Built;

mod body;
mod picture;

pub(crate) const COMMAND: &Command = &Command {
    name: "mesh",
    about: "Read a mesh, repair it, say what was found, draw it, and make a body of it",
    args,
    run,
};

fn args(command: clap::Command) -> clap::Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let endings: Vec<_> =
        mesh::FORMATS.iter().flat_map(|format| format.extensions).copied().collect();
    body::args(command)
        .arg(Arg::new("file").required(true).help(format!("one of: {}", endings.join(", "))))
        .arg(
            option("scale", "FACTOR")
                .value_parser(value_parser!(f32))
                .default_value("1")
                .help("multiply all coordinates, such as 0.001 for millimetres"),
        )
        .arg(
            option("weld", "PART")
                .value_parser(value_parser!(f32))
                .default_value("0.000001")
                .help("join vertices this close, as a part of the diagonal"),
        )
        .arg(
            option("fill-holes", "EDGES")
                .value_parser(value_parser!(usize))
                .default_value("0")
                .help("close holes of at most so many edges"),
        )
        .arg(option("out", "FOLDER").default_value("out").help("for the pictures"))
        .arg(
            option("width", "N")
                .value_parser(value_parser!(u32).range(16..=4096))
                .default_value("960")
                .help("of the pictures, in pixels"),
        )
        .arg(flag("json").help("report as JSON"))
        .arg(flag("no-picture").help("only report"))
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let file = Path::new(matches.get_one::<String>("file").map_or("", String::as_str));
    let mut imported = mesh::read(file)?;
    scale(&mut imported, *matches.get_one("scale").unwrap_or(&1.0))?;
    let findings = Findings::of(file, imported, &how(matches))?;
    let surface = &findings.stock.surface;
    let pictures = !matches.get_flag("no-picture") && !surface.mesh.triangles.is_empty();
    let picture = pictures.then(|| picture_path(file, "", matches)).transpose()?;
    if let Some(path) = &picture {
        image::write(&picture::surface(surface, width(matches)), path)?;
    }
    let built = Built::of(&findings.stock, matches)?;
    let body_picture =
        built.as_ref().filter(|_| pictures).map(|_| picture_path(file, ".body", matches));
    let body_picture = body_picture.transpose()?;
    if let (Some(built), Some(path)) = (&built, &body_picture) {
        image::write(&picture::body(built, surface, width(matches)), path)?;
    }
    if matches.get_flag("json") {
        let mut value = findings.json(picture.as_deref());
        value["body"] = built.as_ref().map_or(Value::Null, Built::json);
        println!("{value:#}");
        return Ok(());
    }
    findings.print();
    built.iter().for_each(Built::print);
    println!();
    for path in picture.iter().chain(&body_picture) {
        println!("wrote {}", path.display());
    }
    match (built, matches.get_one::<f32>("drop")) {
        (Some(built), Some(&seconds)) => built.drop_on_floor(seconds, &stem(file), matches),
        _ => Ok(()),
    }
}

fn how(matches: &ArgMatches) -> Repair {
    Repair {
        weld: *matches.get_one("weld").unwrap_or(&1e-6),
        fill_holes: *matches.get_one("fill-holes").unwrap_or(&0),
        ..Repair::default()
    }
}

fn scale(imported: &mut Imported, factor: f32) -> Result<(), Box<dyn Error>> {
    if !(factor > 0.0 && factor.is_finite()) {
        return Err(format!("--scale {factor}: expected a number above 0").into());
    }
    let surface = &mut imported.surface.mesh.positions;
    surface.iter_mut().chain(&mut imported.tets.positions).for_each(|x| *x *= factor);
    if let Some(grid) = &mut imported.grid {
        grid.origin *= factor;
        grid.spacing *= factor;
        grid.values.iter_mut().for_each(|distance| *distance *= factor);
    }
    Ok(())
}

/// What a file turned out to be.
struct Findings {
    file: PathBuf,
    format: &'static Format,
    imported: Imported,
    stock: Stock,
}

impl Findings {
    fn of(file: &Path, imported: Imported, how: &Repair) -> Result<Self, Box<dyn Error>> {
        let format = Format::of(file).map_err(|cause| cause.to_string())?;
        let stock = imported.stock(how).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Self { file: file.to_path_buf(), format, imported, stock })
    }

    fn print(&self) {
        println!("{}: {}, {}", self.file.display(), self.format.name, self.format.about);
        for skipped in &self.imported.skipped {
            println!("not read: {skipped}");
        }
        if let Some(tets) = &self.stock.tets {
            println!("\n{}", tets.report);
        }
        if let Some(grid) = &self.imported.grid {
            print_grid(grid);
        }
        if self.stock.surface.report.given[1] > 0 {
            let of = if self.is_skin() { "outside of the tetrahedra" } else { "surface" };
            println!("\n{of}\n{}", self.stock.surface.report);
        }
    }

    /// Whether the surface is that of tetrahedra, because the file has none.
    fn is_skin(&self) -> bool {
        self.imported.surface.mesh.triangles.is_empty()
    }

    fn json(&self, picture: Option<&Path>) -> Value {
        let skipped: Vec<_> = self.imported.skipped.iter().map(ToString::to_string).collect();
        let grid = self.imported.grid.as_ref();
        json!({
            "file": self.file.display().to_string(),
            "format": self.format.name,
            "not_read": skipped,
            "surface": json_surface(&self.stock.surface.report),
            "surface_is_outside_of_tetrahedra": self.is_skin(),
            "tetrahedra": self.stock.tets.as_ref().map(|tets| json_tets(&tets.report)),
            "grid": grid.map(|g| json!({ "size": g.size, "spacing_m": g.spacing })),
            "picture": picture.map(|path| path.display().to_string()),
        })
    }
}

fn print_grid(grid: &Grid) {
    let [x, y, z] = grid.size;
    let least = grid.values.iter().copied().fold(f32::INFINITY, f32::min);
    let most = grid.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    println!("\n{:<26} {:>12}", "grid", format!("{x} × {y} × {z}"));
    println!("{:<26} {:>12} m", "spacing", grid.spacing);
    println!("{:<26} {:>12} m", "distances", format!("{least} to {most}"));
}

fn json_surface(report: &Report) -> Value {
    let scale = report.scale().map(|s| json!({ "looks_like": s.unit, "factor": s.factor }));
    json!({
        "vertices": { "given": report.given[0], "now": report.now[0] },
        "triangles": { "given": report.given[1], "now": report.now[1] },
        "welded": report.welded,
        "unused": report.unused,
        "degenerate": report.degenerate,
        "duplicate": report.duplicate,
        "turned": report.turned,
        "junctions": report.junctions,
        "split": report.split,
        "filled_holes": report.filled,
        "holes": report.holes,
        "boundary_edges": report.boundary_edges,
        "flat": report.flat,
        "parts": report.parts,
        "closed_parts": report.closed_parts,
        "cavities": report.cavities,
        "one_sided_parts": report.one_sided_parts,
        "closed": report.is_closed(),
        "volume_m3": report.volume,
        "area_m2": report.area,
        "bounds_m": report.bounds.map(|x| x.to_array()),
        "edges_m": report.edges,
        "scale": scale,
    })
}

fn json_tets(report: &TetReport) -> Value {
    json!({
        "vertices": { "given": report.given[0], "now": report.now[0] },
        "tetrahedra": { "given": report.given[1], "now": report.now[1] },
        "unused": report.unused,
        "flat": report.flat,
        "duplicate": report.duplicate,
        "turned": report.turned,
        "poor": report.poor,
        "volume_m3": report.volume,
        "volumes_m3": report.volumes,
        "worst_quality": report.worst,
    })
}

fn picture_path(file: &Path, what: &str, matches: &ArgMatches) -> Result<PathBuf, Box<dyn Error>> {
    let folder = matches.get_one::<String>("out").map_or("out", String::as_str);
    fs::create_dir_all(folder)
        .map_err(|e| format!("{folder}: {e}; choose another folder with --out"))?;
    Ok(Path::new(folder).join(format!("{}{what}.png", stem(file))))
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn width(matches: &ArgMatches) -> u32 {
    *matches.get_one("width").unwrap_or(&960)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: &str =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nl 1 2\n";

    fn matches(arguments: &[&str]) -> ArgMatches {
        args(clap::Command::new("mesh")).get_matches_from([&["mesh"], arguments].concat())
    }

    #[test]
    fn a_file_becomes_a_report_and_a_picture() {
        let folder = std::env::temp_dir().join(format!("pliant-mesh-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tetrahedron.v2.obj");
        fs::write(&file, TETRAHEDRON).unwrap();
        let [path, out] = [&file, &folder].map(|path| path.to_str().unwrap());
        let matches = matches(&[path, "--out", out, "--width", "64", "--scale", "2", "--json"]);
        run(&matches).unwrap();
        let picture = fs::read(folder.join("tetrahedron.v2.png")).unwrap();
        let mut imported = mesh::read(&file).unwrap();
        scale(&mut imported, 2.0).unwrap();
        let json = Findings::of(&file, imported, &how(&matches)).unwrap().json(None);
        fs::remove_dir_all(&folder).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
        assert_eq!(json["surface"]["closed"], true);
        assert_eq!(json["surface"]["unused"], 1);
        assert_eq!(json["not_read"][0], "1 points and lines");
        let volume = json["surface"]["volume_m3"].as_f64().unwrap();
        assert!((volume - 8.0 / 6.0).abs() < 1e-6, "{volume}");
    }

    #[test]
    fn a_file_becomes_a_body_that_is_drawn_and_dropped() {
        let folder = std::env::temp_dir().join(format!("pliant-body-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tetrahedron.obj");
        fs::write(&file, TETRAHEDRON).unwrap();
        let [path, out] = [&file, &folder].map(|path| path.to_str().unwrap());
        for way in [["--lattice", "200"], ["--tets", "200"], ["--cage", "0.3"], ["--springs", "4"]]
        {
            let common = [path, "--out", out, "--width", "64", "--drop", "0.1"];
            run(&matches(&[&common[..], &way].concat())).unwrap();
            for name in ["tetrahedron.png", "tetrahedron.body.png", "tetrahedron.drop.gif"] {
                assert!(!fs::read(folder.join(name)).unwrap().is_empty(), "{name}");
                fs::remove_file(folder.join(name)).unwrap();
            }
        }
        let matches = matches(&[path, "--shell", "--material", "jelly", "--no-picture"]);
        let refused = run(&matches).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(refused.contains("a sheet: silk"), "{refused}");
    }

    #[test]
    fn what_is_wrong_is_explained() {
        let error = |arguments: &[&str]| run(&matches(arguments)).unwrap_err().to_string();
        assert!(error(&["no-such.obj"]).contains("no-such.obj"));
        assert!(error(&["mesh.blend"]).contains("obj, off, ply"));
        assert!(scale(&mut Imported::default(), f32::NAN).is_err());
        assert!(scale(&mut Imported::default(), 0.0).is_err());
    }
}
