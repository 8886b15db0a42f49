//! Writes a short run in every format, and what it should hold as JSON: for programs that check.
//!
//! `cargo run -p pliant_io --example formats FOLDER`; `cargo xtask formats` compares.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use pliant::shapes::{Cloth, Rope, TetBox};
use pliant::{World, step};
use pliant_io::export::{FORMATS, Frame, Part, Target, create};
use serde_json::json;

/// Frames of the run.
const FRAMES: usize = 12;
/// Frames per second.
const FPS: f64 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/formats".into()));
    let falling = falling()?;
    let formats: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    write(&folder, "run", &falling, &formats)?;
    write(&folder, "cut", &cut(falling), &["usd", "vtk", "obj", "ply"])
}

/// A cloth, a box and a rope.
fn falling() -> Result<Vec<Frame>, Box<dyn Error>> {
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
    let mut frames = Vec::new();
    for _ in 0..FRAMES {
        frames.push(Frame::of(&world));
        step(&mut world, 1.0 / FPS as f32)?;
    }
    Ok(frames)
}

/// The same, but from the middle on one triangle of the cloth after the other comes off.
fn cut(mut frames: Vec<Frame>) -> Vec<Frame> {
    for (number, frame) in frames.iter_mut().enumerate().skip(FRAMES / 2) {
        for triangle in 0..number - FRAMES / 2 + 1 {
            come_off(&mut frame.parts[0], triangle);
        }
    }
    frames
}

/// Gives a triangle vertices of its own.
fn come_off(part: &mut Part, triangle: usize) {
    part.triangles[triangle] = part.triangles[triangle].map(|old| {
        part.positions.push(part.positions[old as usize]);
        for attribute in &mut part.attributes {
            attribute.values.push(attribute.values[old as usize]);
        }
        part.positions.len() as u32 - 1
    });
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
