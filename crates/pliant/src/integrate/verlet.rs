//! Position with the acceleration at the start, velocity with the mean of start and end.

use super::{Integrator, Method, Scalar, State, System, Work, add, set_sum};

/// ```text
/// x₁ = x₀ + h v₀ + ½h² a₀,    v₁ = v₀ + ½h (a₀ + a(x₁, v₀ + h a₀))
/// ```
///
/// The velocity form of Verlet's method: second order, and energy stays bounded up to ωh = 2.
/// Dashpots ask for the velocity at the end before it is known; the guess v₀ + h a₀ keeps the order.
/// Swope et al. 1982, "A computer simulation method for the calculation of equilibrium constants
/// for the formation of physical clusters of molecules", eq. 4 and 5.
pub const INTEGRATOR: &Integrator = &Integrator {
    name: "verlet",
    shows: "second order at two evaluations, keeps energy bounded: good for long runs",
    order: 2,
    stable_below: 2.0,
    single: Verlet::step,
    double: Verlet::step,
};

struct Verlet;

impl Method for Verlet {
    fn step<R: Scalar>(system: &System<'_, R>, state: &mut State<R>, h: R, work: &mut Work<R>) {
        let Work { ahead, rows: [before, after, ..], .. } = work;
        let half = h * R::of(0.5);
        system.accelerations(state, before);
        set_sum(&mut ahead.v, &state.v, half, before);
        set_sum(&mut ahead.x, &state.x, h, &ahead.v);
        add(&mut ahead.v, half, before);
        system.accelerations(ahead, after);
        state.x.copy_from_slice(&ahead.x);
        add(&mut state.v, half, before);
        add(&mut state.v, half, after);
    }
}
