//! Scenes: what they mean, and what is said when something is wrong with them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "scene/folder.rs"]
mod folder;
#[path = "scene/garbage.rs"]
mod garbage;
#[path = "scene/library.rs"]
mod library;

use pliant::glam::Vec3;
use pliant::step;
use pliant_io::scene::{Play, Scene, all_keys, explain, schema};

/// A scene with a cloth, to which lines are added.
fn scene(more: &str) -> String {
    format!(
        "format = 1\n[[body]]\nid = \"cloth\"\nkind = \"cloth\"\nsize = [1, 1]\ncell = 0.25\n{more}"
    )
}

fn build(text: &str) -> Play {
    let scene = Scene::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}"));
    scene.build().unwrap_or_else(|error| panic!("{error}"))
}

/// What is said about a scene that is wrong.
fn error(text: &str) -> String {
    match Scene::parse("test.toml", text).and_then(|scene| scene.build()) {
        Ok(_) => panic!("nothing is found wrong with\n{text}"),
        Err(errors) => errors.to_string(),
    }
}

fn run(play: &mut Play, frames: u32) {
    for _ in 0..frames {
        play.advance().unwrap();
    }
}

#[test]
fn a_typo_is_shown_with_its_line_and_the_key_that_was_meant() {
    let found = error(&scene("[solver]\nsubsteeps = 20\n"));
    let expected = "test.toml:8:1: no key \"substeeps\" in [solver]; did you mean \"substeps\"?\n  \
                    8 | substeeps = 20\n    | ^^^^^^^^^";
    assert_eq!(found, expected);
}

