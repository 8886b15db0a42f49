//! Which candidates are so near that a substep must look at them? WGSL twin: `narrow.wgsl`
//!
//! A search finds what may touch until the next one: of two sheets that lie on each other, some
//! fifteen times what does touch. Of each candidate it also finds how far apart its parties are
//! beyond the distance that they keep, its slack. As long as the particles of two patches have moved
//! by less than their reach since then, only pairs with less slack than both reaches together can
//! touch; the others wait.
//!
//! ```text
//! |d| ≥ |d₀| − |Δx₁| − |Δx₂|,    so a pair is solved once   slack < reach₁ + reach₂
//! ```

use glam::Vec4;

use super::State;
use super::pair::Pair;
use super::path::Stale;
use super::set::{Found, Set};

pub(crate) const WGSL: &str = include_str!("narrow.wgsl");

/// The reach of a patch right after a search, over the mean edge of its body: by so much contact may
/// still push its particles in this substep.
const SMALLEST: f32 = 0.03;
/// A reach that does not suffice becomes so many times what would, so that pairs are not sorted anew
/// in every substep.
const GROWTH: f32 = 1.5;

impl State {
    /// The reaches with which those begin whose candidates were looked for.
    pub(crate) fn reset_reach(&mut self, stale: Stale) {
        let Self { elements, reach, strayed, .. } = self;
        reach.resize(elements.patches.len(), 0.0);
        for (patch, reach) in elements.patches.iter().zip(reach) {
            if stale == Stale::All || strayed[patch.body as usize] {
                let shape = elements.shapes[patch.body as usize];
                *reach = shape.map_or(0.0, |shape| SMALLEST * shape.edge);
            }
        }
    }

    /// Makes the reaches as large as what has moved since the search. Says whether one has grown.
    pub(crate) fn grow_reach(&mut self) -> bool {
        let Self { elements, moved, reach, .. } = self;
        let mut grew = false;
        for (patch, reach) in elements.patches.iter().zip(reach) {
            let members = elements.members(patch).iter();
            let most = members.map(|&i| moved[i as usize]).fold(0.0, f32::max);
            if most > *reach * *reach {
                (*reach, grew) = (GROWTH * most.sqrt(), true);
            }
        }
        grew
    }
}

/// Lets the pairs of a set be solved that may touch. `start` is where the substep of `particle_count`
/// particles began, unless all pairs were found there.
pub(crate) fn solve_near<P: Pair<N>, const N: usize>(
    set: &mut Set<N>,
    reach: &[f32],
    start: Option<&[Vec4]>,
    particle_count: usize,
) {
    for (number, found) in (0..).zip(&mut set.found) {
        let near: f32 = found.patches().map(|patch| reach[patch]).into_iter().sum();
        if found.slack < near {
            join::<P, N>(found, start);
            set.solved.push(number);
        }
    }
    set.sort(particle_count);
}

/// A pair that waited was apart all the time, so it is on its right side wherever it is now.
fn join<P: Pair<N>, const N: usize>(found: &mut Found<N>, start: Option<&[Vec4]>) {
    if found.is_solved() {
        return;
    }
    found.slack = Found::<N>::SOLVED;
    let Some(start) = start else { return };
    let near = P::near_at(found.ids.map(|i| start[i as usize].truncate()));
    if near.d.length() >= found.distance && near.turned != 0.0 {
        found.side = 1.0f32.copysign(near.turned);
    }
}
