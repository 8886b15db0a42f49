//! No constraint makes a body fly or spin by itself.

use glam::{DVec3, Vec3};

use super::rig::stepper::step;
use super::rig::{FRAME, config, worst};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::constraint::{ALL, Kind, Symmetry};
use crate::lanes::{Real, V3};
use crate::solver::Solver;
use crate::step::project::xpbd;
use crate::testing::Random;
use crate::world::{Config, World};

/// What a constraint does to its particles adds up to nothing, in momentum and in angular
/// momentum.
///
/// ```text
/// Σ mᵢ Δxᵢ = 0,    Σ rᵢ × mᵢ Δxᵢ = 0
/// ```
///
/// Müller et al. 2007, section 3.3, eq. 6 and 7. Holds for every kind that a rigid motion of all
/// its particles leaves as it is.
pub const LAW: &Law = &Law {
    name: "momentum",
    covers: &["P4"],
    setup: "random shapes of every kind of constraint, projected once, with random masses",
    claim: "no internal constraint changes the momentum or angular momentum of a body",
    source: "Müller et al. 2007, section 3.3",
    tolerance: "rounding of the sums: 1e-12 in double precision, 1e-5 in single",
    accident: "random shapes with masses of 0.1 to 10 kg, relative to the sum of the sizes of what \
               cancels; a gradient off by 1e-4, or a mass left out, shows at once",
    quick: true,
    cpu_only: None,
    params: &[
        Param::count("poses", 1000, [100, 100_000], "random shapes per kind"),
        Param::count("seed", 1, [0, u32::MAX], "where the random numbers start"),
    ],
    measure,
    figure: None,
};

/// Rounding in double precision.
const DOUBLE: f64 = 1e-12;
/// Rounding in single precision: 6e-8, and some cancellation.
const SINGLE: f64 = 1e-5;
/// How far a shape is from its rest shape, along each axis (m); its size is about 1 m.
const STRAIN: f32 = 0.1;

/// What a shape must move on average (kg·m): nothing adds up to nothing, too.
const MOVED: f64 = 0.01;

/// A kind in a random shape: where its particles are, where they are at rest, and their masses.
struct Shape {
    x: Vec<DVec3>,
    at_rest: Vec<DVec3>,
    masses: Vec<f64>,
}

impl Shape {
    fn random(random: &mut Random, kind: &Kind) -> Self {
        let x: Vec<_> = random.pose(kind.particles).iter().map(|x| x.as_dvec3()).collect();
        let at_rest = x.iter().map(|x| *x + random.point(2.0 * STRAIN)).collect();
        let masses = (0..kind.particles).map(|_| f64::from(random.between(0.1, 10.0))).collect();
        Self { x, at_rest, masses }
    }

    /// Σ m Δx and Σ r × m Δx, each with the sum of the sizes of its terms.
    fn sums(&self, moves: &[DVec3]) -> [(DVec3, f64); 2] {
        let center = self.x.iter().sum::<DVec3>() / self.x.len() as f64;
        let mut sums = [(DVec3::ZERO, 0.0); 2];
        for ((x, m), d) in self.x.iter().zip(&self.masses).zip(moves) {
            let (r, p) = (*x - center, *d * *m);
            sums[0] = (sums[0].0 + p, sums[0].1 + p.length());
            sums[1] = (sums[1].0 + r.cross(p), sums[1].1 + r.length() * p.length());
        }
        sums
    }
}

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let poses = params.count("poses");
    let internal = ALL.iter().filter(|kind| kind.symmetry == Symmetry::RigidMotion);
    let mut measured = Vec::new();
    for kind in internal {
        let mut random = Random::new(params.get("seed") as u64);
        let shapes: Vec<_> = (0..poses).map(|_| Shape::random(&mut random, kind)).collect();
        let double = shapes.iter().map(|shape| shape.sums(&moves_in_double(kind, shape)));
        measured.extend(worst_of(double, kind, "f64", DOUBLE));
        let single = shapes.iter().map(|shape| shape.sums(&moves_in_single(kind, shape)));
        measured.extend(worst_of(single, kind, "f32", SINGLE));
        measured.extend(in_engine(kind, &shapes)?);
    }
    Ok(measured)
}

/// The largest share, over all shapes, that did not cancel.
fn worst_of(
    sums: impl Iterator<Item = [(DVec3, f64); 2]> + Clone,
    kind: &Kind,
    precision: &str,
    tolerance: f64,
) -> impl Iterator<Item = Measured> {
    let share = |(sum, size): (DVec3, f64)| if size > 0.0 { sum.length() / size } else { 0.0 };
    [0, 1].into_iter().filter_map(move |i| {
        let quantity = ["momentum", "angular momentum"][i];
        worst(sums.clone().map(|sums| {
            let what = format!("{quantity} made by {}, {precision}", kind.name);
            Measured::new(what, "", [share(sums[i]), 0.0], Tolerance::Absolute(tolerance))
        }))
    })
}

