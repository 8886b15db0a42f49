//! `pliant explain`: what the settings are, what bodies are made of, and what moves them.

use std::error::Error;

use clap::{Arg, ArgAction, ArgMatches};
use pliant::material::presets::{self, Material};
use pliant::material::{Cord, Sheet, Solid};
use pliant::settings::{Range, SETTINGS, Word};
use pliant::{collider, constraint, force, integrate, region};
use pliant_io::scene;
use pliant_io::scene::keys::Form;

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "explain",
    about: "Explain a key of scenes, or list all keys, materials, constraints and what else there is",
    args: |command| {
        let schema = Arg::new("schema").long("schema").action(ArgAction::SetTrue);
        command
            .arg(
                Arg::new("name").help("such as substeps, body.cloth.size or young; none lists all"),
            )
            .arg(schema.help("print the keys of scenes as a JSON schema"))
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    if matches.get_flag("schema") {
        print!("{}", scene::schema());
        return Ok(());
    }
    if let Some(name) = matches.get_one::<String>("name") {
        return explain(name);
    }
    println!("Keys of scenes; change them with --set KEY=VALUE:");
    for key in scene::all_keys() {
        println!("  {:<34} {}", key.path, key.key.meaning);
    }
    println!("\nNumbers for [[probe]] and [[check]]:");
    for (name, unit, meaning) in scene::quantities() {
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        println!("  {name:<22} {meaning}{unit}");
    }
    parts()
}

/// A key, or a material.
fn explain(name: &str) -> Result<(), Box<dyn Error>> {
    if let Some(preset) = presets::find(name) {
        println!("{}: {}; {}", preset.name, preset.shows, numbers(&preset.material));
        println!("  {}", preset.source);
        return Ok(());
    }
    for key in scene::explain(name)? {
        println!("{}\n  {}", key.path, key.text);
        if let Some(table) = key.key.form.table() {
            table.common().iter().for_each(|key| println!("    {:<18} {}", key.name, key.meaning));
            table.variants().iter().for_each(|t| println!("    {:<18} {}", t.name, t.meaning));
        } else if let Form::Setting(setting) = key.key.form {
            print_words(&setting.range, 4);
        }
    }
    Ok(())
}

/// What each word of a choice means.
fn print_words(range: &Range, indent: usize) {
    if let Range::Choice(words) = range {
        for Word { name, meaning } in *words {
            println!("{:indent$}{name:<18} {meaning}", "");
        }
    }
}

/// What the engine is made of.
fn parts() -> Result<(), Box<dyn Error>> {
    println!("\nConstraints:");
    for kind in constraint::ALL {
        let twin = if kind.wgsl.is_some() { "CPU and GPU" } else { "CPU" };
        println!("  {:<18} {} ({}; C in {})", kind.name, kind.shows, twin, kind.unit);
    }
    println!("\nRegions:");
    for kind in region::ALL {
        println!("  {:<18} {}", kind.name, kind.shows);
        for param in kind.params.iter().chain(&kind.part_param) {
            let unit =
                if param.unit.is_empty() { String::new() } else { format!(" ({})", param.unit) };
            println!("  {:<18}   {}{unit}: {}", "", param.name, param.meaning);
        }
    }
    println!("\nMaterials:");
    for preset in presets::ALL {
        println!("  {:<18} {}: {}", preset.name, preset.shows, numbers(&preset.material));
        println!("  {:<18}   {}", "", preset.source);
    }
    println!("\nColliders:");
    for shape in collider::ALL {
        println!("  {:<18} {}", shape.name, shape.params.join(", "));
    }
    println!("\nForces:");
    for kind in force::ALL {
        println!("  {:<18} {}", kind.name, kind.params.join(", "));
    }
    println!("\nIntegrators, for bodies of springs under forces:");
    for integrator in integrate::ALL {
        println!("  {:<18} {}", integrator.name, integrator.shows);
    }
    for setting in SETTINGS.iter().filter(|setting| matches!(setting.range, Range::Choice(_))) {
        println!("\nsolver.{}, {}:", setting.name, setting.meaning);
        print_words(&setting.range, 2);
    }
    Ok(())
}

/// The numbers of a material, with their units.
fn numbers(material: &Material) -> String {
    match material {
        Material::Solid(Solid { young, poisson, density, .. }) => {
            format!("Young's modulus {young:e} Pa, Poisson's ratio {poisson}, {density} kg/m³")
        }
        Material::Sheet(Sheet { stretch: [k1, k2], bending: [d1, d2], areal_density, .. }) => {
            format!(
                "stretch {k1:.0} and {k2:.0} N/m, bending {d1:.1e} and {d2:.1e} N·m along warp and \
                 weft, {areal_density} kg/m²"
            )
        }
        Material::Cord(Cord { stretch, bending, linear_density, .. }) => {
            format!("stretch {stretch:.0} N, bending {bending:.1e} N·m², {linear_density} kg/m")
        }
    }
}
