//! Shape matching neither takes nor adds energy, and finds its shape from any pose.

use glam::{DVec3, Quat, UVec3, Vec3};

use super::rig::{config, larger, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::region::matched::{Match, Mode, Scheme};
use crate::shapes::Lattice;
use crate::shapes::matched::{Matched, Regions};
use crate::testing::Random;
use crate::world::{Config, Method, World};

/// Two particles that match their distance vibrate for ever under the explicit scheme, and lose a
/// known share under the implicit one.
///
/// ```text
/// explicit   v ← v + α (g − x)/h, x ← x + h v     yₙ₊₁ = (2 − α) yₙ − yₙ₋₁              |λ| = 1
/// implicit   x ← x + h v, Δ = α (g − x),          yₙ₊₁ = (1 − α)(2 yₙ − yₙ₋₁)           |λ| = √(1 − α)
///            x ← x + Δ, v ← v + Δ/h
/// ```
///
/// yₙ is the stretch after n substeps. For yₙ₊₁ = T yₙ − D yₙ₋₁ the form yₙ² − T yₙyₙ₋₁ + D yₙ₋₁² is
/// D times as large in every substep: its root is the amplitude. Müller et al. 2005, section 3.2,
/// eq. 5 and 6.
pub const LAW: &Law = &Law {
    name: "shape_matching",
    covers: &["P29"],
    setup: "two matched particles vibrate for 10 000 steps; a cube is turned, flattened, crushed \
            and inverted",
    claim: "shape matching keeps the amplitude of vibrations (explicit), or takes √(1 − α) in each \
            substep (implicit), and returns from any pose",
    source: "Müller et al. 2005, section 3.2, with the implicit recurrence derived",
    tolerance: "rounding of single precision adds up as the root of the steps",
    accident: "an amplitude that grows or shrinks by 1e-7 in a step is seen after 10⁴; a rotation \
               that flips, or is wrong after a half turn, moves what should rest",
    quick: true,
    cpu_only: None,
    params: &[
        Param::number("alpha", "", 0.5, [0.05, 0.5], "share of the way to the goal in a substep"),
        Param::count("steps", 10_000, [100, 20_000], "steps of the explicit scheme"),
        Param::count("turns", 50, [2, 1000], "rotations that are tried; half of them half turns"),
        Param::count("seed", 1, [0, 1_000_000], "of the rotations"),
    ],
    measure,
    figure: None,
};

/// Share by which an amplitude may change in all steps together.
const AMPLITUDE: f64 = 1e-3;
/// Share by which the loss in a substep may be off.
const LOSS: f64 = 1e-4;
/// Substeps of the implicit scheme: after these, α = 0.5 has left 1e-3 of the stretch.
const LOSING: usize = 20;
/// Distance from the goal, in sizes, that a rotated body may have.
const ROTATED: f64 = 1e-5;
/// Root mean square distance from the rest shape, in sizes, after it was spoilt.
const RETURNED: f64 = 1e-3;
/// Frames to return in.
const FRAMES: u32 = 240;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let alpha = params.get("alpha");
    let mut measured = Vec::new();
    for alpha in [alpha / 5.0, alpha, 2.0 * alpha] {
        let y = stretches(alpha, Scheme::Explicit, params.count("steps") as usize)?;
        let form = |n: usize| form(&y, n, 2.0 - alpha, 1.0);
        let ratio = (form(y.len() - 1) / form(1)).sqrt();
        let what = format!("amplitude at the end, explicit, α = {alpha}");
        measured.push(Measured::new(what, "", [ratio, 1.0], Tolerance::Relative(AMPLITUDE)));
    }
    for alpha in [alpha / 5.0, alpha] {
        let y = stretches(alpha, Scheme::Implicit, LOSING)?;
        let form = |n: usize| form(&y, n, 2.0 * (1.0 - alpha), 1.0 - alpha);
        let per_step = libm::pow(form(LOSING - 1) / form(1), 0.5 / (LOSING - 2) as f64);
        let what = format!("amplitude left by a substep, implicit, α = {alpha}");
        let expected = (1.0 - alpha).sqrt();
        measured.push(Measured::new(what, "", [per_step, expected], Tolerance::Relative(LOSS)));
    }
    measured.push(rotated(params)?);
    for (what, spoil) in SPOILT {
        let off = returned(*spoil)?;
        let what = format!("distance from the shape that was {what}, in sizes");
        measured.push(Measured::new(what, "", [off, 0.0], Tolerance::Absolute(RETURNED)));
    }
    Ok(measured)
}

