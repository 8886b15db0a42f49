//! Fabrics over a disc.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, Vec3};

use super::rig::{down, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::Sheet;
use crate::material::presets::{self, Material};
use crate::mesh::TriMesh;
use crate::shapes::{ElasticShell, Folding};
use crate::testing::Random;
use crate::world::{Config, World};

/// A round piece of fabric over a smaller disc hangs as far in as its kind does.
///
/// ```text
/// drape coefficient = (A − a) / (A₀ − a)
/// ```
///
/// A is the area of its shadow, A₀ that of the piece, a that of the disc: 0 hangs straight down, 1 sticks
/// straight out. Cusick 1968, "The measurement of fabric drape": 30 cm on 18 cm.
pub const LAW: &Law = &Law {
    name: "drape",
    covers: &["P37"],
    setup: "round pieces of 30 cm of five materials, held between discs of 18 cm; two meshes",
    claim: "fabrics drape alike on two meshes, silk as silk does, and the others in the order of their stiffness",
    source: "method of Cusick 1968; ranges that are published for such fabrics",
    tolerance: "kinds of fabric spread over 15 to 30 points; two meshes should differ by 3 at the most, and not by more than 6",
    accident: "from silk to denim the coefficient goes from a third to nine tenths; a bending stiffness \
               that follows the mesh differs by tens of points between the two",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("seconds", "s", 2.0, [1.0, 10.0], "to come to rest"),
        Param::count("substeps", 20, [10, 100], "substeps in a frame of 1/60 s"),
        Param::count("iterations", 4, [1, 50], "solver iterations of a substep"),
    ],
    measure,
    figure: None,
};

/// Materials, and the least and the most that is published of such (%).
const BANDS: [(&str, [f64; 2]); 5] = [
    ("silk", [20.0, 40.0]),
    ("cotton", [60.0, 76.0]),
    ("wool", [40.0, 70.0]),
    ("leather", [47.0, 70.0]),
    ("denim", [70.0, 90.0]),
];
/// Radius of the piece and of the disc (m).
const PIECE: f64 = 0.15;
const DISC: f64 = 0.09;
/// Rings of particles: one of them lies on the edge of the disc.
const RINGS: [u32; 2] = [10, 15];
/// Why a material may be outside.
const FRICTION: &str = "a preset's stiffness is that of one member of its class, without the friction between \
                        yarns that holds folds of real fabric open; the bands are of other members";
/// Why meshes may differ by more.
const FOLDS: &str = "folds are whole in number, and one more or less is some points; a finer mesh needs more \
                     iterations for the same stiffness";
/// Points by which the two meshes should differ at the most (%); by twice that in any case.
const SPREAD: f64 = 3.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    let mut finest = Vec::new();
    for (name, [low, high]) in BANDS {
        let Some(Material::Sheet(sheet)) = presets::find(name).map(|preset| preset.material) else {
            return Err(params.unmeasurable(format!("{name} is no sheet")));
        };
        let mut coefficients = Vec::new();
        for rings in RINGS {
            let coefficient = 100.0 * coefficient(params, sheet, rings)?;
            let what = format!("drape coefficient of {name}, {rings} rings");
            let tolerance = Tolerance::Absolute(0.5 * (high - low));
            let numbers = [coefficient, 0.5 * (low + high)];
            let row = Measured::new(what, "%", numbers, tolerance);
            measured.push(if name == "silk" { row } else { row.limited(FRICTION) });
            coefficients.push(coefficient);
        }
        let what = format!("drape coefficient of {name}, coarse against fine");
        let numbers = [coefficients[0], coefficients[1]];
        let row = Measured::new(what, "%", numbers, Tolerance::Absolute(SPREAD));
        measured.push(row.limited(FOLDS));
        let what = format!("drape coefficient of {name}, points between the meshes");
        let numbers = [(coefficients[0] - coefficients[1]).abs(), 2.0 * SPREAD];
        measured.push(Measured::new(what, "%", numbers, Tolerance::AtMost));
        finest.push(coefficients[1]);
    }
    // Over the weight, silk is the softest, then cotton and wool, denim, and leather.
    let [silk, cotton, wool, leather, denim] = finest[..] else {
        return Err(params.unmeasurable("a material is missing"));
    };
    for (what, pair) in [
        ("cotton at least as stiff as silk", [cotton, silk]),
        ("wool at least as stiff as silk", [wool, silk]),
        ("denim at least as stiff as cotton", [denim, cotton]),
        ("denim at least as stiff as wool", [denim, wool]),
        ("leather at least as stiff as denim", [leather, denim]),
    ] {
        let what = format!("drape coefficient, {what}");
        measured.push(Measured::new(what, "%", pair, Tolerance::AtLeast));
    }
    Ok(measured)
}

