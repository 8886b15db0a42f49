//! How long does a picture take? `cargo run --release -p pliant_io --example raster_time`.
//!
//! 640 × 480 pixels of 2 × 2 samples: a cloth of 10,082 triangles, eight balls and the ground.
//! Prints the least and the median of 30 pictures (ms); `taskset -c 0` measures one core.

use glam::Vec3;
use pliant::raster::{Item, Material, Mesh, Scene, Sphere, render, srgb};
use std::time::Instant;

fn main() {
    let scene = scene();
    let mut times: Vec<f64> = (0..30)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(render(&scene, 640, 480));
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("least {:.1} ms, median {:.1} ms", times[0], times[times.len() / 2]);
}

fn scene() -> Scene {
    const N: u32 = 72;
    let at = |k: u32| k as f32 / (N - 1) as f32 * 2.0 - 1.0;
    let height = |x: f32, z: f32| 0.5 + 0.1 * libm::sinf(7.0 * x) * libm::cosf(5.0 * z);
    let positions = (0..N * N).map(|k| (at(k % N), at(k / N)));
    let mut mesh = Mesh {
        positions: positions.map(|(x, z)| Vec3::new(x, height(x, z), z)).collect(),
        back: Some(srgb(0xf3dcc0)),
        ..Mesh::default()
    };
    mesh.material.color = srgb(0xb92f4b);
    for k in (0..N * (N - 1)).filter(|k| k % N < N - 1) {
        mesh.triangles.extend([[k, k + N, k + N + 1], [k, k + N + 1, k + 1]]);
    }
    let mut scene = Scene::framing([Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.8, 1.0)]);
    scene.items.push(Item::Mesh(mesh));
    for k in 0..8 {
        let (sin, cos) = libm::sincosf(k as f32 * 0.785);
        let material = Material { color: srgb(0xf2a93b), ..Material::default() };
        let center = Vec3::new(0.8 * cos, 0.75, 0.8 * sin);
        scene.items.push(Item::Sphere(Sphere { center, radius: 0.12, material }));
    }
    scene
}
