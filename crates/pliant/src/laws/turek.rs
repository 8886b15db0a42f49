//! Turek and Hron's beam, at rest.

use super::rig::plane::{MESHES, PlaneBeam, STIFF, extrapolated};
use super::{Law, LawError, Measured, Param, Params, Tolerance};

/// The elastic beam of Turek and Hron's benchmark comes to rest where theirs does, once the mesh is
/// infinitely fine.
///
/// ```text
/// stiffness on n cells over the height: k (1 + c/n²)
/// ```
///
/// CSM1 and CSM2 of Turek and Hron 2006: 0.35 by 0.02 m, plane strain, Saint Venant-Kirchhoff,
/// clamped at the left, under gravity of 2 m/s². Their numbers have four digits.
pub const LAW: &Law = &Law {
    name: "turek",
    covers: &["P22"],
    setup: "a beam of 0.35 by 0.02 m of triangles in plane strain, clamped at the left, under gravity of \
            2 m/s²; two stiffnesses, two meshes",
    claim: "the end of Turek and Hron's beam comes to rest where their benchmark says, by the trend of \
            two meshes",
    source: "CSM1 and CSM2 of Turek and Hron 2006",
    tolerance: "5 %, as of others; the trend leaves out what shrinks faster than 1/n²",
    accident: "four digits of others, by another method; the stiffness is extrapolated from two meshes, \
               which are off by a third and by an eighth: no other trend leads there",
    quick: false,
    cpu_only: None,
    params: &[
        Param::count("iterations", 10, [5, 100], "solver iterations of a step"),
        Param::number(
            "step",
            "",
            2.0,
            [0.1, 4.0],
            "time step, over the time a wave takes for a cell",
        ),
    ],
    measure,
    figure: None,
};

/// Name, shear modulus (Pa), and how far the end comes down (m).
const CASES: [(&str, f64, f64); 2] = [("CSM1", 0.5e6, 66.10e-3), ("CSM2", 2e6, 16.97e-3)];
/// Share by which the end may be off, on a mesh and by the trend.
const TOLERANCE: f64 = 0.05;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for (name, shear, law) in CASES {
        let mut ways = [0.0; 2];
        for (cells, way) in MESHES.into_iter().zip(&mut ways) {
            let beam = PlaneBeam {
                cells,
                shear,
                gravity: 2.0,
                iterations: params.count("iterations"),
                step: params.get("step"),
                damping: 0.0,
            };
            *way = -beam.settled()?.y;
            let what = format!("end down, {name}, {cells} cells over the height");
            let row = Measured::new(what, "m", [*way, law], Tolerance::Relative(TOLERANCE));
            measured.push(row.limited(STIFF));
        }
        let what = format!("end down, {name}, by the trend of both");
        let fine = extrapolated(ways.map(f64::recip)).recip();
        measured.push(Measured::new(what, "m", [fine, law], Tolerance::Relative(TOLERANCE)));
    }
    Ok(measured)
}
