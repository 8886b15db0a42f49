//! A block of rubber, pulled and pressed.

use glam::{UVec3, Vec3};

use super::rig::specimen::{Machine, Mesher, Specimen, as_it_is, hold_side, pull_at, reaction};
use super::rig::{position, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};
use crate::material::{Damping, Solid};
use crate::shapes::Model;

/// A neo-Hookean block stretched by s gets narrower and pulls as its energy says.
///
/// ```text
/// J = 1 + μ/(λ+μ) (1 − 1/s),   t = √(J/s),   P = μ (s − t²/s)
/// ```
///
/// t is the stretch across, P the force over the area at rest. They follow from
/// Ψ = μ/2 (I − 3) − μ(J − 1) + (λ+μ)/2 (J − 1)² with no stress across (Macklin and Müller 2021).
pub const LAW: &Law = &Law {
    name: "neo_hookean",
    covers: &["P18"],
    setup: "a cube of 384 tetrahedra between two plates that slide, at six stretches and two \
            ratios of Poisson",
    claim: "a block of rubber gets narrower and pulls by the neo-Hookean law, up to twice its length",
    source: "Macklin and Müller 2021, with Lamé's λ put right; closed form for uniaxial stress",
    tolerance: "tetrahedra of constant strain are exact here: what is left is the solver, at 10 \
                iterations",
    accident: "with λ for λ + μ, Poisson's ratio 0.30 would act as 0.167; without V₀ in the \
               compliance the pull would change with the mesh",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 1e5, [1e4, 1e7], "Young's modulus").symbol("E"),
        Param::count("cells", 4, [4, 8], "cells along an edge, of six tetrahedra each"),
        Mesher::PARAM,
        Param::count("iterations", 10, [10, 200], "solver iterations of a step"),
    ],
    measure,
    figure: Some(figure),
};

/// Poisson's ratios.
const POISSON: [f32; 2] = [0.30, 0.45];
/// Stretches.
const STRETCHES: [f64; 6] = [0.9, 1.05, 1.1, 1.25, 1.5, 2.0];
/// Share by which the pull may differ.
const PULL: f64 = 5e-3;
/// How far the stretch across may be off.
const ACROSS: f64 = 1e-3;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for poisson in POISSON {
        let (mut pulls, mut widths) = (Vec::new(), Vec::new());
        for s in STRETCHES {
            let [pull, width] = stretched(params, poisson, s)?;
            pulls.push(pull);
            widths.push(width);
        }
        measured.extend(worst(pulls));
        measured.extend(worst(widths));
    }
    Ok(measured)
}

/// Pull and stretch across of a block stretched by `s`.
fn stretched(params: &Params, poisson: f32, s: f64) -> Result<[Measured; 2], LawError> {
    let young = params.get("young") as f32;
    let specimen = Specimen {
        mesher: Mesher::of(params),
        cells: UVec3::splat(params.count("cells")),
        size: Vec3::ONE,
        material: Solid { young, poisson, density: 1000.0, damping: Damping::NONE },
        model: Model::NeoHookean,
        form: as_it_is,
    };
    let mut machine = Machine::new(&specimen, params.count("iterations"))?;
    let world = &mut machine.world;
    for i in 0..world.particles.len() {
        let x = position(world, i).as_vec3() * Vec3::new(1.0, s as f32, 1.0);
        world.particles.set_position(i, x);
    }
    let half = 0.5 * s as f32;
    for (side, level) in
        [((1, 1.0), half), ((1, -1.0), -half), ((0, -1.0), -0.5), ((2, -1.0), -0.5)]
    {
        hold_side(world, &specimen, side, level)?;
    }
    machine.settle()?;

    let expected = pull_at(specimen.model, &specimen.material, s);
    let world = &machine.world;
    let pull = reaction(world, (1, 1.0)) / specimen.area((1, 1.0));
    let width = 0.5 * (specimen.stretch(world, 0) + specimen.stretch(world, 2));
    let named = |what| format!("{what} at stretch {s}, Poisson's ratio {poisson}");
    Ok([
        Measured::new(named("pull"), "Pa", [pull, expected[0]], Tolerance::Relative(PULL)),
        Measured::new(
            named("stretch across"),
            "",
            [width, expected[1]],
            Tolerance::Absolute(ACROSS),
        ),
    ])
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let young = params.get("young") as f32;
    let mut curves = Vec::new();
    for poisson in POISSON {
        let material = Solid { young, poisson, ..Solid::default() };
        let line = (0..=60).map(|i| 0.85 + 0.02 * f64::from(i));
        let line = line.map(|s| [s, 1e-3 * pull_at(Model::NeoHookean, &material, s)[0]]).collect();
        curves.push(Curve::line(format!("formula, ν = {poisson}"), line));
        let mut points = Vec::new();
        for s in STRETCHES {
            points.push([s, 1e-3 * stretched(params, poisson, s)?[0].measured]);
        }
        curves.push(Curve::dots(format!("block, ν = {poisson}"), points));
    }
    Ok(Figure {
        title: "A block of rubber, pulled and pressed".into(),
        axes: ["stretch".into(), "pull over the area at rest (kPa)".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}
