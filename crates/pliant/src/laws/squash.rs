//! A cube of rubber that is squashed and let go.

use glam::{UVec3, Vec3};

use super::rig::{FRAME, config, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::Solid;
use crate::mesh::TetMesh;
use crate::shapes::{ElasticBody, Model};
use crate::world::{Config, World};

/// A cube that hardly changes its volume has it again after it was squashed or flattened, and
/// no tetrahedron is inverted. What was turned inside out may come to rest tangled, in another minimum.
pub const LAW: &Law = &Law {
    name: "squash",
    covers: &["P28"],
    setup: "a cube of neo-Hookean tetrahedra of Poisson's ratio 0.49, squashed to 40 % or to 0.1 % of its \
            height and let go; two meshes, two numbers of substeps",
    claim: "a squashed cube of rubber comes back: its volume, and every tetrahedron the right way round",
    source: "the rest shape is the lowest minimum of the energy of Macklin and Müller 2021",
    tolerance: "1 % of the volume for what still swings when it is read",
    accident: "a wrong gradient of the volume, or a root that loses its sign, leaves tetrahedra \
               inverted or the cube at another volume",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 2e4, [1e4, 1e5], "Young's modulus").symbol("E"),
        Param::number("poisson", "", 0.49, [0.3, 0.49], "Poisson's ratio").symbol("nu"),
        Param::number("seconds", "s", 3.0, [2.0, 10.0], "time to come back"),
    ],
    measure,
    figure: None,
};

/// Side of the cube (m).
const SIDE: f32 = 0.2;
/// What is done to it.
const SPOILT: [(&str, Vec3); 2] =
    [("squashed", Vec3::new(1.3, 0.4, 1.3)), ("flattened", Vec3::new(1.0, 1e-3, 1.0))];
/// Cells along an edge, and substeps of a frame.
const WAYS: [(u32, u32); 2] = [(2, 40), (3, 60)];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for (what, squash) in SPOILT {
        for (cells, substeps) in WAYS {
            let [ratio, inverted] = released(params, squash, (cells, substeps))?;
            let named = |number| format!("{number}, {what}, {cells} cells, {substeps} substeps");
            let one = Tolerance::Relative(0.01);
            measured.push(Measured::new(named("volume over that at rest"), "", [ratio, 1.0], one));
            let none = Tolerance::Absolute(0.0);
            measured.push(Measured::new(named("inverted tetrahedra"), "", [inverted, 0.0], none));
        }
    }
    Ok(measured)
}

/// Volume over that at rest, and the number of tetrahedra that are inside out.
fn released(
    params: &Params,
    squash: Vec3,
    (cells, substeps): (u32, u32),
) -> Result<[f64; 2], LawError> {
    let material = Solid {
        young: params.get("young") as f32,
        poisson: params.get("poisson") as f32,
        ..Solid::default()
    };
    let mesh = TetMesh::block(UVec3::splat(cells), Vec3::splat(SIDE));
    let body = ElasticBody { mesh: mesh.clone(), material, model: Model::NeoHookean, radius: 0.0 };
    let mut world = World::new(Config { damping: 4.0, ..config(substeps, 4) });
    world.add(&body.blueprint()?)?;
    for (i, &x) in mesh.positions.iter().enumerate() {
        world.particles.set_position(i, x * squash);
    }
    run(&mut world, (params.get("seconds") / FRAME) as u32)?;
    let positions = (0..mesh.positions.len()).map(|i| world.particles.position(i)).collect();
    let now = TetMesh { positions, tets: mesh.tets };
    let inverted = now.tets.iter().filter(|&&tet| now.volume(tet) <= 0.0).count();
    let volume: f64 = now.volumes().iter().map(|&v| f64::from(v)).sum();
    Ok([volume / f64::from(SIDE).powi(3), inverted as f64])
}
