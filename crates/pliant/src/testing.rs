//! The standard checks of a constraint kind, ours or yours.
//!
//! A kind is C and its gradient, so what can be wrong with one can be wrong with any. One call
//! checks it all, and says what is wrong in sentences with both numbers:
//!
//! ```
//! use pliant::{constraint::distance, testing};
//!
//! testing::check_kind(&distance::KIND)?;
//! # Ok::<(), String>(())
//! ```
//!
//! Poses are pseudo-random with a fixed seed: a check that passes, passes again. That the WGSL
//! twin of a kind computes the same needs a GPU, and is checked by the tests of `pliant_gpu`.

use glam::{DVec3, Vec3, Vec4};

use crate::body::{Blueprint, BodyId};
use crate::constraint::set::Hold;
use crate::constraint::{ALL, Gradients, Kind, Symmetry, volume};
use crate::lanes::{LANES, V3};
use crate::particles::Particles;
use crate::solver::{self, Solver};
use crate::step::step;
use crate::world::{Config, Method, Precision, World};

mod meetings;
mod poses;
#[cfg(test)]
mod tests;

pub use meetings::{PARTY_RADIUS, meetings, party};
pub use poses::{Degenerate, Random, degenerate};

/// Something that must hold for every constraint kind.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The name, a sentence in snake case.
    pub name: &'static str,
    /// Says what does not hold, with both numbers.
    pub run: fn(&'static Kind) -> Result<(), String>,
}

/// Every check, in the order in which their failures are best read.
pub const CHECKS: &[Check] = &[
    Check { name: "name_is_its_own", run: name_is_its_own },
    Check { name: "gradient_is_the_derivative_of_c", run: gradient_is_the_derivative_of_c },
    Check { name: "rest_shape_is_not_violated", run: rest_shape_is_not_violated },
    Check { name: "symmetry_is_as_declared", run: symmetry_is_as_declared },
    Check { name: "gradients_are_as_long_as_declared", run: gradients_are_as_long_as_declared },
    Check { name: "no_net_force", run: no_net_force },
    Check { name: "no_net_torque", run: no_net_torque },
    Check { name: "degenerate_poses_stay_finite", run: degenerate_poses_stay_finite },
    Check { name: "single_precision_agrees_with_double", run: single_precision_agrees_with_double },
    Check { name: "small_strains_keep_their_digits", run: small_strains_keep_their_digits },
    Check { name: "eight_lanes_equal_one", run: eight_lanes_equal_one },
    Check { name: "twin_declares_the_kind", run: twin_declares_the_kind },
];

