//! The simplest step: along the slope where it starts.

use super::{Integrator, Method, Scalar, State, System, Work, add};

/// ```text
/// x ← x + h v,    v ← v + h a(x, v)       both from where the step starts
/// ```
///
/// First order. Gains energy at every step, so that nothing without damping stays bounded.
/// Hairer et al. 1993, "Solving Ordinary Differential Equations I", section II.1.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "explicit_euler",
    shows: "the simplest: gains energy, so it needs damping and tiny steps",
    order: 1,
    stable_below: 0.0,
    single: ExplicitEuler::step,
    double: ExplicitEuler::step,
};

struct ExplicitEuler;

impl Method for ExplicitEuler {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let [a, ..] = &mut work.rows;
        system.accelerations(state, a);
        add(&mut state.x, h, &state.v);
        add(&mut state.v, h, a);
    }
}
