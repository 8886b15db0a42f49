//! A bar that rings and fades.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{UVec3, Vec3};

use super::rig::position;
use super::rig::specimen::{Mesher, Specimen, as_it_is, hold_side};
use super::rig::stepper::step;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::{Damping, Solid};
use crate::shapes::Model;
use crate::world::{Config, Precision, World};

/// A bar that was pulled and let go rings at √(E/ρ)/4L and fades by its damping ratio.
///
/// ```text
/// amplitude after n periods: exp(−2πn ζ'/√(1 − ζ'²)),   ζ' = ζ + ωh/2
/// ```
///
/// ωh/2 is what backward Euler takes (Macklin et al. 2016 call it numerical damping).
pub const LAW: &Law = &Law {
    name: "vibration",
    covers: &["P15"],
    setup: "a bar is pulled, let go and rings; two meshes",
    claim: "a bar rings at √(E/ρ)/4L and fades by the damping ratio of its material, on two meshes",
    source: "the wave equation with Kelvin and Voigt's dashpots; loss of backward Euler derived",
    tolerance: "masses at the nodes lengthen a period by (π/2n)²/24, 0.64 % for 4 cells; the \
                ratio is read from two crests",
    accident: "a dashpot per element that did not follow its stiffness would fade with the mesh; \
               the expected loss is more than half the material's",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 1e5, [2e4, 1e6], "Young's modulus"),
        Param::number("ratio", "", 0.05, [0.02, 0.2], "damping ratio at the bar's own frequency"),
        Param::count("iterations", 5, [5, 50], "solver iterations of a step"),
    ],
    measure,
    figure: None,
};

/// Share by which the period may differ.
const PERIOD: f64 = 0.01;
/// Share by which the damping ratio may differ.
const RATIO: f64 = 0.05;
/// Length of the bar (m).
const LENGTH: f64 = 1.0;
/// Mass per volume (kg/m³).
const DENSITY: f64 = 1000.0;
/// Steps of a period.
const STEPS: u32 = 1000;
/// Stretch of the bar when it is let go.
const PULL: f64 = 0.01;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    let period = 4.0 * LENGTH * (DENSITY / params.get("young")).sqrt();
    // ωh/2 with ωT = 2π.
    let expected = params.get("ratio") + PI / f64::from(STEPS);
    for cells in [4, 8] {
        let tip = ring(params, cells, period)?;
        let [first, second] = lowest(&tip);
        let fading = (first.1 / second.1).ln() / (2.0 * PI);
        let ratio = fading / (1.0 + fading * fading).sqrt();
        // The damped period is longer by √(1 − ζ²).
        let measured_period = (second.0 - first.0) * (1.0 - ratio * ratio).sqrt() * period;
        let named = |what: &str| format!("{what}, {cells} cells along");
        let numbers = [measured_period, period];
        measured.push(Measured::new(named("period"), "s", numbers, Tolerance::Relative(PERIOD)));
        let numbers = [ratio, expected];
        let tolerance = Tolerance::Relative(RATIO);
        measured.push(Measured::new(named("damping ratio"), "", numbers, tolerance));
    }
    Ok(measured)
}

/// How far the free end is from rest (m) after each step of two and a half periods.
fn ring(params: &Params, cells: u32, period: f64) -> Result<Vec<f64>, LawError> {
    let specimen = Specimen {
        mesher: Mesher::Block,
        cells: UVec3::new(1, cells, 1),
        size: Vec3::new(0.2, 1.0, 0.2) * LENGTH as f32,
        material: Solid {
            young: params.get("young") as f32,
            poisson: 0.0,
            density: DENSITY as f32,
            damping: Damping::ratio(params.get("ratio") as f32, (1.0 / period) as f32),
        },
        model: Model::SaintVenantKirchhoff,
        form: as_it_is,
    };
    let mut world = World::new(Config {
        substeps: 1,
        iterations: params.count("iterations"),
        precision: Precision::Carried,
        threads: 1,
        gravity: Vec3::ZERO,
        ..Config::default()
    });
    world.add(&specimen.blueprint()?)?;
    let half = 0.5 * LENGTH;
    hold_side(&mut world, &specimen, (1, 1.0), half as f32)?;
    for i in 0..world.particles.len() {
        let mut x = position(&world, i);
        x.y -= PULL * LENGTH * libm::sin(FRAC_PI_2 * (half - x.y) / LENGTH);
        world.particles.set_position(i, x.as_vec3());
    }
    let mut tip = Vec::new();
    for _ in 0..STEPS * 5 / 2 {
        step(&mut world, (period / f64::from(STEPS)) as f32)?;
        tip.push(specimen.level(&world, (1, -1.0)) + half);
    }
    Ok(tip)
}

/// When the free end is lowest (in periods) and how low (m), after one period and after two; by the
/// parabola through three points.
fn lowest(tip: &[f64]) -> [(f64, f64); 2] {
    [1.0, 2.0].map(|periods| {
        let near = (periods * f64::from(STEPS)) as usize;
        let window = near - STEPS as usize / 4..near + STEPS as usize / 4;
        let at = window.min_by(|&a, &b| tip[a].total_cmp(&tip[b])).unwrap_or(near);
        let [before, here, after] = [tip[at - 1], tip[at], tip[at + 1]];
        let shift = (before - after) / (2.0 * (before - 2.0 * here + after));
        ((at as f64 + 1.0 + shift) / f64::from(STEPS), here)
    })
}