/// Runs every check on `kind`.
///
/// # Errors
/// Says which checks fail and why, a line each.
pub fn check_kind(kind: &'static Kind) -> Result<(), String> {
    let failures: Vec<String> = CHECKS
        .iter()
        .filter_map(|check| {
            let why = (check.run)(kind).err()?;
            Some(format!("{}: {}: {why}", kind.name, check.name))
        })
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Moves every coordinate of every particle by one unit in its last place, up or down or not at all: the
/// least that can be done to a world. Where that takes it to another state, a world is chaotic, and two ways
/// to compute it agree no better.
pub fn nudge(world: &mut World, seed: u64) {
    let mut random = Random::new(seed);
    for i in 0..world.particles.len() {
        let by = random.vector(2.0).to_array();
        let mut x = world.particles.position(i).to_array();
        for (x, by) in x.iter_mut().zip(by) {
            *x = match by {
                ..-0.33 => x.next_down(),
                0.33.. => x.next_up(),
                _ => *x,
            };
        }
        world.particles.set_position(i, Vec3::from_array(x));
    }
}

/// How many particles of one body are within another, by its tetrahedra; none if a body is not there.
pub fn particles_inside(world: &World, one: BodyId, other: BodyId) -> usize {
    let Some(tets) = world.constraints_of(&volume::KIND) else { return 0 };
    let (Ok(positions), Ok(body)) = (world.positions(one), world.body(other)) else { return 0 };
    let at = |i: u32| world.particles.position(i as usize);
    let signed = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(c - a).dot(d - a);
    let holds = |x: Vec3, ids: &[u32]| {
        let [a, b, c, d] = [ids[0], ids[1], ids[2], ids[3]].map(at);
        [(x, b, c, d), (a, x, c, d), (a, b, x, d), (a, b, c, x)]
            .iter()
            .all(|&(a, b, c, d)| signed(a, b, c, d) > 0.0)
    };
    let own = |ids: &&[u32]| body.particles.contains(&ids[0]);
    let all = || (0..tets.len()).map(|number| tets.particles(number)).filter(own);
    positions.filter(|x| all().any(|ids| holds(*x, ids))).count()
}

/// Pairs of poses that each check of numbers tries.
const POSES: u64 = 64;

/// Step of the central differences (m), for poses of 1 m. In double precision the truncation
/// error is about its square, 1e-12, and the rounding error about 1e-16 over it, 1e-10.
const STEP: f64 = 1e-6;

/// Largest relative error of a derivative: what [`STEP`] leaves, with room for steep functions.
const DERIVATIVE: f64 = 1e-6;

/// Largest relative error of a few dozen operations in double precision.
const DOUBLE: f64 = 1e-11;

/// Largest relative error of a few dozen operations in single precision.
const SINGLE: f64 = 2e-5;

/// Whether an error is within its limit; NaN is not.
fn within(error: f64, limit: f64) -> bool {
    error <= limit
}

/// A world finds the constraints of a kind by name, so two kinds must not share one.
fn name_is_its_own(kind: &'static Kind) -> Result<(), String> {
    let about = |kind: &Kind| (kind.shows, kind.unit, kind.particles, kind.rest_values, kind.sense);
    match ALL.iter().find(|ours| ours.name == kind.name) {
        _ if kind.name.is_empty() => Err("the kind has no name".into()),
        Some(ours) if about(ours) != about(kind) => Err(format!(
            "the name {:?} belongs to the kind that {}, but this one {}; give it another",
            kind.name, ours.shows, kind.shows
        )),
        _ => Ok(()),
    }
}

/// Central differences; catches a missing ⅙.
fn gradient_is_the_derivative_of_c(kind: &'static Kind) -> Result<(), String> {
    for mut pose in poses_of(kind) {
        let Value { grad, steepest, .. } = pose.eval();
        for (k, axis) in (0..kind.particles).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
            let at = pose.x[k][axis];
            let mut c_at = |x| {
                pose.x[k][axis] = x;
                pose.eval().c
            };
            let numeric = (c_at(at + STEP) - c_at(at - STEP)) / (2.0 * STEP);
            c_at(at);
            let exact = grad[k][axis];
            if !within((numeric - exact).abs(), DERIVATIVE * steepest) {
                let axis = ["x", "y", "z"][axis];
                return Err(format!(
                    "dC/d{axis} of particle {k} is {numeric} by central differences, \
                     but eval says {exact}, in {pose}"
                ));
            }
        }
    }
    Ok(())
}

/// C is 0 in the pose that the rest values were measured in.
fn rest_shape_is_not_violated(kind: &'static Kind) -> Result<(), String> {
    for pose in poses_of(kind) {
        // As the engine stores them: measured at single precision's positions, then rounded.
        let x: Vec<Vec3> = pose.x.iter().map(|x| x.as_vec3()).collect();
        let rest: Vec<f64> = kind.rest(&x).into_iter().map(f64::from).collect();
        // A kind may have no gradient at rest, or none with the rest values of another pose.
        let away = pose.eval().reach;
        let at_rest = Pose { rest, ..pose };
        let Value { c, reach, .. } = at_rest.eval();
        let reach = reach.max(away);
        if !within(c.abs(), SINGLE * reach) {
            let unit = kind.unit;
            return Err(format!(
                "C is {c} {unit} in the pose in which it was measured, not 0 within {} {unit}, \
                 in {at_rest}",
                SINGLE * reach
            ));
        }
    }
    Ok(())
}

/// Gradients that the kind calls unit vectors are.
fn gradients_are_as_long_as_declared(kind: &'static Kind) -> Result<(), String> {
    if kind.gradients == Gradients::Any {
        return Ok(());
    }
    for pose in poses_of(kind) {
        for (k, gradient) in pose.eval().grad.iter().enumerate() {
            let length = gradient.length();
            if !within((length - 1.0).abs(), DOUBLE) {
                return Err(format!(
                    "the gradient at particle {k} is {length} long, not 1; declare \
                     Gradients::Any, in {pose}"
                ));
            }
        }
    }
    Ok(())
}