fn coefficient(params: &Params, material: Sheet, rings: u32) -> Result<f64, LawError> {
    let mesh = disc(rings);
    let held = |x: &Vec3| f64::from(x.length()) < DISC + 1e-4;
    let pins: Vec<u32> =
        (0u32..).zip(&mesh.positions).filter(|(_, x)| held(x)).map(|(i, _)| i).collect();
    let triangles = mesh.triangles.clone();
    let shell = ElasticShell { mesh, material, warp: Vec3::X, folding: Folding::Plate };
    let mut world = World::new(Config {
        substeps: params.count("substeps"),
        iterations: params.count("iterations"),
        threads: 1,
        gravity: down(9.81),
        damping: 4.0,
        ..Config::default()
    });
    world.add(&shell.blueprint()?.pinned(&pins))?;
    // Something must decide where it folds.
    let mut random = Random::new(7);
    for i in 0..world.particles.len() {
        if !world.particles.pinned[i] {
            let x = world.particles.position(i) + Vec3::Y * random.between(-1e-4, 1e-4);
            world.particles.set_position(i, x);
        }
    }
    run(&mut world, (60.0 * params.get("seconds")) as u32)?;
    let seen = shadow(&world, &triangles);
    let [piece, disc] = [PIECE, DISC].map(|radius| PI * radius * radius);
    Ok((seen - disc) / (piece - disc))
}

/// A round piece of triangles: a middle, and rings of 6, 12, 18 … particles.
fn disc(rings: u32) -> TriMesh {
    let mut mesh = TriMesh { positions: vec![Vec3::ZERO], triangles: Vec::new() };
    let first = |ring: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    for ring in 1..=rings {
        let radius = PIECE * f64::from(ring) / f64::from(rings);
        let (count, inner) = (6 * ring, (6 * (ring - 1)).max(1));
        for k in 0..count {
            let angle = TAU * f64::from(k) / f64::from(count);
            let [x, z] = [libm::cos(angle), libm::sin(angle)].map(|c| (radius * c) as f32);
            mesh.positions.push(Vec3::new(x, 0.0, z));
            // Every sixth of a ring has one particle more than the ring inside it.
            let (side, along) = (k / ring, k % ring);
            let out = |k: u32| first(ring) + k % count;
            let inn = |k: u32| first(ring - 1) + k % inner;
            let near = side * (ring - 1) + along;
            mesh.triangles.push([inn(near), out(k + 1), out(k)]);
            if along > 0 {
                mesh.triangles.push([inn(near - 1), inn(near), out(k)]);
            }
        }
    }
    mesh
}

/// The area that triangles cover as seen from above (m²), counted on a grid of half a millimetre.
fn shadow(world: &World, triangles: &[[u32; 3]]) -> f64 {
    const CELL: f64 = 5e-4;
    let half = (1.2 * PIECE / CELL) as i64;
    let wide = (2 * half + 1) as usize;
    let mut covered = vec![false; wide * wide];
    for triangle in triangles {
        let corners = triangle.map(|i| {
            let x = position(world, i as usize);
            DVec2::new(x.x, x.z) / CELL
        });
        let [low, high] = [
            corners[0].min(corners[1]).min(corners[2]),
            corners[0].max(corners[1]).max(corners[2]),
        ];
        let span =
            |low: f64, high: f64| (low.ceil() as i64).max(-half)..=(high.floor() as i64).min(half);
        for row in span(low.y, high.y) {
            for column in span(low.x, high.x) {
                if is_inside(corners, DVec2::new(column as f64, row as f64)) {
                    covered[(row + half) as usize * wide + (column + half) as usize] = true;
                }
            }
        }
    }
    covered.iter().filter(|&&cell| cell).count() as f64 * CELL * CELL
}

/// Whether a point is in a triangle that goes around either way.
fn is_inside([a, b, c]: [DVec2; 3], point: DVec2) -> bool {
    let side = |from: DVec2, to: DVec2| (to - from).perp_dot(point - from);
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0)
}
