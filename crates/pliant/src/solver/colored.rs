//! Gauss-Seidel by colour: what shares no particle is solved at once.

use super::{Pass, Solver, Way, Work, nothing};
use crate::particles::Particles;

/// See [`Solver::Colored`].
///
/// Fratarcangeli and Pellacini 2015, "Scalable Partitioning for Parallel Position Based Dynamics".
pub const WAY: &Way = &Way {
    solver: Solver::Colored,
    name: "colored",
    shows: "by colour, several at once, on all threads; each sees what came before",
    prepare: nothing,
    iterate,
};

/// Constraints of a colour that are worth a second thread; below, waking it costs more.
pub(super) const GRAIN: usize = 256;

fn iterate(pass: &mut Pass<'_>) {
    for set in &mut *pass.sets {
        let Particles { xw, predicted, v, .. } = &mut *pass.particles;
        let Work { kernels, batch, colored, lambda, .. } =
            Work::new(set, (predicted, v), pass.config, pass.at);
        pass.pool
            .for_colors(colored, GRAIN, (xw, lambda), |share| (kernels.by_lanes)(&batch, share));
    }
}
