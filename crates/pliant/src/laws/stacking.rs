//! Cubes that stand on each other.

use glam::Vec3;

use super::rig::{FRAME, larger, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::measure::energy;
use crate::scenes::stack;
use crate::world::World;

/// A tower of soft cubes stands: no cube goes aside, and the tower sinks by what its weight
/// compresses it, then no more.
pub const LAW: &Law = &Law {
    name: "stacking",
    covers: &["P33"],
    setup: "three and ten soft cubes of 10 cm stand on each other with friction 0.5, 60 substeps \
            of three iterations, for ten seconds",
    claim: "a tower of cubes stands still: none goes aside by a hundredth of its side in ten seconds, and \
            its height keeps to a hundredth",
    source: "statics; bar of Li et al. 2020 for stacks",
    tolerance: "a hundredth of a side, and 0.1 mJ of motion for ten cubes of 1 kg",
    accident: "contact that pushes along wrong normals, or friction that lets creep, walks the upper cubes \
               aside within a second; restitution from depth makes the tower tremble for ever",
    quick: false,
    cpu_only: None,
    params: &[
        Param::count("cubes", 10, [2, 10], "in the tower; a taller one would buckle"),
        Param::number("seconds", "s", 10.0, [2.0, 60.0], "to stand"),
    ],
    measure,
    figure: None,
};

/// Cubes of the low tower.
const LOW: u32 = 3;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = tower(params, LOW)?;
    if params.count("cubes") > LOW {
        measured.extend(tower(params, params.count("cubes"))?);
    }
    Ok(measured)
}

fn tower(params: &Params, cubes: u32) -> Result<Vec<Measured>, LawError> {
    let mut world =
        (stack::SCENE.build)(cubes).map_err(|error| LawError::Stepper(error.to_string()))?;
    world.config.threads = 1;
    let frames = (params.get("seconds") / FRAME) as u32;
    let before = middles(&world);
    let mut farthest = 0.0;
    let mut settled = before.clone();
    for frame in 0..frames {
        if frame == frames / 2 {
            settled = middles(&world);
        }
        run(&mut world, 1)?;
        let aside = middles(&world).into_iter().zip(&before);
        let aside = aside.map(|(now, before)| (now - before).with_y(0.0).length() / stack::SIDE);
        farthest = aside.map(f64::from).fold(farthest, larger);
    }
    let sunk = middles(&world).into_iter().zip(settled);
    let sunk = sunk.map(|(now, before)| f64::from((now - before).y.abs() / stack::SIDE));
    let sunk = sunk.fold(0.0, larger);
    let named = |what: &str| format!("{what}, {cubes} cubes");
    let hundredth = Tolerance::Absolute(0.01);
    let motion = [energy::kinetic(&world), 1e-4];
    Ok(vec![
        Measured::new(named("farthest aside ever, in sides"), "", [farthest, 0.0], hundredth),
        Measured::new(named("sunk in the second half, in sides"), "", [sunk, 0.0], hundredth),
        Measured::new(named("energy of motion at the end"), "J", motion, Tolerance::AtMost),
    ])
}

/// The middle of every body (m).
fn middles(world: &World) -> Vec<Vec3> {
    let middle = |range: std::ops::Range<usize>| {
        let count = range.len() as f32;
        range.map(|i| world.particles.position(i)).sum::<Vec3>() / count
    };
    world.bodies().map(|(_, body)| middle(body.range())).collect()
}