/// Text, where it is wrong, and a word of what must be said.
const WRONG: &[(&str, &str, &str)] = &[
    ("[world]\ngravity = \"9.81 m/s\"", "8:11", "three numbers"),
    ("[world]\ngravity = [0, \"-9.81 m\", 0]", "8:11", "m/s²"),
    ("[world]\ndamping = -1", "8:11", "from 0"),
    ("[solver]\nsubsteps = 1e9", "8:12", "from 1 to 10000"),
    ("[solver]\nsubsteps = 2.5", "8:12", "whole number"),
    ("[solver]\nsubsteps = nan", "8:12", "whole number"),
    ("[solver]\nsolver = \"fast\"", "8:10", "colored"),
    ("[solver]\nsolver = 1979-05-27", "8:10", "colored"),
    ("material = \"coton\"", "7:12", "did you mean \"cotton\""),
    ("material = \"rubber\"", "7:12", "made of a sheet"),
    ("[[event]]\nat = 1\nkind = \"cut\"\npoint = [0, 0, 0]", "9:8", "either `point`"),
    ("[[event]]\nat = 1\nkind = \"cut\"\npoint = [0, 0, 0]\nnormal = [0, 0, 0]", "9:8", "normal"),
    ("material = \"cotton\"\nstretch = 3", "8:11", "without a material"),
    ("at = [0, 1]", "7:6", "3 numbers"),
    ("at = [0, 1e300, 0]", "7:10", "from -1000 to 1000"),
    ("at = [0, inf, 0]", "7:10", "from -1000 to 1000"),
    ("at = [0, \"1 kg\", 0]", "7:10", "which is no m"),
    ("rotate = [\"w\", \"1 deg\"]", "7:11", "\"x\", \"y\" or \"z\""),
    ("rotate = [\"x\", \"1 m\"]", "7:16", "which is no rad"),
    ("pin = [{ corner = [\"-q\"] }]", "7:20", "cannot be \"-q\""),
    ("pin = [{ index = [99] }]", "7:8", "the body has 25"),
    ("pin = [{ index = [-1] }]", "7:19", "whole number"),
    ("pin = [{ near = [0, 0, 0], all = true }]", "7:34", "exclude each other"),
    ("pin = [{ box = [[5, 5, 5], [6, 6, 6]] }]", "7:8", "no particle"),
    ("pin = [{}]", "7:8", "which particles?"),
    ("stretch = 0", "7:11", "\"rigid\", or a positive number"),
    ("size = [2, 2]", "7:1", "duplicate key"),
    ("[[body]]\nkind = \"cloht\"\nsize = [1, 1]", "8:8", "did you mean \"cloth\"?"),
    ("[[body]]\nid = \"cloth\"\nkind = \"rope\"\nlength = 1", "8:6", "another body has the id"),
    ("[[body]]\nkind = \"rope\"", "7:1", "needs length"),
    ("[[body]]\nkind = \"tets\"", "7:1", "needs a form"),
    ("[[body]]\nkind = \"tets\"\nbox = [1, 1, 1]\nball = 1", "10:8", "exclude each other"),
    ("[[body]]\nkind = \"tets\"\nbox = [9, 9, 9]\ncell = 0.00001", "10:8", "particles"),
    ("[[body]]\nkind = \"tets\"\nmesh = \"x.obj\"", "9:8", "in no folder"),
    ("[[body]]\nkind = \"rope\"\nlength = \"1 m\"\nsegments = 0", "10:12", "from 1"),
    ("[[collider]]\nshape = \"sphere\"", "7:1", "needs radius"),
    ("[[collider]]\nshape = \"sphere\"\nradius = -1", "9:10", "must be a number"),
    ("[[collider]]\nshape = \"plane\"\nnormal = [0, 0, 0]", "9:10", "plane normal"),
    (
        "[[collider]]\nshape = \"plane\"\nkeyframes = [{ time = 1, move = [0, 0, 0] }, \
         { time = 1, move = [0, 1, 0] }]",
        "9:55",
        "in the order of time",
    ),
    (
        "[[collider]]\nshape = \"plane\"\nspin = [0, 1, 0]\nkeyframes = [{ time = 1 }]",
        "9:8",
        "exclude each other",
    ),
    ("[[collider]]\nshape = \"box\"", "7:1", "needs size"),
    ("[[collider]]\nshape = \"box\"\nsize = [1, 0, 1]", "9:12", "must be 3 numbers"),
    ("[[collider]]\nshape = \"box\"\nsize = [1, 1, 1]\nrounding = 0.6", "10:12", "box"),
    ("[[collider]]\nshape = \"capsule\"\nradius = 1", "7:1", "needs length"),
    ("[[collider]]\nshape = \"mesh\"", "7:1", "one of solid, mesh"),
    ("[[collider]]\nshape = \"mesh\"\nbox = [1, 1, 1]", "9:1", "no key \"box\""),
    ("[[collider]]\nshape = \"mesh\"\nsolid = \"ax\"", "9:9", "did you mean \"axe\"?"),
    ("[[collider]]\nshape = \"sdf\"\nmesh = \"a.sdf\"", "9:8", "in no folder"),
    ("[[collider]]\nshape = \"sdf\"\nsolid = \"axe\"\ncell = 1e-6", "7:1", "cells"),
    ("touches = \"everything\"", "7:11", "none, others, all"),
    ("restitution = 2", "7:15", "from 0 to 1"),
    ("[[body]]\nkind = \"rigid\"", "7:1", "one of box, ball, solid, mesh"),
    ("[[body]]\nkind = \"rigid\"\nball = 1\nradius = 2", "7:1", "skin of a ball"),
    ("[[body]]\nkind = \"rigid\"\nball = 1\nmaterial = \"silk\"", "10:12", "made of a solid"),
    ("[[event]]\nat = 1\nkind = \"release\"\nbody = \"clot\"", "10:8", "did you mean \"cloth\"?"),
    ("[[event]]\nat = 1\nkind = \"wind\"\nvelocity = [0, 0, 0]", "9:8", "add [wind]"),
    ("[[tie]]\nbody = \"cloth\"\nto = \"nobody\"", "9:6", "no body has the id"),
    ("[[check]]\nafter = 9\nwhat = \"x\"", "8:9", "takes 4 s"),
    ("[[check]]\nwhat = \"mass\"", "8:8", "lowest point"),
    ("[material.a]\nkind = \"sheet\"\npreset = \"rubber\"", "9:10", "write kind = \"solid\""),
    ("[material.a]\nkind = \"solid\"\npoisson = 0.5", "9:11", "0.499"),
    ("[material]\na = 3", "8:5", "expected the table"),
    ("[wind]\nbodies = [\"flag\"]", "8:10", "no body has the id"),
    ("body = 3", "7:1", "no key \"body\" in [[body]]"),
    ("[nothing]\na = 1", "7:2", "no key \"nothing\" in the scene; there are format, name"),
];

