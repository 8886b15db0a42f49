//! `pliant mesh`: what is in a mesh file, what is wrong with it, and what it looks like.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{Repair, Repaired, Report, TetReport, repair, repair_tets};
use pliant::raster::{self, Item, Material, Mesh, Scene, Shading, srgb};
use pliant_io::image;
use pliant_io::mesh::{self, Format, Grid, Imported};
use serde_json::{Value, json};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "mesh",
    about: "Read a mesh, repair it, say what was found, and draw it",
    args,
    run,
};

/// Colours of the outside and the inside (sRGB): one sees at once where a surface is open.
const OUTSIDE: u32 = 0x4c9f70;
const INSIDE: u32 = 0xd7263d;

/// A surface of fewer triangles is drawn with edges: it is more likely a box than a ball.
const ROUND: usize = 200;

fn args(command: clap::Command) -> clap::Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let endings: Vec<_> =
        mesh::FORMATS.iter().flat_map(|format| format.extensions).copied().collect();
    command
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
        .arg(option("out", "FOLDER").default_value("out").help("for the picture"))
        .arg(
            option("width", "N")
                .value_parser(value_parser!(u32).range(16..=4096))
                .default_value("960")
                .help("of the picture, in pixels"),
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
    let picture = match matches.get_flag("no-picture") || findings.surface.mesh.triangles.is_empty()
    {
        true => None,
        false => Some(draw(&findings.surface, &picture_path(file, matches)?, matches)?),
    };
    if matches.get_flag("json") {
        println!("{:#}", findings.json(picture.as_deref()));
        return Ok(());
    }
    findings.print();
    if let Some(picture) = picture {
        println!("\nwrote {}", picture.display());
    }
    Ok(())
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

/// What a file turned out to be. A body is made from `surface`, `tets` or `grid`.
struct Findings {
    file: PathBuf,
    format: &'static Format,
    imported: Imported,
    surface: Repaired,
    tets: Option<TetReport>,
}

impl Findings {
    fn of(file: &Path, mut imported: Imported, how: &Repair) -> Result<Self, Box<dyn Error>> {
        let format = Format::of(file).map_err(|cause| cause.to_string())?;
        let say = |error| format!("{}: {error}", file.display());
        let mut tets = None;
        if !imported.tets.tets.is_empty() {
            let body = repair_tets(&imported.tets).map_err(say)?;
            imported.tets = body.mesh;
            tets = Some(body.report);
        }
        let surface = repair(&imported.skin().mesh, how).map_err(say)?;
        Ok(Self { file: file.to_path_buf(), format, imported, surface, tets })
    }

    fn print(&self) {
        println!("{}: {}, {}", self.file.display(), self.format.name, self.format.about);
        for skipped in &self.imported.skipped {
            println!("not read: {skipped}");
        }
        if let Some(tets) = &self.tets {
            println!("\n{tets}");
        }
        if let Some(grid) = &self.imported.grid {
            print_grid(grid);
        }
        if self.surface.report.given[1] > 0 {
            let of = if self.is_skin() { "outside of the tetrahedra" } else { "surface" };
            println!("\n{of}\n{}", self.surface.report);
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
            "surface": json_surface(&self.surface.report),
            "surface_is_outside_of_tetrahedra": self.is_skin(),
            "tetrahedra": self.tets.as_ref().map(json_tets),
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

fn picture_path(file: &Path, matches: &ArgMatches) -> Result<PathBuf, Box<dyn Error>> {
    let folder = matches.get_one::<String>("out").map_or("out", String::as_str);
    fs::create_dir_all(folder)
        .map_err(|e| format!("{folder}: {e}; choose another folder with --out"))?;
    let name = file.file_stem().unwrap_or_default();
    Ok(Path::new(folder).join(name).with_added_extension("png"))
}

fn draw(surface: &Repaired, path: &Path, matches: &ArgMatches) -> Result<PathBuf, Box<dyn Error>> {
    let TriMesh { positions, triangles } = surface.mesh.clone();
    let mut scene = Scene::framing(surface.report.bounds);
    let material = Material { color: srgb(OUTSIDE), ..Material::default() };
    let back = Some(srgb(INSIDE));
    let shading = if triangles.len() < ROUND { Shading::Flat } else { Shading::Smooth };
    let mesh = Mesh { positions, triangles, material, back, shading, ..Mesh::default() };
    scene.items.push(Item::Mesh(mesh));
    let width = *matches.get_one::<u32>("width").unwrap_or(&960);
    image::write(&raster::render(&scene, width, width * 3 / 4), path)?;
    Ok(path.to_path_buf())
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
    fn what_is_wrong_is_explained() {
        let error = |arguments: &[&str]| run(&matches(arguments)).unwrap_err().to_string();
        assert!(error(&["no-such.obj"]).contains("no-such.obj"));
        assert!(error(&["mesh.blend"]).contains("obj, off, ply"));
        assert!(scale(&mut Imported::default(), f32::NAN).is_err());
        assert!(scale(&mut Imported::default(), 0.0).is_err());
    }
}
