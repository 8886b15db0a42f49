//! Blocks: constraints that lie together, to be coloured as one.
//!
//! A thread solves the constraints of a block one after the other, with their particles in its
//! cache; blocks of a colour share no particle. There are far fewer barriers than with colours of
//! constraints.

use super::graph::{Conflicts, Links, UNCOLORED};

/// A division of constraints into blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The block of each constraint.
    pub block_of: Vec<u32>,
    /// How many blocks there are.
    pub count: usize,
}

impl Blocks {
    /// Blocks of at most `size` constraints, grown breadth first: a constraint, its neighbours,
    /// theirs, until the block is full. Every constraint is in one block.
    ///
    /// # Panics
    /// If `size` is 0.
    pub fn grow(links: &Links<'_>, size: usize) -> Self {
        assert!(size > 0, "a block has at least one constraint");
        let incidence = links.incidence();
        let mut block_of = vec![UNCOLORED; links.len()];
        let (mut count, mut queue) = (0, Vec::new());
        for seed in 0..links.len() {
            if block_of[seed] != UNCOLORED {
                continue;
            }
            queue.clear();
            queue.push(seed as u32);
            block_of[seed] = count;
            let mut next = 0;
            while next < queue.len() && queue.len() < size {
                for neighbor in incidence.neighbors(queue[next] as usize) {
                    if block_of[neighbor as usize] == UNCOLORED && queue.len() < size {
                        block_of[neighbor as usize] = count;
                        queue.push(neighbor);
                    }
                }
                next += 1;
            }
            count += 1;
        }
        Self { block_of, count: count as usize }
    }

    /// The blocks as vertices to colour: each touches the particles of its constraints.
    pub fn links(&self, links: &Links<'_>) -> Links<'static> {
        let mut rows = vec![Vec::new(); self.count];
        for (v, &block) in self.block_of.iter().enumerate() {
            rows[block as usize].extend_from_slice(links.particles_of(v));
        }
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
        }
        Links::of_rows(rows.into_iter().map(Vec::into_iter), links.particle_count())
    }
}
