//! The lowest colour that no neighbour has, in order of number.

use super::Algorithm;
use super::graph::{Conflicts, Graph, Links, UNCOLORED};

/// See [`ALGORITHM`].
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "first_fit",
    shows: "the lowest colour that no neighbour has, in order of number: by far the fastest",
    of_graph,
    of_links,
};

/// Colours that fit into a word; those above wait for the next round.
const ROUND: u32 = u64::BITS;

/// Neighbours remember nothing: each vertex looks at all of them that may have a colour.
fn of_graph(graph: &Graph, colors: &mut [u32]) {
    if colors.iter().all(|&color| color == UNCOLORED) {
        color(&Lower(graph), colors);
    } else {
        color(graph, colors);
    }
}

/// The neighbours with lower numbers. Where nothing had a colour before, no other can have one when
/// a vertex is looked at; that is half of the work.
struct Lower<'a>(&'a Graph);

impl Conflicts for Lower<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        self.0.neighbors_of(v).iter().copied().take_while(move |&n| (n as usize) < v)
    }
}

/// The same for anything with neighbours.
pub(super) fn color(conflicts: &impl Conflicts, colors: &mut [u32]) {
    rounds(uncolored(colors), 0, colors, |waiting, colors, first| {
        let mut bits: Vec<u64> = colors.iter().map(|&color| bit(color, first)).collect();
        waiting.retain(|&v| {
            let around = conflicts.neighbors(v as usize);
            let taken = around.fold(0, |mask, n| mask | bits[n as usize]);
            let waits = place(&mut colors[v as usize], taken, first);
            bits[v as usize] = bit(colors[v as usize], first);
            waits
        });
    });
}

/// Particles remember the colours around them, so a constraint looks at its few particles only.
///
/// Fratarcangeli and Pellacini 2015, "Scalable Partitioning for Parallel Position Based Dynamics",
/// colour in the same spirit; here first fit, in the order in which constraints were added.
fn of_links(links: &Links<'_>, colors: &mut [u32]) {
    of_those(links, uncolored(colors), 0, colors);
}

/// The same for some that have no colour, with colours from `first` on. Says where these end.
pub(super) fn of_those(links: &Links<'_>, those: Vec<u32>, first: u32, colors: &mut [u32]) -> u32 {
    let all = those.clone();
    rounds(those, first, colors, |waiting, colors, first| {
        let mut around = vec![0u64; links.particle_count()];
        for v in 0..links.len() {
            let bit = bit(colors[v], first);
            if bit != 0 {
                links.particles_of(v).iter().for_each(|&p| around[p as usize] |= bit);
            }
        }
        waiting.retain(|&v| {
            let particles = links.particles_of(v as usize);
            let taken = particles.iter().fold(0, |mask, &p| mask | around[p as usize]);
            let waits = place(&mut colors[v as usize], taken, first);
            let bit = bit(colors[v as usize], first);
            particles.iter().for_each(|&p| around[p as usize] |= bit);
            waits
        });
    });
    all.iter().map(|&v| colors[v as usize] + 1).fold(first, u32::max)
}

/// Those without colour.
pub(super) fn uncolored(colors: &[u32]) -> Vec<u32> {
    (0..colors.len() as u32).filter(|&v| colors[v as usize] == UNCOLORED).collect()
}

/// Gives `round` the vertices that wait for a colour until none does: the first round has 64 colours from
/// `first` on, the next the 64 after these.
fn rounds(
    mut waiting: Vec<u32>,
    mut first: u32,
    colors: &mut [u32],
    mut round: impl FnMut(&mut Vec<u32>, &mut [u32], u32),
) {
    while !waiting.is_empty() {
        round(&mut waiting, colors, first);
        first += ROUND;
    }
}

/// The bit of a colour in the round that begins with `first`; nothing for those of other rounds.
#[inline]
fn bit(color: u32, first: u32) -> u64 {
    1u64.checked_shl(color.wrapping_sub(first)).unwrap_or(0)
}

/// Gives the lowest colour that is not `taken`; whether there was none.
#[inline]
fn place(color: &mut u32, taken: u64, first: u32) -> bool {
    let free = taken.trailing_ones();
    if free == ROUND {
        return true;
    }
    *color = first + free;
    false
}
