//! Averaged Jacobi: all constraints see the same positions. WGSL twin: `jacobi.wgsl`

use glam::Vec4;

use super::colored::GRAIN;
use super::{Pass, Scratch, Solver, Way, Work};
use crate::constraint::set::Set;
use crate::particles::Particles;

/// The GPU's shader of what comes before and after the constraints.
pub const WGSL: &str = include_str!("jacobi.wgsl");

/// See [`Solver::Jacobi`].
///
/// A particle of n constraints, of all kinds together, is as many parts of mass m/n. Each
/// constraint moves parts of its own, as if nothing else were there, and the particle goes to the
/// average of its parts:
///
/// ```text
/// Δλⱼ = ω (−Cⱼ − α̃ⱼλⱼ) / (Σᵢ nᵢwᵢ|∇ᵢCⱼ|² + α̃ⱼ),    Δxᵢ = (1/nᵢ) Σⱼ nᵢwᵢ ∇ᵢCⱼ Δλⱼ = Σⱼ wᵢ ∇ᵢCⱼ Δλⱼ
/// ```
///
/// Macklin et al. 2014, "Unified Particle Physics for Real-Time Applications", section 4.2, average
/// corrections that were computed with the whole masses. Where all particles have as many
/// constraints and nothing is compliant, that is the same. Elsewhere it pushes the two ends of a
/// link by different amounts, which makes momentum, and leaves λ and the positions at odds, so that
/// compliant bodies come to rest in the wrong place. Parts avoid both (Tonge et al. 2012, "Mass
/// Splitting for Jitter-Free Parallel Rigid Body Simulation").
///
/// With A = ∇C W ∇Cᵀ + α̃ and D the denominators above, 0 < A ≤ D, since (Σⱼ aⱼ)² ≤ n Σⱼ aⱼ². So a
/// linear problem converges for 0 < ω < 2, and without swinging for ω ≤ 1. That is why kinds are
/// counted together: n counted for each kind alone would be too small where kinds meet.
/// Constraints that only push or pull are counted whether they act or not.
pub const WAY: &Way = &Way {
    solver: Solver::Jacobi,
    name: "jacobi",
    shows: "all from the positions of the last iteration, averaged, on all threads",
    prepare,
    iterate,
};

/// Particles that are worth a second thread.
pub(super) const ROW_GRAIN: usize = 2048;

#[derive(Debug, Default)]
pub(super) struct Space {
    /// Constraints of each particle.
    counts: Vec<f32>,
    /// Σ Δx of this iteration (m), and n w (1/kg).
    pub(super) moves: Vec<Vec4>,
}

pub(super) fn prepare(sets: &[Set], particle_count: usize, scratch: &mut Scratch) {
    let Space { counts, moves } = &mut scratch.jacobi;
    counts.clear();
    counts.resize(particle_count, 0.0);
    moves.resize(particle_count, Vec4::ZERO);
    count(sets, counts);
}

/// Adds to the number of constraints of each particle.
pub(crate) fn count(sets: &[Set], counts: &mut [f32]) {
    for set in sets {
        for &id in (0..set.colored.active()).flat_map(|slot| set.colored.particles(slot)) {
            counts[id as usize] += 1.0;
        }
    }
}

fn iterate(pass: &mut Pass<'_>) {
    find_moves(pass);
    let columns = (pass.particles.xw.as_mut_slice(), pass.scratch.jacobi.moves.as_mut_slice());
    pass.pool.for_rows(columns, ROW_GRAIN, |_, (xw, moves)| {
        for (row, &mut moved) in xw.iter_mut().zip(moves) {
            *row += moved.with_w(0.0);
        }
    });
}

/// Changes every multiplier and sums up in `moves` where that takes the particles.
///
/// Colour after colour, so that threads never add to the same sum and the sums have one order.
pub(super) fn find_moves(pass: &mut Pass<'_>) {
    let Space { counts, moves } = &mut pass.scratch.jacobi;
    let xw = &pass.particles.xw;
    let columns = (moves.as_mut_slice(), counts.as_mut_slice());
    pass.pool.for_rows(columns, ROW_GRAIN, |first, (moves, counts)| {
        for (i, moved) in moves.iter_mut().enumerate() {
            *moved = Vec4::ZERO.with_w(xw[first + i].w * counts[i]);
        }
    });
    for set in &mut *pass.sets {
        let Particles { xw, predicted, v, .. } = &mut *pass.particles;
        let mut work = Work::new(set, (predicted, v), pass.config, pass.at);
        work.batch.seen = Some(xw);
        let Work { kernels, batch, colored, lambda, .. } = work;
        pass.pool.for_colors(colored, GRAIN, (moves.as_mut_slice(), lambda), |share| {
            (kernels.by_lanes)(&batch, share)
        });
    }
}
