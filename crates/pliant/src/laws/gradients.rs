//! Every constraint's gradient is the derivative of its C.

use glam::DVec3;

use super::rig::{departure, larger};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::{ALL, Kind, Symmetry};
use crate::lanes::V3;
use crate::testing::Random;

/// The gradient that a kind gives is the derivative of its C; the rest shape has C = 0; turning
/// and moving the whole shape changes nothing.
///
/// ```text
/// ∂C/∂x ≈ (C(x + δ) − C(x − δ)) / 2δ
/// C(x; rest(x)) = 0
/// C(Qx + t) = C(x),    ∇C(Qx + t) = Q ∇C(x)
/// ```
///
/// The difference is off by δ² C'''/6 and by rounding, 1e-16/δ: about 1e-9 for δ = 1 µm.
pub const LAW: &Law = &Law {
    name: "gradients",
    covers: &["P5"],
    setup: "random shapes of every kind of constraint, each particle moved along each axis by 1 µm",
    claim: "each kind's gradient is the derivative of its C, which is 0 at rest and ignores rigid \
            motion",
    source: "central differences in double precision",
    tolerance: "central differences over 1 µm in double precision are good to about 1e-8",
    accident: "C alone is differenced, the gradient is not used to compute it; a missing factor or \
               sign in one component of one particle shows at its full size",
    quick: true,
    cpu_only: Some("takes no steps"),
    params: &[
        Param::count("poses", 1000, [1, 100_000], "random shapes per kind"),
        Param::number(
            "delta",
            "m",
            1e-6,
            [1e-7, 1e-5],
            "how far a particle is moved to difference C",
        ),
        Param::count("seed", 1, [0, u32::MAX], "where the random numbers start"),
    ],
    measure,
    figure: None,
};

/// Largest error, as a share of the largest gradient of the shape.
const TOLERANCE: f64 = 1e-6;
/// How far a shape is from its rest shape, along each axis (m): C is not 0, nor does an angle
/// jump from π to −π.
const STRAIN: f32 = 0.1;
/// How far a shape is carried (m).
const CARRY: f32 = 10.0;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let measured = ALL.iter().flat_map(|kind| {
        let rows = [
            ("gradient against central differences", true),
            ("C of the rest shape", true),
            ("C and gradient after a rigid motion", kind.symmetry == Symmetry::RigidMotion),
        ];
        rows.into_iter().zip(errors(kind, params)).filter(|((_, holds), _)| *holds).map(
            |((what, _), error)| {
                let what = format!("{what}, {}, relative", kind.name);
                Measured::new(what, "", [error, 0.0], Tolerance::Absolute(TOLERANCE))
            },
        )
    });
    Ok(measured.collect())
}

/// The largest errors of a kind: of the gradient, of C at rest, after a rigid motion.
fn errors(kind: &Kind, params: &Params) -> [f64; 3] {
    let mut random = Random::new(params.get("seed") as u64);
    let mut worst = [0.0; 3];
    for _ in 0..params.count("poses") {
        let at = At::random(&mut random, kind);
        let errors = [at.difference(params.get("delta")), at.c_at_rest(), at.carried(&mut random)];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = larger(*worst, error);
        }
    }
    worst
}

/// A kind in a random shape.
struct At<'a> {
    kind: &'a Kind,
    x: Vec<DVec3>,
    rest: Vec<f64>,
}

impl<'a> At<'a> {
    /// A shape with a gradient to speak of: a rest shape that is nearly degenerate may hold nothing.
    /// A kind that never has one is measured as it is, and fails.
    fn random(random: &mut Random, kind: &'a Kind) -> Self {
        let mut any = || {
            let x: Vec<_> = random.pose(kind.particles).iter().map(|x| x.as_dvec3()).collect();
            let at_rest: Vec<_> = x.iter().map(|x| *x + random.point(2.0 * STRAIN)).collect();
            Self { kind, x, rest: rest(kind, &at_rest) }
        };
        let holds = |at: &Self| Self::size(&at.eval(&at.x, &at.rest).1) > 0.0;
        (0..100).map(|_| any()).find(holds).unwrap_or_else(any)
    }

