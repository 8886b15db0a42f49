//! Draws a cloth, a few balls and a rope on a floor: `cargo run --release --example raster_demo`.
//!
//! An argument names the picture; the default is `raster_demo.png`.

use glam::Vec3;
use pliant::raster::{Item, Material, Mesh, Scene, Sphere, Tube, render, srgb};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| "raster_demo.png".into(), PathBuf::from);
    let image = render(&scene(), 1280, 800);
    pliant_io::image::write(&image, &path)?;
    Ok(())
}

fn scene() -> Scene {
    let mut scene = Scene::framing([Vec3::new(-1.15, 0.0, -0.8), Vec3::new(1.15, 0.95, 0.8)]);
    scene.samples = 4;
    scene.items.push(cloth(71));
    scene.items.push(rope());
    let balls = [
        ([0.0, 0.46, 0.0], 0.30, 0xf2b134),
        ([1.02, 0.16, 0.42], 0.16, 0xe4572e),
        ([0.86, 0.10, 0.78], 0.10, 0x2a9d8f),
        ([-0.92, 0.13, 0.62], 0.13, 0x4a6fe3),
        ([-0.66, 0.07, 0.86], 0.07, 0xe9c46a),
    ];
    for (center, radius, color) in balls {
        let material = Material { color: srgb(color), roughness: 0.28, ..Material::default() };
        scene.items.push(Item::Sphere(Sphere { center: center.into(), radius, material }));
    }
    scene
}

/// A square cloth of `n` × `n` vertices that lies over the largest ball and down to the floor.
fn cloth(n: usize) -> Item {
    let at = |i: usize| (i as f32 / (n - 1) as f32 - 0.5) * 1.7;
    let height = |x: f32, z: f32| {
        let (r, angle) = ((x * x + z * z).sqrt(), libm::atan2f(z, x));
        let out = (r - 0.22).max(0.0);
        let folds = libm::sinf(angle * 7.0 + 2.0 * r) * (out * 0.35).min(0.13);
        let dome = 0.46 + (0.31_f32 * 0.31 - (r * 0.8).min(0.31) * (r * 0.8).min(0.31)).sqrt();
        let hang = dome - 1.3 * out * out / (out + 0.18);
        (hang + folds).max(0.012 + 0.02 * (1.0 + libm::sinf(11.0 * x) * libm::cosf(9.0 * z)))
    };
    let mut mesh = Mesh { back: Some(srgb(0xf4e6d4)), ..Mesh::default() };
    mesh.material =
        Material { color: srgb(0xc8385a), roughness: 0.75, translucency: 0.25, ..mesh.material };
    for j in 0..n {
        mesh.positions.extend((0..n).map(|i| Vec3::new(at(i), height(at(i), at(j)), at(j))));
    }
    let index = |i: usize, j: usize| (j * n + i) as u32;
    for j in 1..n {
        for i in 1..n {
            let [a, b, c, d] = [index(i - 1, j - 1), index(i - 1, j), index(i, j), index(i, j - 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Item::Mesh(mesh)
}

/// A rope that lies in loops and rises at one end.
fn rope() -> Item {
    let points = (0..160).map(|k| {
        let t = k as f32 / 159.0;
        let (sin, cos) = libm::sincosf(t * 15.0);
        let rise = (t - 0.75).max(0.0);
        let r = 0.26 - 0.10 * t;
        Vec3::new(
            -1.05 + r * cos + 0.35 * rise,
            0.03 + 0.05 * t + 11.0 * rise * rise,
            -0.42 + r * sin,
        )
    });
    let material = Material { color: srgb(0x3d7ea6), roughness: 0.6, ..Material::default() };
    Item::Tube(Tube { points: points.collect(), radius: 0.03, material })
}
