//! A dropped particle.

use glam::Vec3;

use super::rig::{FRAME, config, down, position, run, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::World;
use crate::body::Blueprint;
use crate::world::Config;

/// A dropped particle falls ½gt², near the origin and far from it, for few substeps and many.
///
/// ```text
/// |fallen − ½gt²| ≤ ½ght + 1 mm
/// ```
///
/// Semi-implicit Euler falls ½gt(t + h) exactly. In single precision, a velocity computed from
/// positions would lose gravity: at 10 m and 100 substeps gh² is less than half the spacing of
/// numbers, and nothing falls.
pub const LAW: &Law = &Law {
    name: "free_fall",
    covers: &["P8"],
    setup: "particles dropped from four heights, up to 1 km from the origin, with 1 to 100 \
            substeps",
    claim: "a dropped particle falls ½gt², wherever it is and however many substeps are taken",
    source: "Galilei; the first-order error ½ght is that of semi-implicit Euler",
    tolerance: "the ½ght of semi-implicit Euler, and 1 mm for single precision at 1 km",
    accident: "100 substeps at 1000 m from the origin are where rounding eats gravity; a velocity \
               taken from rounded positions falls 0 m there",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::count("frames", 60, [6, 60], "frames of 1/60 s that it falls"),
        Param::count("substeps", 100, [1, 100], "largest number of substeps"),
        Param::number("farthest", "m", 1000.0, [0.0, 1000.0], FARTHEST),
    ],
    measure,
    figure: None,
};

/// At 1000 m the numbers are 0.06 mm apart, and in substeps of 1/6000 s nothing moves that is slower
/// than 0.18 m/s. On Earth that takes 0.02 s and costs 1 mm, on the Moon 0.1 s and 7 mm.
const FARTHEST: &str = "largest height; smaller gravity needs a smaller one";

/// Heights from which it falls, as shares of the farthest.
const HEIGHTS: [f64; 4] = [0.0, 0.01, 0.1, 1.0];
/// Numbers of substeps, up to the largest.
const SUBSTEPS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];
/// What rounding may add (m): at 1000 m, numbers are 0.06 mm apart.
const ROUNDING: f64 = 1e-3;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, frames) = (params.get("gravity"), params.count("frames"));
    let largest = params.count("substeps");
    let t = f64::from(frames) * FRAME;
    let mut measured = Vec::new();
    for height in HEIGHTS.map(|share| share * params.get("farthest")) {
        let (mut near, mut sharp) = (Vec::new(), Vec::new());
        for substeps in SUBSTEPS.into_iter().filter(|&n| n < largest).chain([largest]) {
            let h = FRAME / f64::from(substeps);
            let fallen =
                drop_from(height, Config { gravity: down(g), ..config(substeps, 1) }, frames)?;
            let row = |law: &str, expected: f64, tolerance: f64| {
                let what = format!("fall from {height} m, {law}, {substeps} substeps");
                Measured::new(what, "m", [fallen, expected], Tolerance::Absolute(tolerance))
            };
            near.push(row("½gt²", 0.5 * g * t * t, 0.5 * g * h * t + ROUNDING));
            sharp.push(row("½gt(t + h)", 0.5 * g * t * (t + h), ROUNDING));
        }
        measured.extend([near, sharp].into_iter().filter_map(worst));
    }
    Ok(measured)
}

/// How far a particle falls in `frames` steps (m).
fn drop_from(height: f64, config: Config, frames: u32) -> Result<f64, LawError> {
    let mut body = Blueprint::default();
    body.particle(Vec3::Y * height as f32, 1.0);
    let mut world = World::new(config);
    world.add(&body)?;
    run(&mut world, frames)?;
    Ok(height - position(&world, 0).y)
}
