//! A column that is pressed, or that is too tall.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DVec3, Vec3};

use super::rig::beam::{Beam, Bench, Made, elastica};
use super::rig::position;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};

/// A column stands up to its critical load and bends aside beyond, as far as the elastica says.
///
/// ```text
/// pressed by P:          P_c = π² EI / 4L²;     beyond, K(sin ½α) = ½π √(P/P_c),  y/L = 2 sin(½α)/K
/// under its own weight:  Γ_c = 7.8373;          beyond, θ'' = −Γ (1 − s) sin θ,   Γ = ρA g L³ / EI
/// ```
///
/// α is the slope of the end, K the complete elliptic integral. Timoshenko and Gere 1961, "Theory of
/// Elastic Stability", section 2.7; Greenhill 1881 for the weight.
pub const LAW: &Law = &Law {
    name: "buckling",
    covers: &["P26"],
    setup: "a rod stands on its clamped end, is bent aside by a twentieth of its length and let go; a \
            load on its top, or its own weight, below and above the critical one; two meshes, two time \
            steps",
    claim: "a column stands below its critical load and bends aside above it, as far as the elastica",
    source: "Euler; Timoshenko and Gere 1961, section 2.7; Greenhill 1881; the elastica, solved here",
    tolerance: "near the critical load a hundredth of stiffness is many hundredths of deflection: 5 % \
                of the length",
    accident: "from 0.9 to 1.1 of the load the end goes from nothing to half the length; what is too \
               soft falls below, what is too stiff stands above",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("length", "m", 0.2, [0.05, 2.0], "of the rod"),
        Param::number("rigidity", "N·m²", 5e-4, [1e-5, 1.0], "moment per curvature EI"),
        Param::number("line_density", "kg/m", 0.08, [0.01, 1.0], "mass per length"),
        Param::count("iterations", 10, [10, 100], "solver iterations of a step"),
    ],
    measure,
    figure: Some(figure),
};

/// Loads over the critical one.
const LOADS: [f64; 4] = [0.9, 1.1, 1.1517, 1.5184];
/// The weight Γ at which a column cannot stand.
const GREENHILL: f64 = 7.8373;
/// Weights over the critical one: the cubes of 0.155 and 0.19 m over 0.1709 m.
const WEIGHTS: [f64; 2] = [0.746, 1.374];
/// Free links, and time step as a share of the usual one.
const WAYS: [(u32, f64); 3] = [(16, 1.0), (16, 0.5), (24, 1.0)];
/// How far the end may be off, over the length.
const TOLERANCE: f64 = 0.05;
/// How far aside it is bent at the start, over the length.
const ASIDE: f64 = 0.05;

/// What presses the column.
#[derive(Clone, Copy, PartialEq)]
enum Press {
    /// A load on its top, over the critical one.
    Load(f64),
    /// Its own weight, over the critical one.
    Weight(f64),
}

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let presses = LOADS.map(Press::Load).into_iter().chain(WEIGHTS.map(Press::Weight));
    let mut measured = Vec::new();
    for press in presses {
        for way in WAYS {
            let (cells, step) = way;
            let what = match press {
                Press::Load(share) => format!("end aside, {share} of the critical load"),
                Press::Weight(share) => format!("end aside, {share} of the critical weight"),
            };
            let what = format!("{what}, {cells} links, step × {step}");
            let numbers = [aside(params, press, way)?, expected(press)];
            measured.push(Measured::new(what, "L", numbers, Tolerance::Absolute(TOLERANCE)));
        }
    }
    Ok(measured)
}

/// How far aside the end is, over the length.
fn expected(press: Press) -> f64 {
    match press {
        Press::Load(share) | Press::Weight(share) if share <= 1.0 => 0.0,
        Press::Load(share) => {
            // K grows with the slope from ½π.
            let (mut low, mut high) = (0.0, PI);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if elliptic(libm::sin(middle / 2.0)) < FRAC_PI_2 * share.sqrt() {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            2.0 * libm::sin(low / 2.0) / elliptic(libm::sin(low / 2.0))
        }
        Press::Weight(share) => {
            let weight = GREENHILL * share;
            elastica(|s, theta| -weight * (1.0 - s) * libm::sin(theta), [1e-6, weight])[1]
        }
    }
}

/// K(k), by Gauss's mean of 1 and √(1 − k²).
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// The same of the rod, after it had time.
fn aside(params: &Params, press: Press, (cells, step): (u32, f64)) -> Result<f64, LawError> {
    let [length, rigidity, line_density] =
        ["length", "rigidity", "line_density"].map(|name| params.get(name));
    let critical = PI * PI * rigidity / (4.0 * length * length);
    let beam = Beam {
        made: Made::Rod,
        cells,
        cell: length / (f64::from(cells) + 0.5),
        rigidity,
        line_density,
        load: 2.0 * critical,
        iterations: params.count("iterations"),
        step,
    };
    let slowest = beam.slowest();
    // At 0.9 of the load it comes back with a tenth of its stiffness: damped critically for that.
    let mut bench = beam.clamped(0.6 * slowest)?;
    bend(&mut bench, length);
    match press {
        Press::Load(share) => bench.pull(0, DVec3::NEG_X * (share * critical)),
        Press::Weight(share) => {
            let g = share * GREENHILL * rigidity / (line_density * length.powi(3));
            bench.world.config.gravity = Vec3::NEG_X * g as f32;
        }
    }
    bench.run(60.0 / slowest, |_| ())?;
    Ok(bench.column(0).y.abs() / length)
}

/// Bends the rod aside, into the shape in which it would buckle.
fn bend(bench: &mut Bench, length: f64) {
    let world = &mut bench.world;
    for i in 0..world.particles.len() {
        let x = position(world, i);
        if !world.particles.pinned[i] {
            let aside = ASIDE * length * (1.0 - libm::cos(FRAC_PI_2 * x.x / length));
            world.particles.set_position(i, (x + DVec3::Y * aside).as_vec3());
        }
    }
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let line = (0..=150).map(|i| 0.7 + 0.008 * f64::from(i));
    let mut curves = vec![
        Curve::line(
            "load, elastica",
            line.clone().map(|p| [p, expected(Press::Load(p))]).collect(),
        ),
        Curve::line("weight, elastica", line.map(|p| [p, expected(Press::Weight(p))]).collect()),
    ];
    let some = [0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5, 1.7, 1.9];
    for (name, press) in [
        ("load, rod of 16 links", Press::Load as fn(f64) -> Press),
        ("weight, rod of 16 links", Press::Weight),
    ] {
        let points = some.into_iter().map(|p| Ok([p, aside(params, press(p), (16, 1.0))?]));
        curves.push(Curve::dots(name, points.collect::<Result<_, LawError>>()?));
    }
    Ok(Figure {
        title: "A column that is pressed".into(),
        axes: ["load over the critical load".into(), "end aside, over the length".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slope of the end, load over the critical one, and way aside, of Timoshenko and Gere 1961,
    /// table 2-4.
    #[test]
    fn the_elastica_is_that_of_the_literature() {
        for (load, aside) in
            [(1.0154, 0.2194), (1.0637, 0.4222), (1.1517, 0.5932), (1.8848, 0.8032)]
        {
            let found = expected(Press::Load(load));
            assert!((found - aside).abs() < 5e-4, "{load}: {found}, not {aside}");
        }
        assert!(expected(Press::Weight(1.001)) < 0.2 && expected(Press::Weight(1.1)) > 0.3);
    }
}