/// C stays as it is when all particles move together, if the kind says so; otherwise it changes.
fn symmetry_is_as_declared(kind: &'static Kind) -> Result<(), String> {
    let mut random = Random::new(5);
    let mut noticed = false;
    for pose in poses_of(kind) {
        let Value { c, reach, .. } = pose.eval();
        let (turn, shift) = (random.rotation(), random.vector(4.0).as_dvec3());
        for (moved, what) in
            [(pose.mapped(|x| x + shift), "moved"), (pose.mapped(|x| turn * x), "turned")]
        {
            let after = moved.eval().c;
            let unchanged = within((after - c).abs(), DOUBLE * reach);
            noticed |= !unchanged;
            if !unchanged && kind.symmetry == Symmetry::RigidMotion {
                return Err(format!(
                    "C is {c} {unit}, but {after} {unit} when all particles are {what}; mend \
                     eval or declare Symmetry::None, in {pose}",
                    unit = kind.unit
                ));
            }
        }
    }
    match kind.symmetry {
        Symmetry::None("") => Err("Symmetry::None needs a reason, but it is empty".into()),
        Symmetry::None(reason) if !noticed => Err(format!(
            "C changes by less than {DOUBLE:e} of its range in {POSES} poses, moved and turned; \
             declare Symmetry::RigidMotion instead of None ({reason:?})"
        )),
        _ => Ok(()),
    }
}

/// Σ ∇C = 0: a body cannot make itself fly.
fn no_net_force(kind: &'static Kind) -> Result<(), String> {
    no_sum_of(kind, "the gradients add up to", |_, gradient| gradient)
}

/// Σ x × ∇C = 0: nor spin.
fn no_net_torque(kind: &'static Kind) -> Result<(), String> {
    no_sum_of(kind, "the torques x × ∇C add up to", DVec3::cross)
}

fn no_sum_of(
    kind: &'static Kind,
    what: &str,
    term: fn(DVec3, DVec3) -> DVec3,
) -> Result<(), String> {
    if kind.symmetry != Symmetry::RigidMotion {
        return Ok(());
    }
    for pose in poses_of(kind) {
        let Value { grad, .. } = pose.eval();
        let terms: Vec<DVec3> = pose.x.iter().zip(&grad).map(|(&x, &g)| term(x, g)).collect();
        let sum: DVec3 = terms.iter().sum();
        let scale: f64 = terms.iter().map(|term| term.length()).sum();
        if !within(sum.length(), DOUBLE * scale) {
            return Err(format!(
                "{what} {sum}, which must be 0 within {:e}, in {pose}",
                DOUBLE * scale
            ));
        }
    }
    Ok(())
}

