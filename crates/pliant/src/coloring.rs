//! Graph colouring: constraints become groups in which no two share a particle.
//!
//! That property is what makes parallel Gauss-Seidel both sound and deterministic.

use std::ops::Range;

/// Which particles each constraint joins, sorted by colour.
///
/// The particles can be read but not written, and the colours are checked when they are made:
/// other code may rely on it that no two constraints of a colour share a particle.
#[derive(Clone, Debug)]
pub(crate) struct Colored {
    arity: usize,
    ids: Vec<u32>,
    /// Where each colour starts, and the end of the last; empty when constraints were added since.
    starts: Vec<u32>,
    /// One more than the largest of `ids`.
    bound: usize,
}

impl Colored {
    /// No constraints yet, of `arity` particles each.
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, ids: Vec::new(), starts: Vec::new(), bound: 0 }
    }

    /// Takes particles that are sorted already, if no colour holds a particle twice.
    pub(crate) fn from_sorted(
        arity: usize,
        ids: Vec<u32>,
        starts: Vec<u32>,
        particle_count: usize,
    ) -> Option<Self> {
        let whole = starts.first().is_none_or(|&first| first == 0)
            && starts.is_sorted()
            && starts.last().is_none_or(|&last| last as usize * arity == ids.len())
            && ids.iter().all(|&id| (id as usize) < particle_count);
        (whole && conflict(&ids, arity, &starts, particle_count).is_none()).then(|| Self {
            bound: bound(&ids),
            arity,
            ids,
            starts,
        })
    }

    /// One more than the largest particle.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// The particles of every constraint, which has `N`.
    #[inline(always)]
    pub(crate) fn particles_of<const N: usize>(&self) -> &[[u32; N]] {
        assert!(self.arity == N, "constraints of {} particles, not {N}", self.arity);
        self.ids.as_chunks().0
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// How many constraints there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len() / self.arity
    }

    /// The particles of the constraint in `slot`.
    pub(crate) fn particles(&self, slot: usize) -> &[u32] {
        &self.ids[slot * self.arity..][..self.arity]
    }

    /// The slots of each colour.
    pub(crate) fn colors(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// Whether the colours are up to date.
    pub(crate) fn is_sorted(&self) -> bool {
        !self.starts.is_empty() || self.ids.is_empty()
    }

    /// Adds a constraint in the last slot.
    pub(crate) fn push(&mut self, particles: impl Iterator<Item = u32>) {
        let first = self.ids.len();
        self.ids.extend(particles);
        self.bound = self.bound.max(bound(&self.ids[first..]));
        self.starts.clear();
    }

    /// Colours the constraints, visited as `slots` lists them, and sorts them by colour.
    ///
    /// Returns where each went: the entries of `slots`, in their new order.
    pub(crate) fn sort(&mut self, slots: &[u32], particle_count: usize) -> Vec<u32> {
        let visited: Vec<u32> =
            slots.iter().flat_map(|&slot| self.particles(slot as usize)).copied().collect();
        let colors = greedy(&visited, self.arity, particle_count);
        let mut order: Vec<u32> = (0..slots.len() as u32).collect();
        order.sort_by_key(|&visit| colors[visit as usize]); // stable: as visited within a colour
        let sorted =
            order.iter().flat_map(|&visit| &visited[visit as usize * self.arity..][..self.arity]);
        let sorted = sorted.copied().collect();
        let starts = starts(order.iter().map(|&visit| colors[visit as usize]));
        *self = Self::from_sorted(self.arity, sorted, starts, particle_count)
            .expect("first fit gives no two constraints of a particle the same colour");
        order
    }
}

/// One more than the largest of `ids`.
fn bound(ids: &[u32]) -> usize {
    ids.iter().max().map_or(0, |&id| id as usize + 1)
}

/// The colour of each constraint, the lowest that none of its neighbours has, in order of number.
///
/// `ids` holds `n` particles per constraint. Particles remember the colours around them in a word
/// of 64 bits; what does not fit waits for the next round, which starts at colour 64.
///
/// Fratarcangeli and Pellacini 2015, "Scalable Partitioning for Parallel Position Based Dynamics",
/// colour in the same spirit; here first fit, in the order in which constraints were added.
fn greedy(ids: &[u32], n: usize, particle_count: usize) -> Vec<u32> {
    let mut colors = vec![u32::MAX; ids.len() / n];
    let mut waiting: Vec<u32> = (0..colors.len() as u32).collect();
    let mut first_color = 0;
    while !waiting.is_empty() {
        let mut around = vec![0u64; particle_count];
        waiting.retain(|&constraint| {
            let particles = &ids[constraint as usize * n..][..n];
            let taken = particles.iter().fold(0, |mask, &p| mask | around[p as usize]);
            let free = taken.trailing_ones();
            if free == u64::BITS {
                return true;
            }
            particles.iter().for_each(|&p| around[p as usize] |= 1 << free);
            colors[constraint as usize] = first_color + free;
            false
        });
        first_color += u64::BITS;
    }
    colors
}

/// Where each colour starts in a sorted list of colours, and the end of the last.
fn starts(sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = Vec::new();
    let (mut last, mut len) = (None, 0);
    for color in sorted {
        if last != Some(color) {
            starts.push(len);
            last = Some(color);
        }
        len += 1;
    }
    starts.push(len);
    starts
}

/// Two constraints of one colour that share a particle: the colour and the particle.
///
/// `starts` holds slots as in [`starts`]; `ids` holds `n` particles per slot.
fn conflict(ids: &[u32], n: usize, starts: &[u32], particle_count: usize) -> Option<(usize, u32)> {
    let mut seen = vec![usize::MAX; particle_count];
    for (color, range) in starts.windows(2).enumerate() {
        for &id in &ids[range[0] as usize * n..range[1] as usize * n] {
            if std::mem::replace(&mut seen[id as usize], color) == color {
                return Some((color, id));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random pairs, repeatable.
    fn pairs(particles: u32, count: usize) -> Vec<u32> {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % particles
        };
        let mut ids = Vec::new();
        while ids.len() < 2 * count {
            let (a, b) = (next(), next());
            if a != b {
                ids.extend([a, b]);
            }
        }
        ids
    }

    fn sorted_ids(ids: &[u32], colors: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut order: Vec<usize> = (0..colors.len()).collect();
        order.sort_by_key(|&c| colors[c]);
        let starts = starts(order.iter().map(|&c| colors[c]));
        (order.iter().flat_map(|&c| ids[2 * c..2 * c + 2].to_vec()).collect(), starts)
    }

    #[test]
    fn no_color_touches_a_particle_twice() {
        // 40 particles and 4 000 pairs need more than 64 colours: the second round is tested too.
        for (particles, count) in [(2, 1), (1000, 3000), (40, 4000)] {
            let ids = pairs(particles, count);
            let colors = greedy(&ids, 2, particles as usize);
            let (sorted, starts) = sorted_ids(&ids, &colors);
            assert_eq!(conflict(&sorted, 2, &starts, particles as usize), None);
            assert_eq!(*starts.last().unwrap() as usize, count, "a constraint got lost");
        }
    }

    #[test]
    fn a_conflict_is_found() {
        assert_eq!(conflict(&[0, 1, 1, 2], 2, &[0, 2], 3), Some((0, 1)));
    }

    #[test]
    fn a_chain_needs_two_colors() {
        let ids: Vec<u32> = (0..100).flat_map(|i| [i, i + 1]).collect();
        assert_eq!(greedy(&ids, 2, 101).iter().max(), Some(&1));
    }
}
