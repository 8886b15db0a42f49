//! The body that a mesh becomes.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use clap::{Arg, ArgGroup, ArgMatches, value_parser};
use pliant::glam::{Quat, Vec3};
use pliant::material::presets::{self, Material};
use pliant::mesh::body::{Made, Recipe, Stock, Way};
use pliant::mesh::{Aabb, Resolution};
use pliant::{Collider, Config, World, look};
use serde_json::{Value, json};

use crate::camera::{Camera, Sight};
use crate::run::{FPS, progress, report};
use crate::timing::Timing;
use crate::{apply_settings, set_arg};

/// Substeps of a drop. At the usual 20 a lattice of 4 000 particles reaches a sixth of its stiffness,
/// and the bunny's ears hang.
const SUBSTEPS: u32 = 60;

/// Height from which bodies are dropped, as a part of their size.
const HEIGHT: f32 = 0.3;

/// Adds the options that ask for a body.
pub(super) fn args(command: clap::Command) -> clap::Command {
    let count = |name: &'static str, default: &'static str| {
        let number = value_parser!(u32).range(4..=10_000_000);
        let arg = Arg::new(name).long(name).value_name("N").value_parser(number);
        arg.num_args(0..=1).default_missing_value(default)
    };
    let flag = Arg::new("shell").long("shell").action(clap::ArgAction::SetTrue);
    let number = |name: &'static str| Arg::new(name).long(name).value_parser(value_parser!(f32));
    command
        .arg(count("lattice", "10000").help("make a body of about N linked particles"))
        .arg(
            count("tets", "0").value_parser(value_parser!(u32)).help(
                "make a body of about N tetrahedra; without N, of those in the file, or 10000",
            ),
        )
        .arg(number("cage").value_name("CELL").help("of tetrahedra of CELL metres around it"))
        .arg(flag.help("make a thin shell of it"))
        .arg(count("springs", "300").help("of springs between all of at most N vertices"))
        .group(ArgGroup::new("way").args(["lattice", "tets", "cage", "shell", "springs"]))
        .arg(
            Arg::new("material")
                .long("material")
                .value_name("NAME")
                .requires("way")
                .help("what the body is made of, such as jelly or cotton"),
        )
        .arg(
            number("drop")
                .value_name("SECONDS")
                .requires("way")
                .conflicts_with("json")
                .help("drop the body on a floor, and leave an animation"),
        )
        .arg(set_arg().requires("drop").help("change a setting, such as substeps=40"))
}

/// A body and how long it took.
pub(super) struct Built {
    pub(super) made: Made,
    seconds: f64,
}

impl Built {
    /// The body that was asked for, if one was.
    pub(super) fn of(stock: &Stock, matches: &ArgMatches) -> Result<Option<Self>, Box<dyn Error>> {
        let Some(way) = way(stock, matches) else { return Ok(None) };
        let name = matches.get_one::<String>("material");
        let recipe = Recipe { way, material: name.map(|name| material(name)).transpose()? };
        let start = Instant::now();
        let made = stock.body(&recipe)?;
        Ok(Some(Self { made, seconds: start.elapsed().as_secs_f64() }))
    }

    pub(super) fn print(&self) {
        let Made { blueprint, material, tets } = &self.made;
        println!("\nbody: {}", blueprint.name);
        let count = |what: &str, count: usize| println!("{what:<26} {count:>12}");
        count("particles", blueprint.positions.len());
        for set in &blueprint.sets {
            count(&format!("{} constraints", set.kind().name), set.len());
        }
        if let Some(tets) = tets {
            let quality = tets.quality();
            let [least, greatest] = quality.dihedral.map(f64::to_degrees);
            count("tetrahedra", tets.tets.len());
            count("inverted", quality.inverted);
            println!("{:<26} {:>12} °", "dihedral angles", format!("{least:.1} to {greatest:.1}"));
            println!("{:<26} {:>12.5e} m³", "volume of tetrahedra", quality.volume);
        }
        println!("{:<26} {:>12.5e} kg", "mass", self.made.mass());
        println!("{:<26} {:>12} m", "kept from colliders", blueprint.radius);
        println!("{:<26} {}", "material", describe(material));
        println!("{:<26} {:>12.3} s", "made in", self.seconds);
    }

