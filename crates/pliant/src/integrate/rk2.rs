//! Along the slope of the midpoint.

use super::{Integrator, Method, Scalar, State, System, Work, add, set_sum};

/// ```text
/// xₘ = x₀ + ½h v₀,    vₘ = v₀ + ½h a(x₀, v₀),    x₁ = x₀ + h vₘ,    v₁ = v₀ + h a(xₘ, vₘ)
/// ```
///
/// The midpoint rule of Runge: second order. Gains energy slowly where nothing damps, at any step.
/// Hairer et al. 1993, "Solving Ordinary Differential Equations I", section II.1.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "rk2",
    shows: "the midpoint rule: second order, but gains a little energy without damping",
    order: 2,
    stable_below: 0.0,
    single: Rk2::step,
    double: Rk2::step,
};

struct Rk2;

impl Method for Rk2 {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let Work { ahead, rows: [a, ..], .. } = work;
        let half = h * R::of(0.5);
        system.accelerations(state, a);
        set_sum(&mut ahead.x, &state.x, half, &state.v);
        set_sum(&mut ahead.v, &state.v, half, a);
        system.accelerations(ahead, a);
        add(&mut state.x, h, &ahead.v);
        add(&mut state.v, h, a);
    }
}
