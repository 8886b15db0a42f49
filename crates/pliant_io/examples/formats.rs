//! Writes a short run in every format, and what it should hold as JSON: for programs that check.
//!
//! `cargo run -p pliant_io --example formats FOLDER`; `cargo xtask formats` compares.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use pliant::cut::Blade;
use pliant::glam::Vec3;
use pliant::shapes::{Cloth, Rope, TetBox};
use pliant::{World, step};
use pliant_io::export::{FORMATS, Frame, Target, create};
use serde_json::json;

/// Frames of the run.
const FRAMES: usize = 12;
/// How many of them are before the cut.
const FRAMES_BEFORE_THE_CUT: usize = FRAMES / 2;
/// Frames per second.
const FPS: f64 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/formats".into()));
    let formats: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    write(&folder, "run", &frames(falling()?, None)?, &formats)?;
    // Across the cloth and the box, not along any of their cells.
    let blade = Blade::plane(Vec3::new(0.0, 0.0, 0.03), Vec3::new(0.1, 0.2, 1.0))?;
    let cut = frames(falling()?, Some(&blade))?;
    write(&folder, "cut", &cut, &["usd", "vtk", "obj", "ply"])
}

/// A cloth, a box and a rope.
fn falling() -> Result<World, Box<dyn Error>> {
    let mut world = World::default();
    let mut cloth = Cloth { columns: 12, rows: 9, ..Cloth::default() }.blueprint()?.pinned(&[0]);
    cloth.name = "cloth".into();
    world.add(&cloth)?;
    let mut solid = TetBox::default().blueprint()?;
    solid.name = "box".into();
    world.add(&solid)?;
    let mut rope = Rope::default().blueprint()?.pinned(&[0]);
    rope.name = "rope".into();
    world.add(&rope)?;
    Ok(world)
}

/// What is seen, frame by frame; a blade goes through everything in the middle.
fn frames(mut world: World, blade: Option<&Blade>) -> Result<Vec<Frame>, Box<dyn Error>> {
    let mut frames = Vec::new();
    for number in 0..FRAMES {
        if let (FRAMES_BEFORE_THE_CUT, Some(blade)) = (number, blade) {
            world.cut(blade)?;
        }
        frames.push(Frame::of(&world));
        step(&mut world, 1.0 / FPS as f32)?;
    }
    Ok(frames)
}

fn write(
    folder: &Path,
    name: &str,
    frames: &[Frame],
    formats: &[&str],
) -> Result<(), Box<dyn Error>> {
    for format in formats {
        let folder = folder.join(format);
        let mut writer = create(format, &Target { folder, name: name.into(), fps: FPS })?;
        frames.iter().try_for_each(|frame| writer.frame(frame))?;
        println!("{format}: {}", writer.finish()?.hint);
    }
    let expected = frames.iter().map(|frame| {
        let parts = frame.parts.iter().map(|part| {
            let rows = |triangles: &[[u32; 3]]| triangles.to_vec();
            let positions: Vec<[f32; 3]> = part.positions.iter().map(|x| x.to_array()).collect();
            let numbers: serde_json::Map<_, _> = part
                .attributes
                .iter()
                .map(|attribute| (attribute.name.to_owned(), json!(attribute.values)))
                .collect();
            json!({
                "name": part.name, "positions": positions, "triangles": rows(&part.triangles),
                "numbers": numbers,
            })
        });
        let tets: usize = frame.cells.iter().map(|cells| cells.tets.len()).sum();
        let links: usize = frame.cells.iter().map(|cells| cells.links.len()).sum();
        json!({ "time": frame.time, "parts": parts.collect::<Vec<_>>(), "tets": tets, "links": links })
    });
    let text = json!({ "fps": FPS, "frames": expected.collect::<Vec<_>>() }).to_string();
    fs::write(folder.join(format!("{name}.json")), text)?;
    Ok(())
}