    pub(super) fn json(&self) -> Value {
        let Made { blueprint, material, tets } = &self.made;
        let constraints = blueprint.sets.iter();
        let constraints: serde_json::Map<_, _> =
            constraints.map(|set| (set.kind().name.to_owned(), json!(set.len()))).collect();
        let tets = tets.as_ref().map(|tets| {
            let quality = tets.quality();
            json!({
                "count": tets.tets.len(),
                "inverted": quality.inverted,
                "dihedral_degrees": quality.dihedral.map(f64::to_degrees),
                "volume_m3": quality.volume,
            })
        });
        json!({
            "name": blueprint.name,
            "particles": blueprint.positions.len(),
            "constraints": constraints,
            "tetrahedra": tets,
            "mass_kg": self.made.mass(),
            "radius_m": blueprint.radius,
            "material": describe(material),
            "seconds": self.seconds,
        })
    }

    /// Drops the body on a floor for so long (s), and leaves an animation called `name`.
    pub(super) fn drop_on_floor(
        self,
        seconds: f32,
        name: &str,
        matches: &ArgMatches,
    ) -> Result<(), Box<dyn Error>> {
        if !(0.0..=3600.0).contains(&seconds) {
            return Err(format!("--drop {seconds}: expected 0 to 3600 s").into());
        }
        let body = self.made.blueprint;
        let bounds = Aabb::of(body.positions.iter().copied());
        let (size, height) = (bounds.size(), HEIGHT * bounds.size().max_element());
        let middle = (bounds.low + bounds.high) / 2.0;
        let up = Vec3::new(-middle.x, height - bounds.low.y, -middle.z);
        let mut world = World::new(Config { substeps: SUBSTEPS, ..Config::default() });
        apply_settings(matches, &mut world.config)?;
        world.add(&body.placed(Quat::IDENTITY, up))?;
        let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
        world.colliders.push(Collider { friction: 0.6, ..floor });

        let half = Vec3::new(0.75 * size.x, 0.0, 0.75 * size.z).max(Vec3::splat(height));
        let stage = [Vec3::new(-half.x, 0.0, -half.z), half.with_y(size.y + height)];
        let pictures = !matches.get_flag("no-picture");
        let folder = matches.get_one::<String>("out").map_or("out", String::as_str);
        let sight = Sight::new(matches)?;
        let file = |ending: &str| Path::new(folder).join(format!("{name}.drop{ending}"));
        let camera = pictures.then(|| {
            std::fs::create_dir_all(folder)
                .map_err(|e| format!("{folder}: {e}; choose another folder with --out"))?;
            Camera::new(look::stage(stage), &sight, [&file(""), &file(".png")], f64::from(FPS))
        });
        let mut camera = camera.transpose()?;
        let mut timing = Timing::new(None);
        let frames = (seconds * FPS as f32).round() as u64;
        let bar = progress(frames)?;
        for frame in 0..frames {
            if let Some(camera) = &mut camera {
                camera.watch(&world, frame)?;
            }
            timing.step(&mut world, 1.0 / FPS as f32)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let files = camera.map(|camera| camera.finish(&world)).transpose()?;
        report(&world, &timing);
        for file in files.into_iter().flatten() {
            println!("wrote {}", file.display());
        }
        Ok(())
    }
}

fn way(stock: &Stock, matches: &ArgMatches) -> Option<Way> {
    let count = |name| matches.get_one::<u32>(name).copied();
    if let Some(count) = count("lattice") {
        return Some(Way::Lattice(Resolution::Count(count)));
    }
    match count("tets") {
        Some(0) if stock.tets.is_some() => return Some(Way::GivenTets),
        Some(0) => return Some(Way::default()),
        Some(count) => return Some(Way::Tets(Resolution::Count(count))),
        None => {}
    }
    if let Some(&cell) = matches.get_one::<f32>("cage") {
        return Some(Way::Cage(cell));
    }
    if matches.get_flag("shell") {
        return Some(Way::Shell);
    }
    count("springs").map(Way::Springs)
}

fn material(name: &str) -> Result<Material, Box<dyn Error>> {
    let preset = presets::find(name).ok_or_else(|| {
        let names: Vec<_> = presets::ALL.iter().map(|preset| preset.name).collect();
        format!("--material {name}: there are {}", names.join(", "))
    })?;
    Ok(preset.material)
}

fn describe(material: &Material) -> String {
    match material {
        Material::Solid(solid) => format!(
            "Young's modulus {:.3e} Pa, Poisson's ratio {}, {} kg/m³",
            solid.young, solid.poisson, solid.density
        ),
        Material::Sheet(sheet) => format!(
            "{:.0} N/m along and {:.0} N/m across, {} kg/m²",
            sheet.stretch[0], sheet.stretch[1], sheet.areal_density
        ),
        Material::Cord(cord) => format!("{:.0} N, {} kg/m", cord.stretch, cord.linear_density),
    }
}
