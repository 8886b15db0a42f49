//! Velocity first, then position with the new velocity.

use super::{Integrator, Method, Scalar, State, System, Work, add};

/// ```text
/// v ← v + h a(x, v),    x ← x + h v       x with the new v
/// ```
///
/// First order, and as cheap as explicit Euler, but the energy stays bounded up to ωh = 2.
/// Hairer et al. 2006, "Geometric Numerical Integration", section I.1.2.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "symplectic_euler",
    shows: "as cheap as explicit Euler, but keeps energy bounded: the usual choice in games",
    order: 1,
    stable_below: 2.0,
    single: SymplecticEuler::step,
    double: SymplecticEuler::step,
};

struct SymplecticEuler;

impl Method for SymplecticEuler {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let [a, ..] = &mut work.rows;
        system.accelerations(state, a);
        add(&mut state.v, h, a);
        add(&mut state.x, h, &state.v);
    }
}