/// yₙ² − T yₙyₙ₋₁ + D yₙ₋₁².
fn form(y: &[f64], n: usize, t: f64, d: f64) -> f64 {
    y[n] * y[n] - t * y[n] * y[n - 1] + d * y[n - 1] * y[n - 1]
}

/// The stretch (m) of two particles, 1 m apart at rest, after each step.
fn stretches(alpha: f64, scheme: Scheme, steps: usize) -> Result<Vec<f64>, LawError> {
    let hold = Hold { stiffness: alpha as f32, ..Hold::RIGID };
    let mut body = Blueprint::default();
    body.particle(Vec3::X * -0.5, 1.0);
    body.particle(Vec3::X * 0.5, 1.0);
    body.gather(&Match { scheme, hold, ..Match::RIGID }.region(&[0, 1]))?;
    let mut world = World::new(Config { method: Method::Pbd, ..config(1, 1) });
    world.add(&body)?;
    world.particles.set_position(0, Vec3::X * -0.6);
    world.particles.set_position(1, Vec3::X * 0.6);
    let mut stretches = Vec::with_capacity(steps);
    for _ in 0..steps {
        run(&mut world, 1)?;
        let [a, b] = [0, 1].map(|i| world.particles.position(i).as_dvec3());
        stretches.push(b.x - a.x - 1.0);
    }
    Ok(stretches)
}

/// A cube of particles, matched as one.
fn cube(shape: Match) -> Result<Blueprint, LawError> {
    let lattice = Lattice { counts: UVec3::splat(4), ..Lattice::default() };
    let particles = lattice.blueprint()?;
    Ok(Matched { particles, regions: Regions::Whole, shape }.blueprint()?)
}

/// How far a rigid motion is from being a fixed point, in sizes.
fn rotated(params: &Params) -> Result<Measured, LawError> {
    let mut random = Random::new(params.get("seed") as u64);
    let mut worst: f64 = 0.0;
    for k in 0..params.count("turns") {
        let axis = random.vector(1.0).normalize_or(Vec3::X);
        let half_turn = Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
        let turn = if k % 2 == 0 { half_turn } else { random.rotation().as_quat() };
        let body = cube(Match::RIGID)?.placed(turn, Vec3::ZERO);
        let mut world = World::new(config(1, 1));
        world.add(&body)?;
        run(&mut world, 1)?;
        for (i, &x) in body.positions.iter().enumerate() {
            let off = f64::from(world.particles.position(i).distance(x)) / size(&body.positions);
            worst = larger(worst, off);
        }
    }
    let what = "distance of a rotated body from its goal, in sizes";
    Ok(Measured::new(what, "", [worst, 0.0], Tolerance::Absolute(ROTATED)))
}

type Spoil = fn(Vec3) -> Vec3;

/// What may happen to a body, and how.
const SPOILT: &[(&str, Spoil)] = &[
    ("flattened to a plane", |x| Vec3::new(x.x, 0.0, x.z)),
    ("drawn to a line", |x| Vec3::X * x.x),
    ("crushed to a point", |_| Vec3::ZERO),
    ("turned inside out", |x| -x),
];

/// How far a half linear cube is from its shape after it had time to return, in sizes.
fn returned(spoil: Spoil) -> Result<f64, LawError> {
    let hold = Hold { compliance: 1e-4, ..Hold::RIGID }; // ω = 100/s
    let body = cube(Match { mode: Mode::Linear, beta: 0.5, hold, ..Match::default() })?;
    let mut world = World::new(Config { damping: 2.0, ..config(20, 1) });
    world.add(&body)?;
    for (i, &x) in body.positions.iter().enumerate() {
        world.particles.set_position(i, spoil(x));
    }
    run(&mut world, FRAMES)?;
    // What a rigid match would still have to move.
    let mut rigid = World::new(config(1, 1));
    rigid.add(&cube(Match::RIGID)?)?;
    for i in 0..body.positions.len() {
        rigid.particles.set_position(i, world.particles.position(i));
    }
    run(&mut rigid, 1)?;
    let square = |i: usize| {
        let [a, b] = [&rigid, &world].map(|world| world.particles.position(i).as_dvec3());
        a.distance_squared(b)
    };
    let count = body.positions.len();
    let mean = (0..count).map(square).sum::<f64>() / count as f64;
    Ok(mean.sqrt() / size(&body.positions))
}

/// Root mean square distance from the middle (m).
fn size(positions: &[Vec3]) -> f64 {
    let x = || positions.iter().map(|x| x.as_dvec3());
    let count = positions.len() as f64;
    let middle = x().sum::<DVec3>() / count;
    (x().map(|x| x.distance_squared(middle)).sum::<f64>() / count).sqrt()
}
