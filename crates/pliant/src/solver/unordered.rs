//! Order-ignoring parallel Gauss-Seidel: threads do not wait for each other.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec4;

use super::{Pass, Scratch, Solver, Way, Work};
use crate::coloring::Colored;
use crate::constraint::set::Set;
use crate::particles::Particles;
use crate::step::project::Access;

/// See [`Solver::Unordered`].
///
/// Each thread takes a stretch of the constraints, in the order in which they were added, and reads
/// and writes particles as it finds them. A thread may see half of what another does, and what both
/// write at once is lost for one of them. The next iteration makes up for it: convergence suffers
/// only where stretches meet. Nothing is coloured, and nothing waits but for the end. A chaotic
/// relaxation (Chazan and Miranker 1969).
///
/// Results differ from run to run, so this solver is outside the promise of equal bits. With one
/// thread it is `in_order`, bit for bit. What is lost takes momentum with it.
pub const WAY: &Way = &Way {
    solver: Solver::Unordered,
    name: "unordered",
    shows: "as they were added, on all threads, which race: differs from run to run",
    prepare,
    iterate,
};

/// Constraints that are worth a second thread.
const GRAIN: usize = 256;

/// The bits of single-precision numbers, which threads may read and write at the same time.
#[derive(Debug, Default)]
pub(super) struct Space {
    rows: Vec<[AtomicU32; 4]>,
    lambda: Vec<AtomicU32>,
}

fn prepare(sets: &[Set], particle_count: usize, scratch: &mut Scratch) {
    let Space { rows, lambda } = &mut scratch.unordered;
    rows.resize_with(particle_count, Default::default);
    lambda.resize_with(sets.iter().map(Set::len).max().unwrap_or(0), Default::default);
}

fn iterate(pass: &mut Pass<'_>) {
    let Space { rows, lambda: shared } = &mut pass.scratch.unordered;
    for (row, from) in rows.iter_mut().zip(&pass.particles.xw) {
        *row = from.to_array().map(|x| x.to_bits().into());
    }
    for set in &mut *pass.sets {
        let Particles { predicted, v, .. } = &*pass.particles;
        let Work { kernels, batch, colored, order, lambda } =
            Work::new(set, (predicted, v), pass.config, pass.at);
        for (shared, lambda) in shared.iter_mut().zip(&*lambda) {
            *shared = lambda.to_bits().into();
        }
        let race = Race { colored, rows, lambda: shared };
        pass.pool.for_ranges(order.len(), GRAIN, |range| {
            (kernels.racing)(&batch, &race, &order[range]);
        });
        for (lambda, shared) in lambda.iter_mut().zip(&mut *shared) {
            *lambda = f32::from_bits(*shared.get_mut());
        }
    }
    for (row, from) in pass.particles.xw.iter_mut().zip(rows) {
        *row = Vec4::from_array(from.each_mut().map(|bits| f32::from_bits(*bits.get_mut())));
    }
}

/// What threads that do not wait for each other share.
pub(crate) struct Race<'a> {
    colored: &'a Colored,
    rows: &'a [[AtomicU32; 4]],
    lambda: &'a [AtomicU32],
}

impl Race<'_> {
    /// The constraint of `N` particles in `slot`.
    #[inline(always)]
    pub(crate) fn entrant<const N: usize>(&self, slot: usize) -> Entrant<'_, N> {
        Entrant {
            rows: self.rows,
            ids: self.colored.particles_of()[slot],
            lambda: &self.lambda[slot],
        }
    }
}

/// A constraint that is solved while others are.
pub(crate) struct Entrant<'a, const N: usize> {
    rows: &'a [[AtomicU32; 4]],
    ids: [u32; N],
    lambda: &'a AtomicU32,
}

impl<const N: usize> Access<f32, N> for Entrant<'_, N> {
    #[inline(always)]
    fn id(&self, _: usize, k: usize) -> usize {
        self.ids[k] as usize
    }
    #[inline(always)]
    fn row(&self, lane: usize, k: usize) -> Vec4 {
        let row = &self.rows[self.id(lane, k)];
        Vec4::from_array(row.each_ref().map(|bits| f32::from_bits(bits.load(Ordering::Relaxed))))
    }
    #[inline(always)]
    fn set_row(&self, lane: usize, k: usize, row: Vec4) {
        for (bits, x) in self.rows[self.id(lane, k)].iter().zip(row.to_array()) {
            bits.store(x.to_bits(), Ordering::Relaxed);
        }
    }
    #[inline(always)]
    fn lambda(&mut self, (): ()) -> f32 {
        f32::from_bits(self.lambda.load(Ordering::Relaxed))
    }
    #[inline(always)]
    fn set_lambda(&mut self, lambda: f32) {
        self.lambda.store(lambda.to_bits(), Ordering::Relaxed);
    }
}