fn moves_in_double(kind: &Kind, shape: &Shape) -> Vec<DVec3> {
    let x: Vec<V3<f64>> = shape.x.iter().map(|&x| x.into()).collect();
    let at_rest: Vec<V3<f64>> = shape.at_rest.iter().map(|&x| x.into()).collect();
    let mut grad = x.clone();
    let c = kind.eval(&x, &(kind.kernels.rest)(&at_rest), &mut grad);
    moves(c, &grad, |k| 1.0 / shape.masses[k])
}

fn moves_in_single(kind: &Kind, shape: &Shape) -> Vec<DVec3> {
    let x: Vec<V3<f32>> = shape.x.iter().map(|x| x.as_vec3().into()).collect();
    let mut grad = x.clone();
    let c = kind.eval_f32(&x, &rest_in_single(kind, shape), &mut grad);
    moves(c, &grad, |k| 1.0 / shape.masses[k] as f32)
}

fn rest_in_single(kind: &Kind, shape: &Shape) -> Vec<f32> {
    kind.rest(&shape.at_rest.iter().map(|x| x.as_vec3()).collect::<Vec<Vec3>>())
}

/// What a rigid constraint does to its particles.
fn moves<R: Real + Into<f64>>(c: R, grad: &[V3<R>], w: impl Fn(usize) -> R) -> Vec<DVec3> {
    let zero = c.lit(0.0);
    let sum = grad.iter().enumerate().fold(zero, |sum, (k, g)| sum + w(k) * g.length_squared());
    let d_lambda = xpbd(c, zero, sum, zero);
    let wide = |v: V3<R>| DVec3::new(v.x.into(), v.y.into(), v.z.into());
    grad.iter().enumerate().map(|(k, g)| wide(*g * (w(k) * d_lambda))).collect()
}

/// All shapes in one world, for one substep, eight at a time: what is left of the sums over all of them.
///
/// Positions are rounded to 6e-8 m, moves are some 0.05 m: the share of a single shape may be
/// larger than that of them all.
fn in_engine(kind: &'static Kind, shapes: &[Shape]) -> Result<Vec<Measured>, LawError> {
    let mut body = Blueprint::default();
    for shape in shapes {
        let ids: Vec<u32> = shape
            .x
            .iter()
            .zip(&shape.masses)
            .map(|(x, m)| body.particle(x.as_vec3(), *m as f32))
            .collect();
        body.join_with_rest(kind, &ids, &rest_in_single(kind, shape), Hold::RIGID)?;
    }
    let mut world = World::new(Config { solver: Solver::Colored, ..config(1, 1) });
    world.add(&body)?;
    step(&mut world, FRAME as f32)?;
    let mut total = [(DVec3::ZERO, 0.0); 2];
    for (i, shape) in shapes.iter().enumerate() {
        let first = i * kind.particles;
        let after = &world.particles.xw[first..first + kind.particles];
        let before = shape.x.iter().map(|x| x.as_vec3().as_dvec3());
        let moves = before.zip(after).map(|(before, after)| after.truncate().as_dvec3() - before);
        for (total, sum) in total.iter_mut().zip(shape.sums(&moves.collect::<Vec<_>>())) {
            *total = (total.0 + sum.0, total.1 + sum.1);
        }
    }
    let what = format!("sum of the sizes of m Δx by {}, engine", kind.name);
    let numbers = [total[0].1, MOVED * shapes.len() as f64];
    let moved = Measured::new(what, "kg·m", numbers, Tolerance::AtLeast);
    Ok(worst_of(std::iter::once(total), kind, "engine, all shapes", SINGLE)
        .chain([moved])
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::distance;

    #[test]
    fn a_force_without_its_reaction_is_found() {
        let mut random = Random::new(1);
        let shape = Shape::random(&mut random, &distance::KIND);
        let mut moves = moves_in_double(&distance::KIND, &shape);
        let share = |[(sum, size), _]: [(DVec3, f64); 2]| sum.length() / size;
        assert!(share(shape.sums(&moves)) < DOUBLE);
        moves[1] *= 1.0001;
        let off = share(shape.sums(&moves));
        assert!((4e-5..6e-5).contains(&off), "half of 0.01 % is out of balance, not {off}");
    }
}
