//! Gauss-Seidel in the order in which constraints were added.

use super::{Pass, Solver, Way, Work, nothing};
use crate::parallel::Pool;
use crate::particles::Particles;

/// See [`Solver::InOrder`].
///
/// Müller et al. 2007, "Position Based Dynamics", section 3.2.
pub const WAY: &Way = &Way {
    solver: Solver::InOrder,
    name: "in_order",
    shows: "as they were added, one after the other; each sees what came before",
    prepare: nothing,
    iterate,
};

fn iterate(pass: &mut Pass<'_>) {
    for set in &mut *pass.sets {
        let Particles { xw, predicted, v, .. } = &mut *pass.particles;
        let Work { kernels, batch, colored, order, lambda } =
            Work::new(set, (predicted, v), pass.config, pass.at);
        Pool::alone(colored, (xw, lambda), |share| (kernels.in_order)(&batch, share, order));
    }
}
