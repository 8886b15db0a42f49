//! A cut loses nothing.

use glam::{UVec3, Vec3};

use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::body::Blueprint;
use crate::cut::Blade;
use crate::look;
use crate::mesh::TriMesh;
use crate::shapes::{Cloth, Lattice, TetBox};
use crate::testing::Random;
use crate::world::World;

/// Cuts keep mass, area and volume, and a plane through a body makes two of it.
pub const LAW: &Law = &Law {
    name: "cutting",
    covers: &["P35"],
    setup: "a cloth, a box of tetrahedra and a lattice are cut by a plane, the cloth then by random planes too",
    claim: "a plane cuts a body in two; no cut changes its mass, the area of a cloth, or the volume of a \
            solid",
    source: "conservation of mass; Molino et al. 2004 for elements that are copied",
    tolerance: "rounding of sums of single precision: 1e-6 for a cut, 1e-5 for many",
    accident: "planes at random angles pass near vertices, along edges and through slivers; a copy that \
               takes the mass of its original, or a triangle that is left out, shows at its full size",
    quick: true,
    cpu_only: None,
    params: &[
        Param::count("cuts", 6, [1, 20], "random planes through the cloth after the first"),
        Param::count("seed", 1, [0, 1_000_000], "of the planes"),
    ],
    measure,
    figure: None,
};

/// Area (m²) or volume (m³).
type Size = fn(&TriMesh) -> f64;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let solid = TetBox { counts: UVec3::splat(5), ..TetBox::default() };
    let bodies: [(&str, Blueprint, Size); 3] = [
        ("cloth", Cloth { columns: 21, rows: 21, ..Cloth::default() }.blueprint()?, area),
        ("tetrahedra", solid.blueprint()?, TriMesh::volume),
        ("lattice", Lattice::default().blueprint()?, TriMesh::volume),
    ];
    let mut measured = Vec::new();
    for (name, body, size) in bodies {
        let mut world = World::default();
        world.add(&body)?;
        let before = [mass(&world), sizes(&world, size)];
        world.cut(&Blade::plane(Vec3::new(0.003, 0.0, 0.001), Vec3::new(1.0, 0.1, 0.2))?)?;
        let what = format!("bodies after a plane, {name}");
        let pieces = [world.bodies().count() as f64, 2.0];
        measured.push(Measured::new(what, "", pieces, Tolerance::Absolute(0.0)));
        measured.extend(kept(&format!("{name}, one cut"), &world, before, (size, 1e-6)));
        if name == "cloth" {
            let mut random = Random::new(params.get("seed") as u64);
            for _ in 0..params.count("cuts") {
                let normal = random.vector(1.0).normalize_or(Vec3::X);
                world.cut(&Blade::plane(random.vector(0.03), normal)?)?;
            }
            let what = format!("{name}, {} cuts", 1 + params.count("cuts"));
            measured.extend(kept(&what, &world, before, (size, 1e-5)));
        }
        let found = f64::from(u8::from(world.check().is_err()));
        let what = format!("worlds that are not whole, {name}");
        measured.push(Measured::new(what, "", [found, 0.0], Tolerance::Absolute(0.0)));
    }
    Ok(measured)
}

/// Mass, and area or volume, over what they were.
fn kept(
    what: &str,
    world: &World,
    before: [f64; 2],
    (size, tolerance): (Size, f64),
) -> [Measured; 2] {
    let tolerance = Tolerance::Relative(tolerance);
    [
        Measured::new(format!("mass, {what}"), "kg", [mass(world), before[0]], tolerance),
        Measured::new(
            format!("area or volume, {what}"),
            "",
            [sizes(world, size), before[1]],
            tolerance,
        ),
    ]
}

/// Σ m (kg).
fn mass(world: &World) -> f64 {
    world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum()
}

/// The size of all that is seen.
fn sizes(world: &World, size: Size) -> f64 {
    world.bodies().filter_map(|(_, body)| look::surface(world, body)).map(|s| size(&s)).sum()
}

/// Area of a surface (m²).
fn area(surface: &TriMesh) -> f64 {
    let of = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| surface.positions[i as usize].as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    };
    surface.triangles.iter().map(of).sum()
}
