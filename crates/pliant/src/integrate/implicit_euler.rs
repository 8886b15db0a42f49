//! Along the slope where the step ends.

use super::{Integrator, Method, Scalar, Springs, State, System, V3, Work, add, zero};

/// ```text
/// (M + hD + h²K) Δv = h (F + M g − h K v₀),    v₁ = v₀ + Δv,    x₁ = x₀ + h v₁
/// ```
///
/// Backward Euler with the forces linearised at the start of the step; K and D are the derivatives
/// of the spring forces, with a minus sign, and the system is solved by conjugate gradients without
/// ever being written down. First order, and stable for every step; what it loses is energy.
///
/// ```text
/// K = k (n nᵀ + max(0, 1 − l₀/l) (1 − n nᵀ)),    D = β n nᵀ
/// ```
///
/// The exact K has 1 − l₀/l, which is negative for a compressed spring that would buckle; clamped,
/// the matrix is positive definite and the gradients converge. Baraff and Witkin 1998, "Large Steps
/// in Cloth Simulation", eq. 6; Choi and Ko 2002, "Stable but Responsive Cloth", for the clamp.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "implicit_euler",
    shows: "stable for any step and stiffness, at the price of energy and a linear solve",
    order: 1,
    stable_below: f64::INFINITY,
    single: ImplicitEuler::step,
    double: ImplicitEuler::step,
};

/// Rounds of conjugate gradients after which a solve is taken as it is. A body of springs at
/// ωh = 10 needs some 30.
const ROUNDS: u32 = 300;

struct ImplicitEuler;

/// The system of equations, as springs hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear<R> {
    springs: Vec<Coupling<R>>,
    /// Of each particle, the mean of its diagonal, to scale by; 0 for those that are held.
    diagonal: Vec<R>,
    /// What is solved for.
    dv: Vec<V3<R>>,
}

/// How the forces of a spring change with the motion of its ends, over the step.
#[derive(Clone, Copy, Debug)]
struct Coupling<R> {
    n: V3<R>,
    /// Along n: h²k + hβ (kg).
    along: R,
    /// Across: h²k max(0, 1 − l₀/l) (kg).
    across: R,
    /// hβ (kg), which the velocity at the start has no part in.
    dashpot: R,
}

impl Method for ImplicitEuler {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let Work { rows: [residual, scaled, direction, image], linear, .. } = work;
        linear.build(system, state, h);
        // b = h (F + M g − h K v₀), which is h M a − (h²K) v₀
        system.accelerations(state, residual);
        linear.apply_stiffness(system.springs, &state.v, image);
        for i in 0..residual.len() {
            residual[i] = match system.w[i] > R::of(0.0) {
                true => residual[i] * (h / system.w[i]) - image[i],
                false => zero(),
            };
        }
        linear.solve(system, [residual, scaled, direction, image]);
        add(&mut state.v, R::of(1.0), &linear.dv);
        add(&mut state.x, h, &state.v);
    }
}

impl<R: Scalar> Linear<R> {
    pub(super) fn build(&mut self, system: &System<'_, R>, State { x, .. }: &State<R>, h: R) {
        let (nothing, one) = (R::of(0.0), R::of(1.0));
        let Springs { ends, rest, stiffness, damping } = system.springs;
        self.diagonal.clear();
        self.diagonal.extend(system.w.iter().map(|&w| one.div_or_zero(w)));
        self.dv.clear();
        self.dv.resize(x.len(), zero());
        self.springs.clear();
        for (s, &[i, j]) in ends.iter().enumerate() {
            let d = x[i as usize] - x[j as usize];
            let length = d.length();
            let n = d * one.div_or_zero(length);
            let stretch = (one - rest[s].div_or_zero(length)).at_least(nothing);
            // Without length there is no direction, and nothing across it either.
            let stretch = nothing.where_less(length, stretch, nothing);
            let (spring, dashpot) = (h * h * stiffness[s], h * damping[s]);
            let coupling =
                Coupling { n, along: spring + dashpot, across: spring * stretch, dashpot };
            let mean = (coupling.along + coupling.across * R::of(2.0)) / R::of(3.0);
            self.springs.push(coupling);
            for end in [i as usize, j as usize] {
                self.diagonal[end] = self.diagonal[end] + mean;
            }
        }
        for (diagonal, &w) in self.diagonal.iter_mut().zip(system.w) {
            *diagonal = nothing.where_less(w, *diagonal, nothing);
        }
    }

    /// `image ← (M + hD + h²K) p`.
    fn apply(&self, system: &System<'_, R>, p: &[V3<R>], image: &mut [V3<R>]) {
        for i in 0..p.len() {
            image[i] = p[i] * R::of(1.0).div_or_zero(system.w[i]);
        }
        self.scatter(system.springs, p, image, |coupling| coupling.along);
        for i in 0..p.len() {
            image[i] = if system.w[i] > R::of(0.0) { image[i] } else { zero() };
        }
    }

    /// `image ← h²K p`.
    pub(super) fn apply_stiffness(&self, springs: &Springs<R>, p: &[V3<R>], image: &mut [V3<R>]) {
        image.fill(zero());
        self.scatter(springs, p, image, |coupling| coupling.along - coupling.dashpot);
    }

    fn scatter(
        &self,
        springs: &Springs<R>,
        p: &[V3<R>],
        image: &mut [V3<R>],
        along: impl Fn(&Coupling<R>) -> R,
    ) {
        for (coupling, &[i, j]) in self.springs.iter().zip(&springs.ends) {
            let (i, j) = (i as usize, j as usize);
            let r = p[i] - p[j];
            let along = coupling.n * (coupling.n.dot(r) * (along(coupling) - coupling.across));
            let change = along + r * coupling.across;
            image[i] = image[i] + change;
            image[j] = image[j] - change;
        }
    }

    /// Conjugate gradients, scaled by the diagonal, for `dv`; the residual starts as the right side.
    ///
    /// Hestenes and Stiefel 1952, "Methods of Conjugate Gradients for Solving Linear Systems".
    fn solve(
        &mut self,
        system: &System<'_, R>,
        [residual, scaled, direction, image]: [&mut Vec<V3<R>>; 4],
    ) {
        let scale = |diagonal: &[R], residual: &[V3<R>], scaled: &mut [V3<R>]| {
            for i in 0..scaled.len() {
                scaled[i] = residual[i] * R::of(1.0).div_or_zero(diagonal[i]);
            }
        };
        scale(&self.diagonal, residual, scaled);
        direction.copy_from_slice(scaled);
        let mut size = dot(residual, scaled);
        let small = size * R::of(R::PRECISION * R::PRECISION);
        let mut rounds = 0;
        while size > small && rounds < ROUNDS {
            rounds += 1;
            self.apply(system, direction, image);
            let step = size.div_or_zero(dot(direction, image));
            add(&mut self.dv, step, direction);
            add(residual, -step, image);
            scale(&self.diagonal, residual, scaled);
            let before = std::mem::replace(&mut size, dot(residual, scaled));
            let turn = size.div_or_zero(before);
            for i in 0..direction.len() {
                direction[i] = scaled[i] + direction[i] * turn;
            }
        }
    }
}

fn dot<R: Scalar>(a: &[V3<R>], b: &[V3<R>]) -> R {
    a.iter().zip(b).fold(R::of(0.0), |sum, (&a, &b)| sum + a.dot(b))
}
