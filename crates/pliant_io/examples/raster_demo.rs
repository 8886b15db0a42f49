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
    let mut scene = Scene::framing([Vec3::new(-1.1, 0.0, -0.3), Vec3::new(1.1, 1.3, 0.8)]);
    scene.samples = 4;
    scene.items.extend([cloth(101), torus(), coil()]);
    let wood = Material { color: srgb(0xb98a5e), roughness: 0.6, ..Material::default() };
    for x in [-1.05, 1.05] {
        let points = vec![Vec3::new(x, 0.0, 0.0), Vec3::new(x, 1.3, 0.0)];
        scene.items.push(Item::Tube(Tube { points, radius: 0.035, material: wood }));
    }
    let points = (0..=40).map(|k| rope(k as f32 / 40.0 * 2.1 - 1.05)).collect();
    let material = Material { color: srgb(0xf0e4cf), roughness: 0.8, ..Material::default() };
    scene.items.push(Item::Tube(Tube { points, radius: 0.014, material }));
    let balls = [
        ([0.86, 0.16, 0.50], 0.16, 0xf2a93b),
        ([0.58, 0.09, 0.74], 0.09, 0x2a9d8f),
        ([-0.10, 0.07, 0.80], 0.07, 0xe4572e),
    ];
    for (center, radius, color) in balls {
        let material = Material { color: srgb(color), roughness: 0.28, ..Material::default() };
        scene.items.push(Item::Sphere(Sphere { center: center.into(), radius, material }));
    }
    scene
}

/// The line on which the cloth hangs, at `x` (m).
fn rope(x: f32) -> Vec3 {
    Vec3::new(x, 1.2 + 0.06 * x * x, 0.0)
}

/// A surface of `n` × `n` vertices at `point(u, v)`, with u and v from 0 to 1.
fn grid(n: usize, material: Material, point: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let at = |k: usize| k as f32 / (n - 1) as f32;
    let positions = (0..n * n).map(|k| point(at(k % n), at(k / n))).collect();
    let mut mesh = Mesh { positions, material, ..Mesh::default() };
    for k in (0..n * (n - 1)).filter(|k| k % n < n - 1) {
        let [a, b, c, d] = [k, k + n, k + n + 1, k + 1].map(|i| i as u32);
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}

/// A cloth that hangs in folds and is lifted by the wind.
fn cloth(n: usize) -> Item {
    let color = srgb(0xb92f4b);
    let material = Material { color, roughness: 0.8, translucency: 0.3, ..Material::default() };
    let mut mesh = grid(n, material, |u, v| {
        let x = (u - 0.5) * 1.6;
        let folds = libm::sinf(19.0 * u + 2.5 * v) * 0.055 + libm::sinf(9.0 * u - 2.0 * v) * 0.05;
        let wind = 0.42 * v * v * (0.45 + 0.55 * u * u);
        rope(x) + Vec3::new(0.0, 0.1 * wind - 0.92 * v, folds * v.sqrt() + wind)
    });
    mesh.back = Some(srgb(0xf3dcc0));
    Item::Mesh(mesh)
}

/// A soft ring that leans on the floor.
fn torus() -> Item {
    let material = Material { color: srgb(0x5b6ee1), roughness: 0.3, ..Material::default() };
    Item::Mesh(grid(65, material, |u, v| {
        let (around, across) = (u * std::f32::consts::TAU, v * std::f32::consts::TAU);
        let r = 0.19 + 0.085 * libm::cosf(across);
        let y = 0.085 + 0.085 * libm::sinf(across);
        Vec3::new(-0.62 + r * libm::cosf(around), y, 0.55 + r * libm::sinf(around))
    }))
}

/// A coil of rope.
fn coil() -> Item {
    let points = (0..200).map(|k| {
        let t = k as f32 / 199.0;
        let (sin, cos) = libm::sincosf(t * 22.0);
        let r = 0.2 - 0.1 * t;
        Vec3::new(0.15 + r * cos, 0.025 + 0.06 * t, 0.42 + r * sin)
    });
    let material = Material { color: srgb(0x3d9a8b), roughness: 0.55, ..Material::default() };
    Item::Tube(Tube { points: points.collect(), radius: 0.025, material })
}
