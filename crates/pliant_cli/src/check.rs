//! `pliant check`: reads a scene and all that belongs to it, and says what is wrong or doubtful.

use std::error::Error;

use clap::{Arg, ArgAction, ArgMatches};
use pliant::World;
use pliant_io::scene::{Play, Scene};

use crate::failure::{CHECK, Failure};
use crate::{Command, assignments, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "check",
    about: "Read a scene, and say what is wrong or doubtful about it",
    args: |command| {
        command
            .arg(Arg::new("scene").required(true).help("a scene by name, or a file.toml"))
            .arg(set_arg().help("change a key first, as in `pliant run`"))
            .arg(
                Arg::new("run")
                    .long("run")
                    .action(ArgAction::SetTrue)
                    .help("run it to its last check, and say what does not hold"),
            )
    },
    run,
};

/// Frames after which the solver shows what it reaches.
const FRAMES: u32 = 10;
/// Share of the stiffness asked for below which a solver is said to be too weak.
const WEAK: f64 = 0.5;

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let name = matches.get_one::<String>("scene").map_or("", String::as_str);
    let mut scene = Scene::open(name)?;
    for (key, value) in assignments(matches)? {
        scene.set(key, value)?;
    }
    let mut play = scene.build()?;
    describe(&scene, &play);
    let mut doubts = doubts_before(&play.world);
    if matches.get_flag("run") {
        return run_checks(&mut play, &doubts);
    }
    for _ in 0..FRAMES {
        play.advance()?;
    }
    doubts.extend(doubts_after(&play.world));
    doubts.iter().for_each(|doubt| println!("doubtful: {doubt}"));
    println!("{}", if doubts.is_empty() { "nothing is wrong" } else { "nothing else is wrong" });
    Ok(())
}

fn describe(scene: &Scene, play: &Play) {
    let world = &play.world;
    println!("{}: {}", scene.title(), scene.shows());
    for (_, body) in world.bodies() {
        let range = body.range();
        let mass: f32 = world.particles.inverse_mass[range.clone()].iter().map(|w| 1.0 / w).sum();
        let pinned = world.particles.pinned[range.clone()].iter().filter(|pinned| **pinned).count();
        println!(
            "  {:<18} {:>8} particles, {pinned} pinned, {:>8} triangles, {mass:.4} kg",
            body.name,
            range.len(),
            body.triangles.len()
        );
    }
    for set in world.constraints().iter().filter(|set| !set.is_empty()) {
        println!("  {:<18} {:>8} constraints", set.kind().name, set.len());
    }
    println!("  {} colliders, {} frames", world.colliders.len(), play.frames());
}

/// What looks wrong before anything has moved.
fn doubts_before(world: &World) -> Vec<String> {
    let mut doubts = Vec::new();
    for (_, body) in world.bodies() {
        let inside = body.range().filter(|&i| !world.particles.pinned[i]).filter(|&i| {
            let (x, radius) = (world.particles.position(i), world.particles.radius[i]);
            world.colliders.iter().any(|collider| collider.signed_distance(x).0 < radius - 1e-3)
        });
        let count = inside.count();
        if count > 0 {
            doubts.push(format!("{count} particles of {} begin inside of a collider", body.name));
        }
        let far = body.range().filter(|&i| world.particles.position(i).length() > 100.0).count();
        if far > 0 {
            let name = &body.name;
            doubts.push(format!("{name} is more than 100 m away; set world.origin and move it"));
        }
    }
    if world.bodies().count() == 0 {
        doubts.push("the scene has no body".into());
    }
    doubts
}

/// What looks wrong after a few frames.
fn doubts_after(world: &World) -> Vec<String> {
    let mut doubts = Vec::new();
    for quarantined in &world.quarantine {
        let name = world.body(quarantined.body).map_or("a body", |body| &body.name);
        doubts.push(format!("{name} stopped being finite after {:.3} s", quarantined.time));
    }
    for set in world.constraints().iter().filter(|set| !set.is_empty()) {
        if let Some(share) = world.stiffness_reached(set).share.filter(|share| *share < WEAK) {
            let (name, percent) = (set.kind().name, 100.0 * share);
            let substeps = world.config.substeps;
            doubts.push(format!(
                "{name} constraints reach {percent:.0} % of the stiffness asked for; with more than \
                 {substeps} substeps they reach more"
            ));
        }
    }
    doubts
}

fn run_checks(play: &mut Play, doubts: &[String]) -> Result<(), Box<dyn Error>> {
    doubts.iter().for_each(|doubt| println!("doubtful: {doubt}"));
    let mut broken = 0;
    while play.frame() < play.last_check() {
        play.advance()?;
        for check in play.check() {
            println!("{}", check.says);
            broken += u32::from(!check.holds);
        }
    }
    if broken > 0 {
        return Err(Failure::boxed(CHECK, format!("{broken} checks do not hold")));
    }
    Ok(())
}
