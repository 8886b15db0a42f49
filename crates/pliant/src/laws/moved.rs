//! The same scene somewhere else, or turned.

use glam::{DQuat, DVec3, UVec3, Vec3};

use super::rig::{FRAME, larger, position, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::Solid;
use crate::mesh::TetMesh;
use crate::shapes::{ElasticBody, Model};
use crate::world::{Config, Precision, World};

/// A body moves alike wherever it is and whichever way the scene is turned, as far as single precision
/// can tell places apart.
pub const LAW: &Law = &Law {
    name: "moved",
    covers: &["D8"],
    setup: "a soft bar of 1 m, clamped at one end, droops and swings for a second; the same moved by up to \
            10 km, and turned with its gravity",
    claim: "a scene that is moved or turned does the same",
    source: "Galilei; the spacing of single precision is 2⁻²³ of a coordinate",
    tolerance: "1e-4 of the size of the body; farther out, four spacings of the numbers there for the root of the \
                substeps, as a walk at random has it",
    accident: "a gradient that prefers an axis, or a constraint that depends on the origin, shows at once; \
               places along no axis",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 2e5, [1e5, 1e6], "Young's modulus").symbol("E"),
        Param::number("seconds", "s", 1.0, [0.1, 2.0], "for which it is watched"),
        Param::count("substeps", 20, [5, 50], "substeps in a frame of 1/60 s"),
    ],
    measure,
    figure: None,
};

/// How far it is moved (m).
const FAR: [f64; 4] = [1.0, 100.0, 1000.0, 1e4];
/// How far it may be off, over its size of 1 m.
const TOLERANCE: f64 = 1e-4;
/// A direction along no axis.
const AWAY: DVec3 = DVec3::new(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
/// What it is off by at the most, in spacings of the numbers where it is, over the root of the substeps:
/// rounding adds up as a walk at random, with a few roundings in each.
const SPACINGS: f64 = 4.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let here = way(params, DQuat::IDENTITY, DVec3::ZERO)?;
    let off =
        |there: &[DVec3]| there.iter().zip(&here).map(|(a, b)| a.distance(*b)).fold(0.0, larger);
    let mut measured = Vec::new();
    for far in FAR {
        let off = off(&way(params, DQuat::IDENTITY, AWAY * far)?);
        let what = format!("departure, moved by {far} m");
        let row = Measured::new(what, "m", [off, 0.0], Tolerance::Absolute(TOLERANCE));
        if far > 10.0 {
            measured
                .push(row.limited("single precision tells places apart by 2⁻²³ of a coordinate"));
            let spacing = 0.5 * far * f64::from(f32::EPSILON);
            let what = format!("departure, moved by {far} m, in spacings of the numbers there");
            let substeps = 60.0 * params.get("seconds") * params.get("substeps");
            let numbers = [off / spacing, SPACINGS * substeps.sqrt()];
            measured.push(Measured::new(what, "", numbers, Tolerance::AtMost));
        } else {
            measured.push(row);
        }
    }
    for (axis, angle) in [(DVec3::Z, 90.0f64), (AWAY, 40.0), (AWAY, 180.0)] {
        let turn = DQuat::from_axis_angle(axis, angle.to_radians());
        let off = off(&way(params, turn, DVec3::ZERO)?);
        let what = format!("departure, turned by {angle}° about {axis:.2}");
        measured.push(Measured::new(what, "m", [off, 0.0], Tolerance::Absolute(TOLERANCE)));
    }
    Ok(measured)
}

/// Where every particle is after every tenth of the time, moved and turned back (m).
fn way(params: &Params, turn: DQuat, place: DVec3) -> Result<Vec<DVec3>, LawError> {
    let material = Solid { young: params.get("young") as f32, poisson: 0.3, ..Solid::default() };
    let mesh = TetMesh::block(UVec3::new(8, 2, 2), Vec3::new(1.0, 0.25, 0.25));
    let pins = (0u32..).zip(&mesh.positions).filter(|(_, x)| x.x < -0.49).map(|(i, _)| i);
    let pins: Vec<u32> = pins.collect();
    let body = ElasticBody { mesh, material, model: Model::SaintVenantKirchhoff, radius: 0.0 };
    let mut world = World::new(Config {
        substeps: params.count("substeps"),
        iterations: 2,
        precision: Precision::Carried,
        threads: 1,
        gravity: (turn * DVec3::new(0.0, -9.81, 0.0)).as_vec3(),
        ..Config::default()
    });
    let body = body.blueprint()?.placed(turn.as_quat(), place.as_vec3());
    world.add(&body.pinned(&pins))?;
    // The place in single precision is another one; what counts is the way from there.
    let start = place.as_vec3().as_dvec3();
    let mut way = Vec::new();
    for _ in 0..10 {
        run(&mut world, (0.1 * params.get("seconds") / FRAME).ceil() as u32)?;
        way.extend(
            (0..world.particles.len()).map(|i| turn.inverse() * (position(&world, i) - start)),
        );
    }
    Ok(way)
}
