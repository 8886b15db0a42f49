//! Every vertex throws dice, until no two neighbours have thrown the same.

use super::Algorithm;
use super::graph::{Conflicts, Taken, UNCOLORED};

/// Randomised colouring in rounds, each of which could run on as many threads as there are
/// vertices: all vertices without colour pick one of their palette by chance; those keep it whose
/// neighbours picked others, and of two that picked the same, the later one, so that every round
/// gets on. A palette begins with a share of the colours that the degree calls
/// for, loses what neighbours kept, and gains a colour when it is empty.
///
/// Fratarcangeli, Tibaldo and Pellacini 2016, "Vivace: a Practical Gauss-Seidel Method for Stable
/// Soft Body Dynamics". The dice depend on seed, round and vertex alone, so that every
/// run gives the same colours.
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "vivace",
    shows: "all vertices at once pick colours by chance until none clash (Vivace): made for GPUs",
    of_graph: |graph, colors| color(graph, colors, SEED),
    of_links: |links, colors| color(&links.incidence(), colors, SEED),
};

/// Any number does; this one is as good as others.
const SEED: u64 = 2016;
/// The degree over the colours that a palette begins with. With less, the first rounds clash more;
/// with more, more colours are used in the end.
const SHRINK: usize = 2;

pub(super) fn color(conflicts: &impl Conflicts, colors: &mut [u32], seed: u64) {
    let mut taken = Taken::new(conflicts, colors);
    let mut waiting: Vec<u32> =
        (0..colors.len() as u32).filter(|&v| colors[v as usize] == UNCOLORED).collect();
    // How many colours, from 0, the palette of each vertex has, less those that are taken.
    let degree = |v| conflicts.neighbors(v).count();
    let mut limits: Vec<u32> =
        (0..colors.len()).map(|v| (degree(v) / SHRINK).max(1) as u32).collect();
    let mut thrown = vec![UNCOLORED; colors.len()];
    for round in 0.. {
        if waiting.is_empty() {
            return;
        }
        for &v in &waiting {
            let v = v as usize;
            let mut free = taken.free_below(v, limits[v]);
            while free == 0 {
                limits[v] += 1;
                free = taken.free_below(v, limits[v]);
            }
            let die = hash(seed, round, v as u64);
            thrown[v] = taken.nth_free(v, (die % u64::from(free)) as u32);
        }
        let clash = |v: u32| {
            let mut later = conflicts.neighbors(v as usize).filter(|&n| n > v);
            later.any(|n| thrown[n as usize] == thrown[v as usize])
        };
        let (clashed, kept): (Vec<u32>, Vec<u32>) = waiting.iter().partition(|&&v| clash(v));
        for v in kept {
            let color = std::mem::replace(&mut thrown[v as usize], UNCOLORED);
            colors[v as usize] = color;
            for neighbor in conflicts.neighbors(v as usize) {
                taken.take(neighbor as usize, color);
            }
        }
        waiting = clashed;
    }
}

/// A number of 64 bits that looks random: the finaliser of SplitMix64.
///
/// Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators".
fn hash(seed: u64, round: u64, v: u64) -> u64 {
    let mut z = seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (v << 32 | v);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
