//! A block of links, pulled.

use glam::{UVec3, Vec3};

use super::rig::specimen::{Machine, Mesher, Specimen, as_it_is, hold_side, pull_side};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::{Damping, Solid};
use crate::mesh::voxels::Voxels;
use crate::shapes::{ElasticLattice, Model, POISSON};

/// A lattice of links has the Young's modulus that it is given, and Poisson's ratio ¼ whatever.
///
/// Forces along the links between neighbours allow no other in an isotropic solid (Cauchy's
/// relations; Love 1927).
pub const LAW: &Law = &Law {
    name: "lattice",
    covers: &["P19"],
    setup: "a block of links is pulled along an axis; two meshes",
    claim: "a lattice of links pulled along an axis stretches by p/E, and its Poisson's ratio is 1/4",
    source: "Cauchy's relations (Love 1927); stiffness of the three kinds of links derived",
    tolerance: "strains of 0.5 % change the links' directions by as much",
    accident: "two meshes: links of equal stiffness, or of full stiffness on the border, would \
               differ by tens of per cent and with the mesh",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 1e5, [1e4, 1e7], "Young's modulus"),
        Param::number("tension", "", 0.005, [-0.005, 0.01], "tension as a share of it"),
        Param::count("iterations", 15, [10, 200], "solver iterations of a step"),
    ],
    measure,
    figure: None,
};

/// Share by which the strain along may differ: 1.5 times the strain, by which links that turn and
/// stretch depart from Hooke's law, and a bit.
const ALONG: f64 = 0.01;
/// How far Poisson's ratio may be off, for the same reason.
const RATIO: f64 = 0.01;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for cells in [2, 4] {
        let [along, ratio] = strains(params, cells)?;
        let named = |what| format!("{what}, {cells} cells across");
        let (numbers, allowed) = ([along, params.get("tension")], Tolerance::Relative(ALONG));
        measured.push(Measured::new(named("strain along"), "", numbers, allowed));
        let (numbers, allowed) = ([ratio, f64::from(POISSON)], Tolerance::Absolute(RATIO));
        measured.push(Measured::new(named("Poisson's ratio"), "", numbers, allowed));
    }
    Ok(measured)
}

/// The strain along the block, and Poisson's ratio.
fn strains(params: &Params, cells: u32) -> Result<[f64; 2], LawError> {
    let young = params.get("young") as f32;
    let specimen = Specimen {
        cells: UVec3::new(cells, 2 * cells, cells),
        size: Vec3::new(1.0, 2.0, 1.0),
        material: Solid { young, poisson: POISSON, density: 1000.0, damping: Damping::NONE },
        model: Model::NeoHookean,
        form: as_it_is,
        mesher: Mesher::Block,
    };
    let lattice = ElasticLattice {
        voxels: Voxels::block(specimen.cells + UVec3::ONE, 1.0 / cells as f32),
        young,
        density: specimen.material.density,
        damping: Damping::NONE,
        radius: 0.0,
    };
    let iterations = params.count("iterations");
    let mut machine = Machine::with(&specimen, &lattice.blueprint()?, iterations)?;
    for (side, level) in [((1, -1.0), -1.0), ((0, -1.0), -0.5), ((2, -1.0), -0.5)] {
        hold_side(&mut machine.world, &specimen, side, level)?;
    }
    let stress = params.get("tension") * f64::from(young);
    pull_side(&mut machine.world, &specimen, (1, 1.0), stress);
    machine.settle()?;
    let world = &machine.world;
    let along = specimen.stretch(world, 1) - 1.0;
    let across = 0.5 * (specimen.stretch(world, 0) + specimen.stretch(world, 2)) - 1.0;
    Ok([along, -across / along])
}
