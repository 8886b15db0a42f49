//! A cylinder, pulled.

use glam::{DVec3, UVec3, Vec3};

use super::rig::position;
use super::rig::specimen::{
    Machine, Mesher, Specimen, as_it_is, hold_side, pull_side, round, uniaxial,
};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::{Damping, Solid};
use crate::shapes::Model;

/// A cylinder under the tension p gets longer by p/E and thinner by νp/E; at strains of a per cent
/// the models differ from that, and from each other, by per cents of it.
pub const LAW: &Law = &Law {
    name: "traction",
    covers: &["P19"],
    setup: "a cylinder of tetrahedra, one end on a plane, the other pulled; two models, two \
            ratios of Poisson",
    claim: "a cylinder under the tension p gets longer by p/E of its length and thinner by \
            Poisson's ratio times that",
    source: "Hooke's law; the set-up is that of SOFA's LinearElasticity_test",
    tolerance: "the solver at 15 iterations; 0.01 of Poisson's ratio is 1e-4 of the radius",
    accident: "two materials that share Young's modulus only, and two models with different \
               constraints; a factor in one of Lamé's constants changes one of the two strains",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 1e5, [1e4, 1e7], "Young's modulus").symbol("E"),
        Param::number("poisson", "", 0.3, [0.1, 0.45], "Poisson's ratio of the second material"),
        Param::number("tension", "", 0.01, [-0.01, 0.02], "tension as a share of Young's modulus"),
        Mesher::PARAM,
        Param::count("iterations", 15, [10, 200], "solver iterations of a step"),
    ],
    measure,
    figure: None,
};

/// Share by which the strain along may differ.
const ALONG: f64 = 0.01;
/// How far Poisson's ratio may be off.
const RATIO: f64 = 0.01;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for (model, name) in
        [(Model::NeoHookean, "neo-Hookean"), (Model::SaintVenantKirchhoff, "Kirchhoff")]
    {
        for poisson in [0.0, params.get("poisson")] {
            let material = material(params, poisson);
            let [s, t] = uniaxial(model, &material, params.get("tension") * params.get("young"));
            let expected = [s - 1.0, (1.0 - t) / (s - 1.0)];
            let strains = strains(params, material, model)?;
            let named = |what| format!("{what}, {name}, ν = {poisson}");
            let (numbers, allowed) = ([strains[0], expected[0]], Tolerance::Relative(ALONG));
            measured.push(Measured::new(named("strain along"), "", numbers, allowed));
            let (numbers, allowed) = ([strains[1], expected[1]], Tolerance::Absolute(RATIO));
            measured.push(Measured::new(named("Poisson's ratio"), "", numbers, allowed));
        }
    }
    Ok(measured)
}

fn material(params: &Params, poisson: f64) -> Solid {
    let (young, poisson) = (params.get("young") as f32, poisson as f32);
    Solid { young, poisson, density: 1000.0, damping: Damping::NONE }
}

/// The strain along the cylinder, and Poisson's ratio.
fn strains(params: &Params, material: Solid, model: Model) -> Result<[f64; 2], LawError> {
    let (young, tension) = (params.get("young"), params.get("tension"));
    let mesher = Mesher::of(params);
    // Between two rows of particles the sides of a stuffed bar have particles too: made round, it
    // would bulge between the rows and be no cylinder. A square bar is as good.
    let form = if mesher == Mesher::Block { round } else { as_it_is };
    let specimen = Specimen {
        mesher,
        cells: UVec3::new(4, 8, 4),
        size: Vec3::new(1.0, 2.5, 1.0),
        material,
        model,
        form,
    };
    let mut machine = Machine::new(&specimen, params.count("iterations"))?;
    hold_side(&mut machine.world, &specimen, (1, -1.0), -1.25)?;
    pull_side(&mut machine.world, &specimen, (1, 1.0), tension * young);
    machine.settle()?;
    let along = specimen.stretch(&machine.world, 1) - 1.0;
    let at_rest = specimen.mesh().positions;
    let now = |i: usize| position(&machine.world, i);
    let across = spread(at_rest.len(), now) / spread(at_rest.len(), |i| at_rest[i].as_dvec3());
    Ok([along, (1.0 - across) / along])
}

/// How far the points are from their common axis along y, root mean square (m).
fn spread(count: usize, point: impl Fn(usize) -> DVec3) -> f64 {
    let flat = |i| point(i) * DVec3::new(1.0, 0.0, 1.0);
    let centre = (0..count).map(flat).sum::<DVec3>() / count as f64;
    let square: f64 = (0..count).map(|i| flat(i).distance_squared(centre)).sum();
    (square / count as f64).sqrt()
}