#[test]
fn what_is_wrong_is_shown_with_its_place_and_what_is_right() {
    let mut failures = Vec::new();
    for (more, place, says) in WRONG {
        let found = error(&scene(more));
        if !found.starts_with(&format!("test.toml:{place}: ")) || !found.contains(says) {
            failures.push(format!("{more}\n{found}\nshould be at {place} and say {says:?}\n"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn all_that_is_wrong_is_shown_at_once() {
    let found = error(&scene("cel = 1\n[world]\ngravty = 1\n[solver]\nsubsteps = 0\n"));
    for says in ["did you mean \"cell\"", "did you mean \"gravity\"", "from 1 to 10000"] {
        assert!(found.contains(says), "{found}");
    }
}

#[test]
fn a_scene_of_another_format_is_refused_before_all_else() {
    assert!(error("format = 2\n[new]\na = 1").contains("format 2 is newer than 1"));
    assert!(error("[world]\ndamping = 1").contains("needs format"));
    assert!(error("format = 0").contains("from 1 to 1"));
    assert!(error("").contains("needs format"));
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    let deep = "[".repeat(100_000);
    assert!(error(&format!("format = 1\nseed = {deep}")).contains("test.toml:2"));
    let dotted = vec!["a"; 100_000].join(".");
    assert!(error(&format!("format = 1\n{dotted} = 1")).contains("test.toml:"));
}

#[test]
fn numbers_with_units_and_without_mean_the_same() {
    let rope = |length: &str, density: &str| {
        build(&format!(
            "format = 1\n[[body]]\nkind = \"rope\"\nlength = {length}\nlinear_density = {density}"
        ))
        .world
        .hash()
    };
    assert_eq!(rope("0.5", "0.07"), rope("\"50 cm\"", "\"70 g/m\""));
    assert_ne!(rope("0.5", "0.07"), rope("\"51 cm\"", "\"70 g/m\""));
}

#[test]
fn materials_are_presets_numbers_or_both() {
    let body = |material: &str| {
        let text = format!(
            "format = 1\n{material}\n[[body]]\nkind = \"tets\"\nbox = [0.1, 0.1, 0.1]\ncell = 0.05\n\
             material = \"m\""
        );
        let world = build(&text).world;
        let mass: f32 = world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum();
        (mass, world.save())
    };
    let (jelly, plain) = body("[material.m]\nkind = \"solid\"\npreset = \"jelly\"");
    let (heavy, _) =
        body("[material.m]\nkind = \"solid\"\npreset = \"jelly\"\ndensity = \"2 g/cm^3\"");
    let (_, stiff) = body("[material.m]\nkind = \"solid\"\npreset = \"jelly\"\nyoung = \"1 MPa\"");
    assert!((jelly - 1.0).abs() < 0.1, "a litre of jelly weighs {jelly} kg");
    assert!((heavy - 2.0).abs() < 1e-3, "a litre of 2 g/cm³ weighs {heavy} kg");
    assert_ne!(plain, stiff);
}

#[test]
fn pins_are_found_by_geometry() {
    let pinned = |pin: &str| {
        let world = build(&scene(&format!("at = [0, 1, 0]\npin = [{pin}]"))).world;
        (0..25).filter(|&i| world.particles.pinned[i]).collect::<Vec<_>>()
    };
    assert_eq!(pinned("{ corner = [\"-x\", \"-z\"] }"), [0]);
    assert_eq!(pinned("{ corner = [\"+x\", \"+z\"] }, { corner = \"-z\" }"), [2, 24]);
    assert_eq!(pinned("{ side = \"-x\" }"), [0, 5, 10, 15, 20]);
    assert_eq!(pinned("{ side = \"-z\", depth = 0.3 }"), (0..10).collect::<Vec<_>>());
    assert_eq!(pinned("{ near = [0, 1, 0] }"), [12]);
    assert_eq!(pinned("{ near = [0, 1, 0], radius = 0.26 }"), [7, 11, 12, 13, 17]);
    assert_eq!(pinned("{ box = [[0.1, 0, 0.1], [1, 2, 1]] }"), [18, 19, 23, 24]);
    assert_eq!(pinned("{ end = \"last\" }, { index = [3] }"), [3, 24]);
    assert_eq!(pinned("{ all = true }").len(), 25);
}

#[test]
fn events_happen_at_their_time_and_not_before() {
    let mut play = build(&scene(
        "pin = [{ all = true }]\n[wind]\nvelocity = [1, 0, 0]\n\
         [[event]]\nat = 0.5\nkind = \"release\"\nbody = \"cloth\"\n\
         [[event]]\nat = \"100 ms\"\nkind = \"wind\"\nvelocity = [0, 0, 2]\n\
         [[event]]\nat = 0.2\nkind = \"gravity\"\ngravity = [0, 0, 0]\n\
         [[event]]\nat = 0.5\nkind = \"push\"\nbody = \"cloth\"\nvelocity = [0, 1, 0]\n\
         [[event]]\nat = 0.6\nkind = \"pin\"\nbody = \"cloth\"\nparticles = [{ end = \"first\" }]\n\
         [[event]]\nat = 0.6\nkind = \"set\"\nsubsteps = 7\n",
    ));
    let wind = |play: &Play| play.world.forces[0].params[..3].to_vec();
    run(&mut play, 6);
    assert_eq!(wind(&play), [1.0, 0.0, 0.0]);
    run(&mut play, 1);
    assert_eq!(wind(&play), [0.0, 0.0, 2.0]);
    run(&mut play, 5);
    assert_eq!(play.world.config.gravity.y, -9.81);
    run(&mut play, 1);
    assert_eq!(play.world.config.gravity, Vec3::ZERO);
    run(&mut play, 17);
    assert_eq!(play.world.particles.position(3).y, 0.0, "still pinned after 0.5 s");
    run(&mut play, 6);
    let risen = play.world.particles.position(12).y;
    assert!((0.05..0.11).contains(&risen), "pushed up by 1 m/s for 0.1 s: {risen} m");
    assert_eq!(play.world.config.substeps, 20);
    run(&mut play, 1);
    assert!(play.world.particles.pinned[0] && play.world.config.substeps == 7);
}

#[test]
fn a_collider_carries_what_is_tied_to_it_along_its_keyframes() {
    let mut play = build(&scene(
        "[[collider]]\nid = \"hand\"\nshape = \"sphere\"\nradius = 0.01\nat = [0, 5, 0]\n\
         keyframes = [{ time = 0, move = [0, 0, 0] }, { time = 1, move = [0, 0, 0.5] }]\n\
         [[tie]]\nbody = \"cloth\"\nparticles = [{ side = \"-z\" }]\nto = \"hand\"\n",
    ));
    run(&mut play, 60);
    let z = play.world.particles.position(0).z;
    assert!((z - 0.0).abs() < 1e-4, "the edge at z = -0.5 m was moved by 0.5 m to {z} m");
    run(&mut play, 30);
    let moved = (play.world.particles.position(0).z - z).abs();
    assert!(moved < 1e-5, "it stays there, but moved by {moved} m");
}

/// Each shape, a point, and how far that is from it by the formula of the shape (m).
const SHAPES: &[(&str, [f32; 3], f32)] = &[
    ("\"plane\"\nnormal = [0, 0, 2]", [5.0, 5.0, 0.25], 0.25),
    ("\"sphere\"\nradius = 0.5", [0.0, 0.3, 0.4], 0.0),
    ("\"box\"\nsize = [2, 4, 6]", [4.0, 2.0, 7.0], 5.0),
    ("\"box\"\nsize = [2, 2, 2]\nrounding = 0.5", [1.5, 1.5, 0.0], 0.914_214),
    ("\"capsule\"\nradius = 0.5\nlength = 2", [0.0, 2.0, 0.0], 0.5),
    ("\"cylinder\"\nradius = 1\nlength = 2", [4.0, 5.0, 0.0], 5.0),
    ("\"mesh\"\nsolid = \"cuboid\"\nscale = 2", [1.5, 0.0, 0.0], 0.5),
    ("\"sdf\"\nsolid = \"cuboid\"\nscale = 2\ncell = 0.1", [1.5, 0.0, 0.0], 0.5),
];

#[test]
fn every_shape_of_a_collider_is_where_its_numbers_say() {
    let shapes: Vec<&str> = SHAPES.iter().map(|shape| shape.0.split('"').nth(1).unwrap()).collect();
    for shape in pliant::collider::ALL {
        assert!(shapes.contains(&shape.name), "{} is not tried", shape.name);
    }
    for (shape, point, expected) in SHAPES {
        for (at, rotate) in [("0, 0, 0", "0 deg"), ("3, -2, 1", "90 deg")] {
            let more = format!(
                "[[collider]]\nshape = {shape}\nat = [{at}]\nrotate = [\"y\", \"{rotate}\"]"
            );
            let collider = build(&scene(&more)).world.colliders[0].clone();
            let [x, y, z] = *point;
            let turned = if rotate == "0 deg" { Vec3::new(x, y, z) } else { Vec3::new(z, y, -x) };
            let (distance, _) = collider.signed_distance(collider.position + turned);
            assert!((distance - expected).abs() < 1e-4, "{shape}: {distance} m, not {expected} m");
        }
    }
}

/// A lid that opens by 90° about the z axis through its place, and carries the edge of a cloth.
#[test]
fn keyframes_turn_a_collider_and_what_it_carries() {
    let mut play = build(&scene(
        "[[collider]]\nid = \"lid\"\nshape = \"box\"\nsize = [0.1, 0.01, 0.1]\nat = [0, 3, 0]\n\
         ease = \"linear\"\n\
         keyframes = [{ time = 0 }, { time = 1, move = [0, 1, 0], turn = [\"z\", \"90 deg\"] }]\n\
         [[tie]]\nbody = \"cloth\"\nparticles = [{ side = \"+x\" }]\nto = \"lid\"\n",
    ));
    run(&mut play, 30);
    let lid = &play.world.colliders[0];
    let half = pliant::glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    assert!(lid.rotation.angle_between(half) < 2e-3, "{}", lid.rotation);
    assert!((lid.velocity - Vec3::Y).length() < 1e-3, "{}", lid.velocity);
    run(&mut play, 30);
    // (0.5, −3, z) from the lid becomes (3, 0.5, z).
    let carried = play.world.particles.position(4);
    assert!(carried.distance(Vec3::new(3.0, 4.5, -0.5)) < 1e-3, "{carried}");
    let saved = pliant::World::restore(&play.world.save()).unwrap();
    assert_eq!(saved.colliders[0].motion, play.world.colliders[0].motion);
}

#[test]
fn a_rigid_body_has_the_mass_of_its_material_and_keeps_its_shape() {
    let body = |more: &str| format!("format = 1\n[[body]]\nkind = \"rigid\"\n{more}\n");
    let mass = |more: &str| {
        let world = build(&body(more)).world;
        world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum::<f32>()
    };
    let brick = mass("box = [\"24 cm\", \"7 cm\", \"12 cm\"]\ndensity = 1900");
    assert!((brick - 0.24 * 0.07 * 0.12 * 1900.0).abs() < 1e-3, "{brick} kg");
    let ball = mass("ball = \"10 cm\"");
    assert!((ball - 4.18879).abs() < 1e-3, "{ball} kg");
    let rubber = mass("solid = \"torus\"\nscale = 0.1\nmaterial = \"rubber\"");
    let denser = mass("solid = \"torus\"\nscale = 0.1\ndensity = 1850");
    assert!((denser / rubber - 2.0).abs() < 1e-3, "{rubber} kg of 925 kg/m³, {denser} kg of 1850");
    let fall = "at = [0, 0.2, 0]\nrotate = [\"z\", \"20 deg\"]\nbox = [0.1, 0.1, 0.1]\n\
                [[collider]]\nshape = \"plane\"\n[[probe]]\nwhat = \"y\"\n\
                [[probe]]\nwhat = \"volume ratio\"";
    let mut play = build(&body(fall));
    run(&mut play, 120);
    let [y, volume] = play.readings()[..] else { panic!("two probes") };
    assert!((y - 0.05).abs() < 5e-4 && (volume - 1.0).abs() < 1e-4, "{y} m, {volume}");
}

#[test]
fn bodies_meet_if_they_are_told_to() {
    let text = |touches: &str| {
        let cube = |id: &str, y: &str| {
            format!(
                "[[body]]\nid = \"{id}\"\nkind = \"tets\"\nbox = [0.1, 0.1, 0.1]\ncell = 0.05\n\
                 edges = 2000\ndashpot = 1\nat = [0, {y}, 0]\n{touches}\n"
            )
        };
        let (below, above) = (cube("below", "0.06"), cube("above", "0.2"));
        format!(
            "format = 1\n[[collider]]\nshape = \"plane\"\n{below}{above}\
             [[probe]]\nwhat = \"y\"\nbody = \"above\"\n[[probe]]\nwhat = \"contacts\"\n"
        )
    };
    let after = |touches: &str| {
        let mut play = build(&text(touches));
        run(&mut play, 90);
        play.readings()
    };
    let through = after("");
    assert!(through[0] < 0.06 && through[1] == 0.0, "it falls through the other: {through:?}");
    let carried = after("touches = \"others\"");
    assert!(carried[0] > 0.13 && carried[1] > 0.0, "it lies on the other: {carried:?}");
    let world = build(&text("touches = \"all\"\ntouch_by = \"particles\"\nfriction = 0.7")).world;
    let touch = world.bodies().next().unwrap().1.touch;
    let (meets, by) = (pliant::contact::Meets::All, pliant::contact::By::Particles);
    let expected = pliant::contact::Touch { meets, by, friction: 0.7, restitution: 0.0 };
    assert_eq!(touch, expected);
}

#[test]
fn ropes_hang_from_the_room_and_bodies_from_ropes() {
    let mut play = build(
        "format = 1\n[[body]]\nid = \"weight\"\nkind = \"lattice\"\nbox = [0.1, 0.1, 0.1]\n\
         cell = 0.05\nlinks = 50000\ndensity = 100\nat = [0, 0.45, 0]\n\
         [[body]]\nid = \"rope\"\nkind = \"rope\"\nlength = 0.5\nsegments = 8\nstretch = \"rigid\"\n\
         rotate = [\"z\", \"-90 deg\"]\nat = [0, 1, 0]\n\
         [[tie]]\nbody = \"rope\"\nparticles = [{ end = \"first\" }]\n\
         [[tie]]\nbody = \"rope\"\nparticles = [{ end = \"last\" }]\nto = \"weight\"\n\
         [[probe]]\nwhat = \"lowest point\"\nbody = \"weight\"\n",
    );
    run(&mut play, 120);
    let lowest = play.readings()[0];
    assert!((0.35..0.42).contains(&lowest), "the weight hangs, its bottom at {lowest} m");
}

#[test]
fn checks_say_what_holds_and_what_does_not() {
    let mut play = build(&scene(
        "[[check]]\nafter = 1\nwhat = \"y\"\nbody = \"cloth\"\nmin = -5\nmax = -4.8\n\
         [[check]]\nafter = 1\nwhat = \"y\"\nmax = -5\nwhy = \"it should be lower\"\n",
    ));
    run(&mut play, 60);
    let checked = play.check();
    assert!(checked[0].holds, "{checked:?}");
    assert!(!checked[1].holds && checked[1].says.contains("it should be lower"), "{checked:?}");
}

#[test]
fn copies_stand_on_a_grid_and_differ_by_the_seed_alone() {
    let world = |seed: u32| {
        build(&format!(
            "format = 1\nseed = {seed}\n[[body]]\nkind = \"lattice\"\nbox = [0.1, 0.1, 0.1]\n\
             cell = 0.05\ncopies = {{ count = [2, 3, 4], apart = [0.3, 0.3, 0.3], jitter = 0.01, \
             tumble = true }}\n"
        ))
        .world
    };
    let (one, again, other) = (world(1), world(1), world(2));
    assert_eq!(one.bodies().count(), 24);
    assert_eq!(one.hash(), again.hash());
    assert_ne!(one.hash(), other.hash());
    let spread = one.particles.xw.iter().map(|row| row.y).fold(0.0, f32::max);
    assert!((0.3..0.41).contains(&spread), "three layers 0.3 m apart reach to {spread} m");
}

#[test]
fn a_resolved_scene_has_every_setting_and_is_the_same_scene() {
    for entry in pliant_io::scene::library::ALL {
        let mut scene = Scene::parse(entry.name, entry.text).unwrap();
        scene.quicken().unwrap();
        scene.set("seed", "7").unwrap();
        let text = scene.resolved();
        for setting in pliant::settings::SETTINGS {
            assert!(text.contains(&format!("{} = ", setting.name)), "{}: {text}", entry.name);
        }
        let again = Scene::parse("resolved.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again.resolved(), text);
        let (mut a, mut b) = (scene.build().unwrap(), again.build().unwrap());
        run(&mut a, 3);
        run(&mut b, 3);
        assert_eq!(a.world.hash(), b.world.hash(), "{}", entry.name);
    }
}

#[test]
fn keys_are_set_by_their_path() {
    let text = scene("[material.m]\nkind = \"sheet\"\n");
    let mut scene = Scene::parse("test.toml", &text).unwrap();
    scene.set("body.cloth.cell", "50 cm").unwrap();
    scene.set("substeps", "3").unwrap();
    scene.set("solver.iterations", "2").unwrap();
    scene.set("gravity", "0,-1.62,0").unwrap();
    scene.set("material.m.areal_density", "1 kg/m^2").unwrap();
    scene.set("body.0.material", "m").unwrap();
    let world = scene.build().unwrap().world;
    assert_eq!(world.particles.len(), 9);
    assert_eq!((world.config.substeps, world.config.iterations), (3, 2));
    assert_eq!(world.config.gravity.y, -1.62);
    let mass: f32 = world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum();
    assert!((mass - 1.0).abs() < 1e-4, "{mass} kg");
    let before = scene.resolved();
    for (key, value, says) in [
        ("substep", "3", "did you mean \"substeps\""),
        ("substeps", "0", "from 1 to"),
        ("body.clot.cell", "1", "did you mean \"cloth\""),
        ("body.cloth.cell", "1 s", "which is no m"),
        ("body.cloth.cell.deep", "1", "leads to no table"),
        ("", "1", "is not KEY=VALUE"),
        ("a b", "1", "is not KEY=VALUE"),
    ] {
        let found = scene.set(key, value).unwrap_err().to_string();
        assert!(found.contains(says), "{key}={value}: {found}");
    }
    assert_eq!(scene.resolved(), before, "what was refused changed nothing");
}

#[test]
fn a_scene_that_cannot_be_coarser_stays_as_it_was() {
    let text = scene("[quick]\n\"substeps\" = 5\n\"body.cloth.cell\" = \"1 s\"\n");
    let mut scene = Scene::parse("test.toml", &text).unwrap();
    let before = scene.resolved();
    let found = scene.quicken().unwrap_err().to_string();
    assert!(
        found.starts_with("test.toml:9:21: cell") && found.contains("which is no m"),
        "{found}"
    );
    assert_eq!(scene.resolved(), before);
}

#[test]
fn every_key_is_explained_and_every_explanation_has_a_unit_or_form() {
    let all = all_keys();
    assert!(all.len() > 150, "{} keys", all.len());
    for key in &all {
        assert!(key.key.meaning.len() > 2 && !key.key.meaning.ends_with('.'), "{key:?}");
    }
    assert!(explain("body.cloth.size").unwrap()[0].text.contains("in m"));
    assert!(explain("substeps").unwrap()[0].path == "solver.substeps");
    assert!(explain("yuong").unwrap_err().contains("did you mean \"young\""));
}

/// A cut gives particles other indices; events and probes still mean those that they meant.
#[test]
fn what_is_said_of_particles_holds_after_a_cut() {
    let corner = "particles = [{ near = [0.5, 0, 0.5] }]";
    let second = "[[body]]\nid = \"other\"\nkind = \"cloth\"\nsize = [1, 1]\ncell = 0.25\n\
                  at = [0, -3, 0]\npin = [{ near = [0.5, -3, 0.5] }]\n";
    let text = scene(&format!(
        "pin = [{{ near = [0.5, 0, 0.5] }}]\n{second}\
         [[event]]\nat = 0.1\nkind = \"cut\"\nstroke = [[0.06, 1, -2], [0.06, 1, 2]]\n\
         edge = [0, -5, 0]\n\
         [[event]]\nat = 0.2\nkind = \"release\"\nbody = \"cloth\"\n{corner}\n\
         [[probe]]\nwhat = \"y\"\nbody = \"other\"\n\
         particles = [{{ near = [0.5, -3, 0.5] }}]\n"
    ));
    let mut play = build(&text);
    run(&mut play, 11);
    play.world.check().unwrap();
    assert_eq!(play.world.bodies().count(), 4);
    let pinned = |play: &Play| play.world.particles.pinned.iter().filter(|pinned| **pinned).count();
    assert_eq!((pinned(&play), play.readings()), (2, vec![-3.0]));
    run(&mut play, 20);
    assert_eq!((pinned(&play), play.readings()), (1, vec![-3.0]));
}

#[test]
fn the_published_schema_is_the_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/schema.json");
    let published = std::fs::read_to_string(path).unwrap_or_default();
    let command = "cargo run -p pliant_cli -- explain --schema > scenes/schema.json";
    assert!(published == schema(), "scenes/schema.json is out of date; renew it with: {command}");
}

/// The scene's step is the engine's: nothing is lost between them.
#[test]
fn a_scene_falls_as_the_engine_says() {
    let mut play = build(&scene(""));
    let mut world = build(&scene("")).world;
    run(&mut play, 10);
    for _ in 0..10 {
        step(&mut world, 1.0 / 60.0).unwrap();
    }
    assert_eq!(play.world.hash(), world.hash());
}
