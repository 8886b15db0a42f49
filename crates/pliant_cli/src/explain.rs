//! `pliant explain`: what the settings, constraints, colliders and forces are.

use std::error::Error;

use clap::{Arg, ArgMatches};
use pliant::settings::{SETTINGS, Setting};
use pliant::{collider, constraint, force, region};

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "explain",
    about: "Explain a setting, or all of them, and what bodies can be made of",
    args: |command| command.arg(Arg::new("name").help("the setting; none explains all")),
    run,
};

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    if let Some(name) = matches.get_one::<String>("name") {
        explain(Setting::find(name)?);
        return Ok(());
    }
    println!("Settings, changed with --set NAME=VALUE:");
    SETTINGS.iter().for_each(explain);
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
    println!("\nColliders:");
    for shape in collider::ALL {
        println!("  {:<18} {}", shape.name, shape.params.join(", "));
    }
    println!("\nForces:");
    for kind in force::ALL {
        println!("  {:<18} {}", kind.name, kind.params.join(", "));
    }
    Ok(())
}

fn explain(setting: &Setting) {
    let value = format!("{} {}", setting.default(), setting.unit);
    println!("  {:<18} {}", setting.name, setting.meaning);
    println!("  {:<18}   {}; default {}", "", setting.range, value.trim_end());
}