    fn eval(&self, x: &[DVec3], rest: &[f64]) -> (f64, Vec<DVec3>) {
        let x: Vec<V3<f64>> = x.iter().map(|&x| x.into()).collect();
        let mut grad = x.clone();
        let c = self.kind.eval(&x, rest, &mut grad);
        (c, grad.into_iter().map(|g| DVec3::new(g.x, g.y, g.z)).collect())
    }

    /// The largest gradient of a particle.
    fn size(grad: &[DVec3]) -> f64 {
        grad.iter().map(|g| g.length()).fold(0.0, f64::max)
    }

    fn difference(&self, delta: f64) -> f64 {
        let (_, grad) = self.eval(&self.x, &self.rest);
        let mut numeric = Vec::new();
        for k in 0..self.x.len() {
            for axis in DVec3::AXES {
                let c = [delta, -delta].map(|by| {
                    let mut x = self.x.clone();
                    x[k] += axis * by;
                    self.eval(&x, &self.rest).0
                });
                numeric.push((c[0] - c[1]) / (2.0 * delta));
            }
        }
        let exact: Vec<f64> = grad.iter().flat_map(|g| g.to_array()).collect();
        departure(&numeric, &exact) / Self::size(&grad)
    }

    /// C of the shape with its own rest values, as a share of its gradient times 1 m.
    fn c_at_rest(&self) -> f64 {
        let (_, grad) = self.eval(&self.x, &self.rest);
        self.eval(&self.x, &rest(self.kind, &self.x)).0.abs() / Self::size(&grad)
    }

    /// How much C and its gradient change when the shape is turned and carried away.
    fn carried(&self, random: &mut Random) -> f64 {
        let (turn, shift) = (random.rotation(), random.point(2.0 * CARRY));
        let moved: Vec<_> = self.x.iter().map(|&x| turn * x + shift).collect();
        let (c, grad) = self.eval(&self.x, &self.rest);
        let (moved_c, moved_grad) = self.eval(&moved, &self.rest);
        let list = |c: f64, grad: Vec<DVec3>| -> Vec<f64> {
            std::iter::once(c).chain(grad.into_iter().flat_map(|g| g.to_array())).collect()
        };
        let turned = grad.iter().map(|&g| turn * g).collect();
        departure(&list(c, turned), &list(moved_c, moved_grad)) / Self::size(&grad)
    }
}

fn rest(kind: &Kind, x: &[DVec3]) -> Vec<f64> {
    let x: Vec<V3<f64>> = x.iter().map(|&x| x.into()).collect();
    (kind.kernels.rest)(&x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Constraint;
    use crate::lanes::Real;

    /// The distance of two particles with a gradient that is 0.01 % too long at the second.
    struct Wrong;

    impl Constraint<2, 1> for Wrong {
        const NAME: &'static str = "wrong";
        const SHOWS: &'static str = "that a wrong gradient is found";
        const UNIT: &'static str = "m";
        const WGSL: Option<&'static str> = None;

        fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
            let (c, [g0, g1]) = crate::constraint::distance::Distance::eval(x, rest);
            (c + c.lit(1e-3), [g0, g1 * c.lit(1.0001)])
        }

        fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
            crate::constraint::distance::Distance::rest(x)
        }
    }

    #[test]
    fn a_gradient_off_by_a_hundredth_of_a_percent_is_found() {
        let settings = LAW.params.iter().map(|param| (param, param.default.min(10.0))).collect();
        let errors = errors(&Kind::of::<Wrong, 2, 1>(), &Params { law: LAW.name, settings });
        // 1e-4 of the longest component of a unit vector, which is at least 1/√3.
        assert!((5.7e-5..1.1e-4).contains(&errors[0]), "gradient: {}", errors[0]);
        assert!((9e-4..2e-3).contains(&errors[1]), "C at rest: {}", errors[1]);
    }
}
