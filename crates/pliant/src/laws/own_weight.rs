//! A bar that hangs.

use glam::{UVec3, Vec3};

use super::rig::specimen::{Machine, Mesher, Specimen, as_it_is, hold_side, uniaxial};
use super::rig::{FRAME, down};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::{Damping, Solid};
use crate::shapes::Model;

/// A hanging bar gets longer under its own weight, whatever the mesh and the time step.
///
/// ```text
/// δ = ∫ (s(P) − 1) dX,   P = ρ g X       X from the free end; for small strains ρgL²/2E
/// ```
///
/// s(P) is the stretch at which a neo-Hookean bar pulls with P; see the law `neo_hookean`.
pub const LAW: &Law = &Law {
    name: "own_weight",
    covers: &["P21"],
    setup: "a bar of tetrahedra hangs by one end; two meshes, two numbers of substeps",
    claim: "a hanging bar gets longer by ρgL²/2E, a little more where strains are large, on two \
            meshes and at two numbers of substeps",
    source: "statics, with the neo-Hookean stress integrated along the bar",
    tolerance: "what 10 iterations leave of the longer substep",
    accident: "two meshes and two numbers of substeps: what locks is stiffer on the coarse one, what \
               is not solved is softer in the long step",
    quick: false,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("young", "Pa", 1e5, [5e4, 1e6], "Young's modulus").symbol("E"),
        Param::number("density", "kg/m³", 1000.0, [500.0, 2000.0], "mass per volume"),
        Param::number("poisson", "", 0.3, [0.0, 0.45], "Poisson's ratio"),
        Mesher::PARAM,
        Param::count("iterations", 10, [10, 200], "solver iterations of a substep"),
    ],
    measure,
    figure: None,
};

/// Share by which the lengthening may differ.
const TOLERANCE: f64 = 0.01;
/// Length of the bar (m); it is a quarter as wide.
const LENGTH: f64 = 1.0;
/// Cells across and along.
const MESHES: [[u32; 2]; 2] = [[1, 8], [2, 16]];
/// Substeps of a frame of 1/60 s.
const SUBSTEPS: [u32; 2] = [10, 40];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let expected = lengthening(params);
    let mut measured = Vec::new();
    for [across, along] in MESHES {
        for substeps in SUBSTEPS {
            let what = format!("lengthening, {along} cells along, {substeps} substeps");
            let numbers = [hung(params, [across, along], substeps)?, expected];
            measured.push(Measured::new(what, "m", numbers, Tolerance::Relative(TOLERANCE)));
        }
    }
    Ok(measured)
}

/// By how much a bar of that many cells across and along gets longer (m).
fn hung(params: &Params, [across, along]: [u32; 2], substeps: u32) -> Result<f64, LawError> {
    let specimen = Specimen {
        mesher: Mesher::of(params),
        cells: UVec3::new(across, along, across),
        size: Vec3::new(0.25, 1.0, 0.25) * LENGTH as f32,
        material: Solid {
            young: params.get("young") as f32,
            poisson: params.get("poisson") as f32,
            density: params.get("density") as f32,
            damping: Damping::NONE,
        },
        model: Model::NeoHookean,
        form: as_it_is,
    };
    let mut machine = Machine::new(&specimen, params.count("iterations"))?;
    machine.world.config.gravity = down(params.get("gravity"));
    machine.set_step(FRAME, substeps);
    hold_side(&mut machine.world, &specimen, (1, 1.0), 0.5 * LENGTH as f32)?;
    machine.settle()?;
    Ok((specimen.stretch(&machine.world, 1) - 1.0) * LENGTH)
}

/// δ by the midpoint rule, in enough pieces that a finer one changes nothing (m).
fn lengthening(params: &Params) -> f64 {
    const PIECES: u32 = 200;
    let weight = params.get("density") * params.get("gravity") * LENGTH;
    let solid = Solid {
        young: params.get("young") as f32,
        poisson: params.get("poisson") as f32,
        ..Solid::default()
    };
    let strain = |i| {
        let pull = weight * (f64::from(i) + 0.5) / f64::from(PIECES);
        uniaxial(Model::NeoHookean, &solid, pull)[0] - 1.0
    };
    (0..PIECES).map(strain).sum::<f64>() / f64::from(PIECES) * LENGTH
}
