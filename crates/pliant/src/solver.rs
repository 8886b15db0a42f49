//! Solvers: in which order constraints are solved, and what each of them sees of the others.
//!
//! All of them go to the same solution, since each changes λ by Δλ and moves particles by
//! Δx = w ∇C Δλ and nothing else: positions and multipliers belong together at any time (Macklin
//! et al. 2016, eq. 17). They differ in how fast they come there, and on how many threads. One more
//! solver is one file here, a variant of [`Solver`] and a line in [`ALL`].
//!
//! | solver      | a constraint sees             | threads | same bits for any number of them |
//! |-------------|-------------------------------|---------|----------------------------------|
//! | `colored`   | what came before it           | all     | yes                              |
//! | `in_order`  | what came before it           | one     | yes                              |
//! | `jacobi`    | the last iteration            | all     | yes                              |
//! | `chebyshev` | the last iteration            | all     | yes                              |
//! | `unordered` | whatever others have written  | all     | no, unless there is only one     |
//!
//! The setting `omega` multiplies every correction. The first two are successive over-relaxation
//! then (Young 1954): 1 is Gauss-Seidel, more goes farther, 2 no longer converges.

use crate::constraint::set::Set;
use crate::parallel::Pool;
use crate::particles::Particles;
use crate::step::project::{Substep, Work};
use crate::world::{Config, World};

pub mod chebyshev;
pub mod colored;
pub mod in_order;
pub mod jacobi;
pub mod unordered;

/// Every solver, in the order of [`Solver`].
pub const ALL: &[&Way] =
    &[colored::WAY, in_order::WAY, jacobi::WAY, chebyshev::WAY, unordered::WAY];

/// How constraints are solved; [`ALL`] says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Solver {
    /// By colour, several at once, on all threads: parallel Gauss-Seidel.
    Colored,
    /// As they were added, one after the other: Gauss-Seidel.
    InOrder,
    /// All from the same positions: averaged Jacobi.
    Jacobi,
    /// The same, sped up by its own past.
    Chebyshev,
    /// As they were added, but on all threads, which do not wait for each other. The result differs
    /// from run to run: it is outside the promise of equal bits.
    Unordered,
}

impl Solver {
    /// What it is called and does.
    pub fn way(self) -> &'static Way {
        ALL[self as usize]
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        self.way().name
    }
}

/// A solver as data.
#[derive(Debug)]
pub struct Way {
    /// Which one it is.
    pub solver: Solver,
    /// The name, as in `--set solver=jacobi`.
    pub name: &'static str,
    /// One sentence: how it goes about it.
    pub shows: &'static str,
    /// Brings up to date what depends on the constraints, once per step.
    pub(crate) prepare: fn(&[Set], usize, &mut Scratch),
    /// Visits every constraint once.
    pub(crate) iterate: fn(&mut Pass<'_>),
}

/// What an iteration works on.
pub(crate) struct Pass<'a> {
    sets: &'a mut [Set],
    particles: &'a mut Particles,
    pool: &'a Pool,
    config: &'a Config,
    scratch: &'a mut Scratch,
    at: Substep,
}

/// What solvers need and nobody else.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    jacobi: jacobi::Space,
    chebyshev: chebyshev::Space,
    unordered: unordered::Space,
}

/// Brings up to date what the solver keeps beside the constraints.
pub(crate) fn prepare(world: &mut World) {
    let World { sets, particles, scratch, config, .. } = world;
    (config.solver.way().prepare)(sets, particles.len(), &mut scratch.solver);
}

/// One iteration: every constraint is visited once.
pub(crate) fn iterate(world: &mut World, iteration: u32) {
    let World { sets, particles, scratch, config, h, .. } = world;
    let at = Substep { h: *h, iteration };
    let (pool, scratch) = (&scratch.pool, &mut scratch.solver);
    (config.solver.way().iterate)(&mut Pass { sets, particles, pool, config, scratch, at });
}

/// For solvers that keep nothing.
fn nothing(_: &[Set], _: usize, _: &mut Scratch) {}

#[cfg(test)]
mod tests;
