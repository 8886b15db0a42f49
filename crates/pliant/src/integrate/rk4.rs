//! The classical Runge-Kutta method.

use super::{Integrator, Method, Scalar, State, System, Work, add, set_sum, zero};

/// With y = (x, v) and f(y) = (v, a(x, v)):
///
/// ```text
/// k₁ = f(y₀),    k₂ = f(y₀ + ½h k₁),    k₃ = f(y₀ + ½h k₂),    k₄ = f(y₀ + h k₃)
/// y₁ = y₀ + h/6 (k₁ + 2k₂ + 2k₃ + k₄)
/// ```
///
/// Fourth order. Loses a little energy up to ωh = 2√2 and gains beyond.
/// Hairer et al. 1993, "Solving Ordinary Differential Equations I", section II.1.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "rk4",
    shows: "fourth order at four evaluations: by far the most exact",
    order: 4,
    stable_below: 2.0 * std::f64::consts::SQRT_2,
    single: Rk4::step,
    double: Rk4::step,
};

struct Rk4;

impl Method for Rk4 {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let Work { ahead, rows: [a, x_slope, v_slope, v_before], .. } = work;
        let (half, third, sixth) = (h * R::of(0.5), h / R::of(3.0), h / R::of(6.0));
        x_slope.fill(zero());
        v_slope.fill(zero());
        ahead.x.copy_from_slice(&state.x);
        ahead.v.copy_from_slice(&state.v);
        let stages = [(sixth, Some(half)), (third, Some(half)), (third, Some(h)), (sixth, None)];
        for (share, next) in stages {
            system.accelerations(ahead, a);
            v_before.copy_from_slice(&ahead.v);
            add(x_slope, share, v_before);
            add(v_slope, share, a);
            if let Some(next) = next {
                set_sum(&mut ahead.x, &state.x, next, v_before);
                set_sum(&mut ahead.v, &state.v, next, a);
            }
        }
        add(&mut state.x, R::of(1.0), x_slope);
        add(&mut state.v, R::of(1.0), v_slope);
    }
}
