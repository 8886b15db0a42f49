//! Turek and Hron's beam, swinging.

use super::rig::plane::{MESHES, PlaneBeam, STIFF, extrapolated};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};

/// The elastic beam of Turek and Hron's benchmark swings as theirs does, once the mesh is infinitely
/// fine.
///
/// CSM3 of Turek and Hron 2006: as CSM1, let go from its straight shape and not damped. The end goes
/// up and down by −63.607 ± 65.160 mm, 1.0995 times a second.
pub const LAW: &Law = &Law {
    name: "turek_swing",
    covers: &["P23"],
    setup: "the beam of `turek`, let go from its straight shape and not damped; two meshes",
    claim: "Turek and Hron's beam swings as often and as far as their benchmark says, by the trend of two \
            meshes",
    source: "CSM3 of Turek and Hron 2006",
    tolerance: "3 % of the frequency and 10 % of the way, as of others",
    accident: "a whole swing, of large angles: what is too soft, damped or slow misses the frequency or \
               the way, and two meshes that are too stiff by different shares must lead there",
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
    figure: Some(figure),
};

/// Swings in a second.
const FREQUENCY: f64 = 1.0995;
/// How far the end comes down (m).
const WAY: f64 = 0.063607 + 0.065160;
/// How long it swings (s): the end is lowest for the second time after 1.37 s.
const SECONDS: f64 = 1.5;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (mut squares, mut ways) = ([0.0; 2], [0.0; 2]);
    let mut measured = Vec::new();
    for (k, cells) in MESHES.into_iter().enumerate() {
        let beam = beam(params, cells);
        let heights: Vec<f64> = beam.swing(SECONDS)?.iter().map(|way| way.y).collect();
        let [first, second] = lowest(&heights);
        let frequency = 1.0 / ((second - first) * beam.h());
        let way = -heights.iter().copied().fold(0.0, f64::min);
        (squares[k], ways[k]) = (frequency * frequency, way.recip());
        let named = |what| format!("{what}, {cells} cells over the height");
        let row = |what, unit, numbers, share| {
            Measured::new(named(what), unit, numbers, Tolerance::Relative(share)).limited(STIFF)
        };
        measured.push(row("frequency", "Hz", [frequency, FREQUENCY], 0.03));
        measured.push(row("way down", "m", [way, WAY], 0.1));
    }
    let numbers = [extrapolated(squares).sqrt(), FREQUENCY];
    let what = "frequency, by the trend of both";
    measured.push(Measured::new(what, "Hz", numbers, Tolerance::Relative(0.03)));
    let numbers = [extrapolated(ways).recip(), WAY];
    let what = "way down, by the trend of both";
    measured.push(Measured::new(what, "m", numbers, Tolerance::Relative(0.1)));
    Ok(measured)
}

fn beam(params: &Params, cells: u32) -> PlaneBeam {
    let (iterations, step) = (params.count("iterations"), params.get("step"));
    PlaneBeam { cells, shear: 0.5e6, gravity: 2.0, iterations, step, damping: 0.0 }
}

/// When the end is lowest for the first time and for the second, in steps: it is above the middle in
/// between. By the parabola through three points.
fn lowest(heights: &[f64]) -> [f64; 2] {
    let low = heights.iter().copied().fold(0.0, f64::min);
    let up = |from: usize| (from..heights.len()).find(|&i| heights[i] > 0.3 * low);
    let down = |from: usize| (from..heights.len()).find(|&i| heights[i] < 0.5 * low);
    let valley = |from: usize| {
        let start = down(from).unwrap_or(from);
        let end = up(start).unwrap_or(heights.len() - 1);
        let at = (start..end).min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap_or(start);
        (at.clamp(1, heights.len() - 2), end)
    };
    let (first, end) = valley(0);
    let (second, _) = valley(end);
    [first, second].map(|at| {
        let [before, here, after] = [heights[at - 1], heights[at], heights[at + 1]];
        at as f64 + (before - after) / (2.0 * (before - 2.0 * here + after))
    })
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    // A cosine of the benchmark's mean, amplitude and frequency: what their table says.
    let line = (0..=300).map(|i| {
        let t = SECONDS * f64::from(i) / 300.0;
        let swing = libm::cos(std::f64::consts::TAU * FREQUENCY * t);
        [t, -63.607 + 65.160 * swing]
    });
    let mut curves = vec![Curve::line("benchmark, as a cosine", line.collect())];
    for cells in MESHES {
        let beam = beam(params, cells);
        let way = beam.swing(SECONDS)?;
        let every = (way.len() / 60).max(1);
        let points = way.iter().enumerate().step_by(every);
        let points = points.map(|(i, x)| [i as f64 * beam.h(), 1000.0 * x.y]).collect();
        curves.push(Curve::dots(format!("{cells} cells over the height"), points));
    }
    Ok(Figure {
        title: "Turek and Hron's beam, CSM3".into(),
        axes: ["time (s)".into(), "end, up (mm)".into()],
        scales: [Scale::Linear; 2],
        curves,
    })
}
