//! A weight at the end of a beam.

use glam::DVec3;

use super::rig::beam::{Beam, Made, elastica};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};

/// A beam that is clamped at one end and loaded at the other bends as the elastica does, by up to two
/// thirds of its length.
///
/// ```text
/// θ'' = −a cos θ,   θ(0) = 0,   θ'(1) = 0,   a = P L² / EI
/// ```
///
/// Sze et al. 2004, "Popular benchmark problems for geometric nonlinear analysis of shells", section
/// 3.1, where a is 4 at the full load.
pub const LAW: &Law = &Law {
    name: "tip_load",
    covers: &["P24"],
    setup: "a rod and a strip of triangles, clamped at one end, pulled across at the other by two \
            loads; two meshes, two time steps",
    claim: "a beam that is loaded at its end comes down, and in, as the elastica does",
    source: "the elastica, solved here; the loads of Sze et al. 2004, section 3.1, whose table it \
             gives to the last digit but one",
    tolerance: "3 %, as is asked of shells there: a strip of 12 cells is off by 2.5 %, one of 16 by 1.6 %",
    accident: "the end comes in by a third of the length, which a linear beam does not do at all; \
               rods and sheets bend by constraints of different kinds",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("load", "", 4.0, [0.5, 6.0], "a, the larger of two loads"),
        Param::number("length", "m", 10.0, [0.1, 10.0], "of the beam"),
        Param::number("rigidity", "N·m²", 100.0, [1.0, 1000.0], "moment per curvature EI"),
        Param::count("iterations", 10, [10, 100], "solver iterations of a step"),
    ],
    measure,
    figure: Some(figure),
};

/// Shares of the largest load.
const LOADS: [f64; 2] = [1.0, 0.25];
/// What it is made of, free cells, and time step as a share of the usual one.
const WAYS: [(Made, u32, f64); 4] =
    [(Made::Rod, 10, 1.0), (Made::Rod, 20, 0.5), (Made::Strip, 12, 1.0), (Made::Strip, 16, 0.5)];
/// Share of the length by which the end may be off.
const TOLERANCE: f64 = 0.03;
/// Mass per length (kg/m).
const LINE_DENSITY: f64 = 1.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for load in LOADS.map(|share| share * params.get("load")) {
        let law = expected(load);
        for way in WAYS {
            let end = end(params, load, way)?;
            let (made, cells, step) = way;
            for ((what, number), law) in [("down", end[0]), ("in", end[1])].into_iter().zip(law) {
                let what =
                    format!("end {what}, a = {load}, {made:?} of {cells} cells, step × {step}");
                // Of the larger of the two: what comes in is small at first.
                let tolerance = Tolerance::Absolute(TOLERANCE * expected(load)[0]);
                measured.push(Measured::new(what, "L", [number, law], tolerance));
            }
        }
    }
    Ok(measured)
}

/// How far the end comes down and in, over the length.
fn expected(load: f64) -> [f64; 2] {
    let [along, across, _] = elastica(|_, theta| -load * libm::cos(theta), [0.0, load.max(1.0)]);
    [across, 1.0 - along]
}

fn end(
    params: &Params,
    load: f64,
    (made, cells, step): (Made, u32, f64),
) -> Result<[f64; 2], LawError> {
    let (length, rigidity) = (params.get("length"), params.get("rigidity"));
    let force = load * rigidity / (length * length);
    let beam = Beam {
        made,
        cells,
        cell: length / (f64::from(cells) + 0.5),
        rigidity,
        line_density: LINE_DENSITY,
        load: force.max(4.0 * rigidity / (length * length)),
        iterations: params.count("iterations"),
        step,
    };
    let slowest = beam.slowest();
    let mut bench = beam.clamped(2.0 * slowest)?;
    bench.pull(0, DVec3::NEG_Y * force);
    bench.run(14.0 / slowest, |_| ())?;
    let tip = bench.column(0);
    Ok([-tip.y / length, 1.0 - tip.x / length])
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let loads = |count: u32| (0..=count).map(move |i| f64::from(i) / f64::from(count));
    let most = params.get("load");
    let mut curves = Vec::new();
    for (which, name) in [(0, "down"), (1, "in")] {
        let points = loads(40).map(|share| [share * most, expected(share * most)[which]]);
        curves.push(Curve::line(format!("{name}, elastica"), points.collect()));
        for (made, cells) in [(Made::Rod, 20), (Made::Strip, 12)] {
            let points = loads(8).skip(1).map(|share| {
                Ok([share * most, end(params, share * most, (made, cells, 1.0))?[which]])
            });
            let points = points.collect::<Result<_, LawError>>()?;
            curves.push(Curve::dots(format!("{name}, {made:?} of {cells} cells"), points));
        }
    }
    Ok(Figure {
        title: "A beam that is loaded at its end".into(),
        axes: ["load P L² / EI".into(), "way of the end, over the length".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}

#[cfg(test)]
mod tests {
    /// Table 1 of Sze et al. 2004, for a length of 10 m: load, way in, way down (m).
    #[test]
    fn the_elastica_is_that_of_the_literature() {
        for (share, inwards, down) in
            [(0.1, 0.103, 1.309), (0.5, 1.604, 4.933), (0.8, 2.705, 6.190), (1.0, 3.286, 6.698)]
        {
            let [y, x] = super::expected(4.0 * share);
            assert!((10.0 * y - down).abs() < 0.01, "{share}: {y}, not {down}");
            assert!((10.0 * x - inwards).abs() < 0.01, "{share}: {x}, not {inwards}");
        }
    }
}