/// Kernels cannot fail: where a shape has no direction they return a gradient of 0, never NaN.
fn degenerate_poses_stay_finite(kind: &'static Kind) -> Result<(), String> {
    let ordinary = Random::new(3).pose(kind.particles);
    for Degenerate { what, x } in degenerate(kind.particles) {
        for measured in [&ordinary, &x] {
            let rest = kind.rest(measured);
            if let Some(value) = rest.iter().find(|value| !value.is_finite()) {
                return Err(format!("a rest value is {value} with the particles {what}"));
            }
            let pose = Pose {
                kind,
                x: x.iter().map(|x| x.as_dvec3()).collect(),
                rest: rest.into_iter().map(f64::from).collect(),
            };
            for (value, precision) in [(pose.eval(), "double"), (pose.eval_single(), "single")] {
                let finite = value.c.is_finite() && value.grad.iter().all(|g| g.is_finite());
                if !finite {
                    return Err(format!(
                        "C is {} and its gradient {:?} in {precision} precision with the \
                         particles {what}; all must be finite, in {pose}",
                        value.c, value.grad
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Nothing in the formula eats the digits that single precision has.
fn single_precision_agrees_with_double(kind: &'static Kind) -> Result<(), String> {
    for pose in poses_of(kind).map(Pose::rounded) {
        let (double, single) = (pose.eval(), pose.eval_single());
        if !within((single.c - double.c).abs(), SINGLE * double.reach) {
            return Err(format!(
                "C is {} {unit} in double precision, but {} {unit} in single, in {pose}",
                double.c,
                single.c,
                unit = kind.unit
            ));
        }
        for (k, (exact, rounded)) in double.grad.iter().zip(&single.grad).enumerate() {
            if !within((*rounded - *exact).length(), SINGLE * double.steepest) {
                return Err(format!(
                    "the gradient at particle {k} is {exact} in double precision, but {rounded} \
                     in single, in {pose}"
                ));
            }
        }
    }
    Ok(())
}

/// Displacement (m) of the pose that [`small_strains_keep_their_digits`] looks at, of 1 m.
const NUDGE: f32 = 1e-3;

/// Near rest large terms may cancel, and a square root of what is left has half the digits: no
/// body could come to rest.
fn small_strains_keep_their_digits(kind: &'static Kind) -> Result<(), String> {
    for seed in 0..POSES {
        let mut random = Random::new(seed);
        let measured = random.pose(kind.particles);
        let pose = Pose {
            kind,
            x: measured.iter().map(|&x| (x + random.vector(NUDGE)).as_dvec3()).collect(),
            rest: kind.rest(&measured).into_iter().map(f64::from).collect(),
        };
        let (double, single) = (pose.eval(), pose.eval_single());
        if !within((single.c - double.c).abs(), SINGLE * double.reach) {
            return Err(format!(
                "C is {} {unit} in double precision, but {} {unit} in single, {NUDGE} m from \
                 rest, in {pose}",
                double.c,
                single.c,
                unit = kind.unit
            ));
        }
    }
    Ok(())
}

/// The update rules, and what chooses them.
const RULES: &[(&str, Method, f32)] = &[
    ("xpbd", Method::Xpbd, 0.0),
    ("xpbd with damping", Method::Xpbd, 0.5),
    ("pbd", Method::Pbd, 0.0),
];

/// SIMD is the same arithmetic, bit for bit, under every rule and in every precision; and where no
/// two constraints meet, every solver is.
fn eight_lanes_equal_one(kind: &'static Kind) -> Result<(), String> {
    let precisions = [Precision::Plain, Precision::Carried];
    for ((rule, method, damping), precision) in
        RULES.iter().flat_map(|&rule| precisions.map(|precision| (rule, precision)))
    {
        let by = |solver| {
            let (substeps, iterations, threads) = (2, 2, 1);
            let config = Config { substeps, iterations, threads, ..Config::default() };
            solved(kind, damping, Config { method, precision, solver, ..config })
        };
        let narrow = by(Solver::InOrder)?;
        for way in solver::ALL {
            for (wide, narrow) in by(way.solver)?.into_iter().zip(&narrow) {
                let (what, index, wide) = wide;
                let (_, _, narrow) = narrow;
                if wide.to_array().map(f32::to_bits) != narrow.to_array().map(f32::to_bits) {
                    return Err(format!(
                        "under {rule} ({precision:?}, {}), lanes give {what} {index} the value \
                         {wide:?}, one at a time gives {narrow:?}; they must be the same bits",
                        way.name
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Everything that two substeps leave, with names: positions, velocities and multipliers.
fn solved(
    kind: &'static Kind,
    damping: f32,
    config: Config,
) -> Result<Vec<(&'static str, usize, Vec4)>, String> {
    // Two groups of lanes and three left over; every fifth is degenerate.
    let count = 2 * LANES + 3;
    let mut world = separate_constraints(kind, count, damping)?;
    for (number, pose) in (0..count).step_by(5).zip(degenerate(kind.particles)) {
        for (k, &x) in pose.x.iter().enumerate() {
            world.particles.set_position(number * kind.particles + k, x);
        }
    }
    world.config = config;
    step(&mut world, 1.0 / 60.0).map_err(|e| e.to_string())?;
    let set = world.constraints_of(kind).ok_or("the constraints were not added")?;
    let lambda: Vec<Vec4> = (0..count).map(|number| Vec4::X * set.lambda(number)).collect();
    let Particles { xw, v, .. } = &world.particles;
    let columns = [("position", xw), ("velocity", v), ("multiplier", &lambda)];
    Ok(columns
        .into_iter()
        .flat_map(|(what, rows)| rows.iter().enumerate().map(move |(i, &row)| (what, i, row)))
        .collect())
}

/// A world of `count` constraints of a kind that share no particle, each pulled out of its rest
/// shape; particle k of constraint number n is particle `n * kind.particles + k`.
///
/// Compliances are of all magnitudes, masses and velocities differ, and where there are other
/// particles to move, every fourth constraint has its first pinned. `damping` is that of
/// [`Hold`].
///
/// # Errors
/// If the kind's own rest values are refused.
pub fn separate_constraints(
    kind: &'static Kind,
    count: usize,
    damping: f32,
) -> Result<World, String> {
    let mut random = Random::new(7);
    let mut body = Blueprint::default();
    for number in 0..count {
        let pose = random.pose(kind.particles);
        let rest = kind.rest(&pose);
        let mut place = |x| body.particle(x + random.vector(0.3), random.between(0.1, 3.0));
        let ids: Vec<u32> = pose.into_iter().map(&mut place).collect();
        if ids.len() > 1 && number % 4 == 3 {
            body.pins.push(ids[0]);
        }
        let compliance = [0.0, 1e-8, 1e-6, 1e-4][number / 4 % 4];
        let hold = Hold { compliance, damping, stiffness: random.unit() };
        body.join_with_rest(kind, &ids, &rest, hold).map_err(|e| e.to_string())?;
    }
    let mut world = World::default();
    world.add(&body).map_err(|e| e.to_string())?;
    for i in 0..world.particles.len() {
        world.particles.set_velocity(i, random.vector(2.0));
    }
    Ok(world)
}

/// The WGSL twin, where there is one, is of this kind. `None` says that there is none.
fn twin_declares_the_kind(kind: &'static Kind) -> Result<(), String> {
    let Some(twin) = kind.wgsl else { return Ok(()) };
    let rows = [("N", kind.particles, "particles"), ("P", kind.rest_values, "rest values")];
    for (name, count, what) in rows {
        let start = format!("const {name} = ");
        let declared = twin.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix(';'));
        if declared != Some(count.to_string().as_str()) {
            return Err(format!(
                "the kind has {count} {what}, but its WGSL twin says {}; it must have the line \
                 `{start}{count};`",
                declared.unwrap_or("nothing about it")
            ));
        }
    }
    if !twin.contains("fn eval(") {
        return Err("the WGSL twin declares 0 functions named `eval`, but needs 1".into());
    }
    Ok(())
}

/// Particles somewhere, and the rest values of somewhere else.
struct Pose {
    kind: &'static Kind,
    x: Vec<DVec3>,
    rest: Vec<f64>,
}

/// What a kind says about a pose.
struct Value {
    c: f64,
    grad: Vec<DVec3>,
    /// The longest gradient.
    steepest: f64,
    /// How far C would change if every particle moved by 1 m, at the gradients' slope: the scale
    /// of C in a pose of that size.
    reach: f64,
}

/// Pairs of poses: one to be in, one to have been measured in.
fn poses_of(kind: &'static Kind) -> impl Iterator<Item = Pose> {
    (0..POSES).map(move |seed| {
        let mut random = Random::new(seed);
        let mut points =
            || -> Vec<DVec3> { random.pose(kind.particles).iter().map(|x| x.as_dvec3()).collect() };
        let (x, measured) = (points(), points());
        let measured: Vec<V3<f64>> = measured.into_iter().map(V3::from).collect();
        Pose { kind, x, rest: (kind.kernels.rest)(&measured) }
    })
}

impl Pose {
    fn eval(&self) -> Value {
        let x: Vec<V3<f64>> = self.x.iter().map(|&x| V3::from(x)).collect();
        let mut grad = x.clone();
        let c = self.kind.eval(&x, &self.rest, &mut grad);
        Value::new(c, grad.iter().map(|g| DVec3::new(g.x, g.y, g.z)).collect())
    }

    fn eval_single(&self) -> Value {
        let x: Vec<V3<f32>> = self.x.iter().map(|x| V3::from(x.as_vec3())).collect();
        let rest: Vec<f32> = self.rest.iter().map(|&value| value as f32).collect();
        let mut grad = x.clone();
        let c = self.kind.eval_f32(&x, &rest, &mut grad);
        let grad = grad.iter().map(|g| Vec3::new(g.x, g.y, g.z).as_dvec3()).collect();
        Value::new(f64::from(c), grad)
    }

    /// The same with rest values that single precision has; positions are such already.
    fn rounded(mut self) -> Self {
        self.rest.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        self
    }

    fn mapped(&self, to: impl Fn(DVec3) -> DVec3) -> Self {
        let x = self.x.iter().map(|&x| to(x)).collect();
        Self { kind: self.kind, x, rest: self.rest.clone() }
    }
}

impl Value {
    fn new(c: f64, grad: Vec<DVec3>) -> Self {
        let lengths = || grad.iter().map(|g| g.length());
        let (steepest, reach) = (lengths().fold(0.0, f64::max), lengths().sum());
        Self { c, grad, steepest, reach }
    }
}

impl std::fmt::Display for Pose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let x: Vec<String> = self.x.iter().map(|x| x.to_string()).collect();
        write!(f, "the pose {} with the rest values {:?}", x.join(" "), self.rest)
    }
}
