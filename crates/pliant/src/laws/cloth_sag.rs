//! A cloth that hangs by two corners.

use glam::Vec3;

use super::rig::stepper::step;
use super::rig::{FRAME, down, position};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::shapes::{Bending, Cloth};
use crate::world::{Config, World};

/// A cloth with a stated compliance hangs equally deep whatever the substeps.
///
/// Macklin et al. 2016, figure of a cloth at 20 to 160 iterations, and Macklin et al. 2019 for
/// substeps of one iteration.
pub const LAW: &Law = &Law {
    name: "cloth_sag",
    covers: &["P27"],
    setup: "a cloth of 32 × 32 particles hangs by two corners, 20 to 160 substeps of one iteration",
    claim: "a cloth hangs equally deep at 20, 40, 80 and 160 substeps of one iteration",
    source: "Macklin et al. 2016 and 2019: stiffness is a property of the cloth, not of the budget",
    tolerance: "one iteration leaves a stretch of g h² a link, of which 20 substeps have 1 % of \
                the depth",
    accident: "under PBD the cloth would be eight times stiffer at 160 than at 20 substeps; rigid \
               links would hide it, so half a per cent of the depth is stretch",
    quick: false,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::count("particles", 32, [16, 64], "particles along a side"),
        Param::number("stiffness", "N/m", 1000.0, [500.0, 1e4], "stiffness of a link"),
    ],
    measure,
    figure: None,
};

/// Substeps of a frame of 1/60 s on Earth.
const SUBSTEPS: [u32; 4] = [20, 40, 80, 160];
/// Share by which the depth may differ.
const TOLERANCE: f64 = 0.02;
/// Side of the cloth (m).
const SIDE: f32 = 1.0;
/// Frames to come to rest, and the damping with which it does on Earth (1/s). Where gravity is less,
/// everything takes longer by the root of it, and so do frames: one iteration leaves a stretch of
/// g h² a link, which is then the same share everywhere.
const FRAMES: u32 = 150;
const DAMPING: f64 = 6.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut depths = Vec::new();
    for substeps in SUBSTEPS {
        depths.push(depth(params, substeps)?);
    }
    let finest = depths[SUBSTEPS.len() - 1];
    let row = |(depth, substeps)| {
        let what = format!("depth, {substeps} against {} substeps", SUBSTEPS[SUBSTEPS.len() - 1]);
        Measured::new(what, "m", [depth, finest], Tolerance::Relative(TOLERANCE))
    };
    Ok(depths.iter().copied().zip(SUBSTEPS).take(SUBSTEPS.len() - 1).map(row).collect())
}

/// How far the lowest particle hangs below the corners (m).
fn depth(params: &Params, substeps: u32) -> Result<f64, LawError> {
    let n = params.count("particles");
    let hold = Hold::spring(params.get("stiffness") as f32);
    let cloth = Cloth {
        columns: n,
        rows: n,
        spacing: [SIDE / (n - 1) as f32; 2],
        areal_density: 0.2,
        radius: 0.0,
        stretch: hold,
        shear: Some(hold),
        bending: Bending::Free,
    };
    let [left, right, ..] = cloth.corners();
    let pace = (params.get("gravity") / 9.81).sqrt();
    let mut world = World::new(Config {
        substeps,
        threads: 1,
        gravity: down(params.get("gravity")),
        damping: (DAMPING * pace) as f32,
        ..Config::default()
    });
    world.add(&cloth.blueprint()?.pinned(&[left, right]))?;
    // The corners come together by a tenth, or the upper side would be a tight line.
    for (corner, side) in [(left, 1.0), (right, -1.0)] {
        let x = world.particles.position(corner as usize) + Vec3::X * (0.05 * SIDE * side);
        world.particles.set_position(corner as usize, x);
    }
    for _ in 0..FRAMES {
        step(&mut world, (FRAME / pace) as f32)?;
    }
    let lowest = (0..world.particles.len()).map(|i| position(&world, i).y).fold(0.0, f64::min);
    Ok(-lowest)
}
