//! Averaged Jacobi, sped up: each iteration goes beyond the last by what past ones have shown.

use glam::Vec4;

use super::jacobi::{self, ROW_GRAIN};
use super::{Pass, Scratch, Solver, Way};
use crate::constraint::set::Set;

/// See [`Solver::Chebyshev`].
///
/// ```text
/// x ← ω (x̂ − x_before) + x_before,    ω = 1, …, 1,  2/(2 − ρ²),  4/(4 − ρ²ω), …
/// ```
///
/// x̂ is where averaged Jacobi would go from x, and the same is done with λ, so that the two stay
/// together. ρ is the setting `spectral_radius`: the share of the error that an iteration of
/// Jacobi leaves. The error then falls by ρ/(1 + √(1 − ρ²)) per iteration instead of ρ. Wang 2015,
/// "A Chebyshev Semi-Iterative Approach for Accelerating Projective and Position-Based Dynamics",
/// eq. 12 to 14; without its under-relaxation γ, which is `omega` here.
///
/// A linear problem converges for every ρ below 1, since the averaging keeps all eigenvalues of an
/// iteration between 0 and 1 for `omega` up to 1. Large rotations, contacts, and constraints that
/// switch on and off are not linear, so the first iterations are plain, and still a ρ that is too
/// large diverges: with 10 iterations in each of 2 substeps, all our scenes are calm at 0.9, and
/// `swing` and `soft_cube` end in quarantine at 0.99, on which a stretched cloth thrives
/// (`pliant converge`). Raise it for the scene at hand. What only pushes may be left pulling by the
/// last iteration: the next one takes it back.
pub const WAY: &Way = &Way {
    solver: Solver::Chebyshev,
    name: "chebyshev",
    shows: "jacobi, sped up by its own past; needs spectral_radius and many iterations",
    prepare,
    iterate,
};

/// Iterations before the first that is sped up. Wang 2015 takes 10, with hundreds to follow.
pub const PLAIN: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Space {
    /// Rows at the start of the iteration before this one.
    rows: Vec<Vec4>,
    /// Multipliers of all sets, then and at the start of this one.
    lambda: [Vec<f32>; 2],
    omega: f32,
}

fn prepare(sets: &[Set], particle_count: usize, scratch: &mut Scratch) {
    jacobi::prepare(sets, particle_count, scratch);
    let Space { rows, lambda, .. } = &mut scratch.chebyshev;
    rows.resize(particle_count, Vec4::ZERO);
    lambda.iter_mut().for_each(|column| column.resize(sets.iter().map(Set::len).sum(), 0.0));
}

fn iterate(pass: &mut Pass<'_>) {
    remember_multipliers(pass);
    jacobi::find_moves(pass);
    let space = &mut pass.scratch.chebyshev;
    space.omega = next_omega(space.omega, pass.at.iteration, pass.config.spectral_radius);
    let omega = space.omega;
    let columns = (
        pass.particles.xw.as_mut_slice(),
        pass.scratch.jacobi.moves.as_mut_slice(),
        space.rows.as_mut_slice(),
    );
    pass.pool.for_rows(columns, ROW_GRAIN, |_, (xw, moves, before)| {
        for i in 0..xw.len() {
            let (row, next) = (xw[i], xw[i] + moves[i].with_w(0.0));
            // Written as a step from x̂, which is exact for ω = 1 and whatever `before` holds.
            let beyond = (next - before[i]).with_w(0.0) * (omega - 1.0);
            xw[i] = if omega > 1.0 { next + beyond } else { next };
            before[i] = row;
        }
    });
    speed_up_multipliers(pass, omega);
}

/// ω of an iteration that follows one with `omega`.
fn next_omega(omega: f32, iteration: u32, radius: f32) -> f32 {
    match iteration {
        0..PLAIN => 1.0,
        PLAIN => 2.0 / (2.0 - radius * radius),
        _ => 4.0 / (4.0 - radius * radius * omega),
    }
}

/// Keeps the multipliers that this iteration starts from; the first starts from 0.
fn remember_multipliers(pass: &mut Pass<'_>) {
    let [_, now] = &mut pass.scratch.chebyshev.lambda;
    let all = pass.sets.iter().flat_map(|set| &set.lambda);
    for (kept, &lambda) in now.iter_mut().zip(all) {
        *kept = if pass.at.iteration == 0 { 0.0 } else { lambda };
    }
}

fn speed_up_multipliers(pass: &mut Pass<'_>, omega: f32) {
    let lambda = &mut pass.scratch.chebyshev.lambda;
    if omega > 1.0 {
        let all = pass.sets.iter_mut().flat_map(|set| &mut set.lambda);
        for (next, before) in all.zip(&lambda[0]) {
            *next += (*next - before) * (omega - 1.0);
        }
    }
    lambda.swap(0, 1);
}
