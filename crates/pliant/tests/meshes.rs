//! Meshes that were made by others: distances, voxels, tetrahedra and skins.
//!
//! They are found through `PLIANT_TEST_DATA`; without it these tests say that they did not run.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use pliant::glam::Vec3;
use pliant::mesh::TriMesh;
use pliant::mesh::sdf::SignedDistance;

/// A mesh of the test data, or `None` with a word where there is no such data.
fn mesh(name: &str) -> Option<TriMesh> {
    let Some(folder) = std::env::var_os("PLIANT_TEST_DATA") else {
        println!("not run: PLIANT_TEST_DATA is not set");
        return None;
    };
    let text = fs::read_to_string(Path::new(&folder).join("meshes").join(name)).unwrap();
    Some(if name.ends_with(".off") { off(&text) } else { obj(&text) })
}

fn off(text: &str) -> TriMesh {
    let mut numbers = text.split_whitespace().skip(1).map(|word| word.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (vertices, faces, _) = (next(), next(), next());
    let positions = (0..vertices as usize)
        .map(|_| Vec3::from_array([next(), next(), next()].map(|x| x as f32)))
        .collect();
    let triangles = (0..faces as usize)
        .map(|_| {
            assert_eq!(next(), 3.0);
            [next(), next(), next()].map(|corner| corner as u32)
        })
        .collect();
    TriMesh { positions, triangles }
}

fn obj(text: &str) -> TriMesh {
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f32> = words.take(3).map(|word| word.parse().unwrap()).collect();
                mesh.positions.push(Vec3::from_slice(&x));
            }
            Some("f") => {
                let corner =
                    |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let corners: Vec<u32> = words.map(corner).collect();
                let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]);
                mesh.triangles.extend(fan);
            }
            _ => {}
        }
    }
    mesh
}

/// Points all over the box around a mesh and a little beyond.
fn points(mesh: &TriMesh, count: u32) -> impl Iterator<Item = Vec3> {
    let bounds = mesh.bounds();
    let bounds = bounds.grown(0.1 * bounds.size().max_element());
    (0..count).map(move |k| {
        // The fractions of multiples of irrational numbers are spread evenly.
        let share = |step: f64| (f64::from(k) * step).fract() as f32;
        let at = Vec3::new(share(0.819_172_51), share(0.671_043_6), share(0.549_700_47));
        bounds.low + bounds.size() * at
    })
}

#[test]
fn the_inside_has_the_volume_of_the_mesh() {
    for (name, volume) in
        [("spot.obj", 0.718259), ("bunny.off", 7.53934e-4), ("torus.obj", 1.21878)]
    {
        let Some(mesh) = mesh(name) else { return };
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-5, "{name}: {}", mesh.volume());
        let count = 40_000;
        let size = (mesh.bounds().size() + 0.2 * mesh.bounds().size().max_element()).as_dvec3();
        let sdf = SignedDistance::new(mesh).unwrap();
        let inside = points(sdf.surface(), count).filter(|&x| sdf.is_inside(x)).count();
        let share = inside as f64 / f64::from(count);
        let found = share * size.x * size.y * size.z;
        assert!((found / volume - 1.0).abs() < 0.01, "{name}: {found} m³, not {volume}");
    }
}

#[test]
fn a_winding_number_is_whole_where_the_mesh_is_closed() {
    for name in ["spot.obj", "bunny.off", "armadillo.obj", "liver.obj"] {
        let Some(mesh) = mesh(name) else { return };
        let near = 1e-3 * mesh.bounds().size().max_element();
        let sdf = SignedDistance::new(mesh).unwrap();
        for x in points(sdf.surface(), 4000).filter(|&x| sdf.distance(x).abs() > near) {
            let w = sdf.winding(x);
            assert!((w - w.round()).abs() < 0.02, "{name}: {w} at {x}");
        }
    }
}

#[test]
fn a_cube_without_a_bottom_has_an_inside() {
    let Some(mesh) = mesh("cube_no_bottom.obj") else { return };
    let bounds = mesh.bounds();
    let sdf = SignedDistance::new(mesh).unwrap();
    let (middle, half) = ((bounds.low + bounds.high) / 2.0, bounds.size() / 2.0);
    let mut counts = [0; 2];
    for x in points(sdf.surface(), 4000) {
        let inside = ((x - middle) / half).abs().max_element();
        // The missing side is closed by a bulge: leave out what is near a side.
        if inside < 0.6 || inside > 1.15 {
            assert_eq!(sdf.is_inside(x), inside < 1.0, "{x}, w = {}", sdf.winding(x));
            counts[usize::from(inside < 1.0)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn an_open_teapot_holds_what_it_should() {
    let Some(mesh) = mesh("teapot.obj") else { return };
    let bounds = mesh.bounds();
    let sdf = SignedDistance::new(mesh).unwrap();
    let middle = (bounds.low + bounds.high) / 2.0;
    assert!(sdf.is_inside(middle), "w = {}", sdf.winding(middle));
    for x in points(sdf.surface(), 4000) {
        if bounds.grown(0.01 * bounds.size().x).low.cmpgt(x).any() {
            assert!(!sdf.is_inside(x), "{x} is outside of the box");
        }
    }
}
