//! How long it takes until a mesh is a body: `cargo run --release --example mesh_time -- bunny.off`.
//!
//! Reads OFF and OBJ, makes a lattice and tetrahedra of about 10 000 elements each, and binds the
//! surface to the lattice.

use std::error::Error;
use std::time::Instant;

use pliant::glam::Vec3;
use pliant::mesh::sdf::SignedDistance;
use pliant::mesh::voxels::Voxelisation;
use pliant::mesh::{Resolution, TetMesh, TriMesh};
use pliant::skin::Skin;

/// Particles of the lattice, and tetrahedra.
const ELEMENTS: u32 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let mesh = if path.ends_with(".off") { off(&text) } else { obj(&text) };
        let mesh = mesh.ok_or(format!("{path}: expected an OFF or OBJ file of triangles"))?;
        println!("{path}: {} triangles, {:e} m³", mesh.triangles.len(), mesh.volume());
        time(mesh)?;
    }
    Ok(())
}

fn time(mesh: TriMesh) -> Result<(), Box<dyn Error>> {
    let resolution = Resolution::Count(ELEMENTS);
    let start = Instant::now();
    let sdf = SignedDistance::new(mesh)?;
    let voxels = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf)?;
    let (particles, links) = (voxels.voxels.len(), voxels.links().count());
    let seconds = start.elapsed().as_secs_f64();
    let volume = voxels.volume();
    let positions: Vec<Vec3> = voxels.positions().collect();
    println!("  lattice: {particles} particles, {links} links, {volume:e} m³ in {seconds:.3} s");

    let start = Instant::now();
    let skin = Skin::on_particles(sdf.surface(), &positions)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("  skin: {} vertices bound in {seconds:.3} s", skin.bindings.len());

    let start = Instant::now();
    let sdf = SignedDistance::new(sdf.surface().clone())?;
    let tets = TetMesh::stuff(&sdf, resolution)?;
    let seconds = start.elapsed().as_secs_f64();
    let quality = tets.quality();
    let [least, greatest] = quality.dihedral.map(f64::to_degrees);
    println!(
        "  tets: {}, {:e} m³, {} inverted, {least:.1}° to {greatest:.1}° in {seconds:.3} s",
        tets.tets.len(),
        quality.volume,
        quality.inverted
    );
    Ok(())
}

fn off(text: &str) -> Option<TriMesh> {
    let numbers: Option<Vec<f32>> =
        text.strip_prefix("OFF")?.split_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers?;
    let [vertices, faces] = [*numbers.first()?, *numbers.get(1)?].map(|count| count as usize);
    let (positions, corners) = numbers.get(3..)?.split_at_checked(3 * vertices)?;
    let positions = positions.chunks_exact(3).map(Vec3::from_slice).collect();
    let corners = corners.chunks_exact(4).take(faces);
    let triangles = corners.map(|row| [row[1], row[2], row[3]].map(|corner| corner as u32));
    Some(TriMesh { positions, triangles: triangles.collect() })
}

fn obj(text: &str) -> Option<TriMesh> {
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["v", x, y, z, ..] => {
                mesh.positions.push(Vec3::new(x.parse().ok()?, y.parse().ok()?, z.parse().ok()?));
            }
            ["f", a, b, c, ..] => {
                let corner =
                    |word: &str| word.split('/').next()?.parse::<u32>().ok()?.checked_sub(1);
                mesh.triangles.push([corner(a)?, corner(b)?, corner(c)?]);
            }
            _ => {}
        }
    }
    Some(mesh)
}
