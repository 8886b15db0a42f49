//! Blocks of particles first: the constraints within them have the first colours, those between them
//! later ones.

use super::graph::{Links, UNCOLORED, lists};
use super::{Algorithm, first_fit};
use crate::mesh::joined::Joined;

/// Particles are cut into blocks that lie together. What is within a block is coloured first; what is
/// between them is cut into blocks again, and has colours of its own, and so on. So the constraints of
/// each such run of colours are in parts that share no particle, and a part fits into the memory that
/// the lanes of a GPU share: all colours of a run are one dispatch there, and particles pass through
/// memory once for each run, not for each colour.
///
/// A graph has no particles; its vertices are coloured by first fit.
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "tiled",
    shows: "blocks of particles first, then what is between them: for large worlds on a GPU",
    of_graph: |graph, colors| first_fit::ALGORITHM.complete(graph, colors),
    of_links,
};

/// Particles of a block: with 16 bytes each and half a kilobyte that says what a tile is, they fill what a workgroup can
/// share on every WebGPU.
pub const BLOCK: usize = 992;
/// How often what is left is cut into blocks; then it is little, and coloured as it is.
const RUNS: usize = 4;

fn of_links(links: &Links<'_>, colors: &mut [u32]) {
    let mut waiting = first_fit::uncolored(colors);
    if waiting.len() < colors.len() {
        complete(links, waiting, colors);
        return;
    }
    let mut first = 0;
    for _ in 0..RUNS {
        let block_of = blocks(links, &waiting);
        let within = |&v: &u32| {
            let block = |p: u32| block_of[p as usize];
            let particles = links.particles_of(v as usize);
            particles.iter().all(|&p| block(p) == block(particles[0]))
        };
        let (inside, between): (Vec<u32>, Vec<u32>) = waiting.into_iter().partition(within);
        let last = first_fit::of_those(links, inside, first, colors);
        (waiting, first) = (between, last);
        if waiting.is_empty() {
            return;
        }
    }
    first_fit::of_those(links, waiting, first, colors);
}

/// The block of each particle that some of these constraints have: grown breadth first.
fn blocks(links: &Links<'_>, members: &[u32]) -> Vec<u32> {
    let particles = |&v: &u32| links.particles_of(v as usize).iter().map(move |&p| (p, v));
    let (starts, touching) = lists(links.particle_count(), members.iter().flat_map(particles));
    let mut block_of = vec![UNCOLORED; links.particle_count()];
    let (mut count, mut queue) = (0, Vec::with_capacity(BLOCK));
    for seed in 0..links.particle_count() {
        if block_of[seed] != UNCOLORED || starts[seed] == starts[seed + 1] {
            continue;
        }
        queue.clear();
        queue.push(seed);
        block_of[seed] = count;
        let mut next = 0;
        while next < queue.len() {
            for &v in &touching[starts[queue[next]]..starts[queue[next] + 1]] {
                for &p in links.particles_of(v as usize) {
                    if block_of[p as usize] == UNCOLORED && queue.len() < BLOCK {
                        block_of[p as usize] = count;
                        queue.push(p as usize);
                    }
                }
            }
            next += 1;
        }
        count += 1;
    }
    block_of
}

/// Colours what an edit has added: the first run has most constraints, and stays one.
fn complete(links: &Links<'_>, waiting: Vec<u32>, colors: &mut [u32]) {
    let (end, mut parts) = first_run(links, colors);
    let fits = |&v: &u32| parts.join_up_to(links.particles_of(v as usize), BLOCK);
    let (inside, between): (Vec<u32>, Vec<u32>) = waiting.into_iter().partition(fits);
    first_fit::of_those(links, inside, 0, colors);
    first_fit::of_those(links, between, end, colors);
}

/// The colours before which all constraints are in parts of no more than a block, and these parts.
fn first_run(links: &Links<'_>, colors: &[u32]) -> (u32, Parts) {
    let mut order: Vec<u32> =
        (0..colors.len() as u32).filter(|&v| colors[v as usize] != UNCOLORED).collect();
    order.sort_by_key(|&v| colors[v as usize]);
    let join = |those: &[u32]| {
        let mut parts = Parts::new(links.particle_count());
        let mut all = those.iter().copied();
        let first = all.find(|&v| !parts.join_up_to(links.particles_of(v as usize), BLOCK));
        (first, parts)
    };
    let (first, parts) = join(&order);
    let Some(first) = first else {
        return (order.last().map_or(0, |&v| colors[v as usize] + 1), parts);
    };
    let end = colors[first as usize];
    let before = order.partition_point(|&v| colors[v as usize] < end);
    (end, join(&order[..before]).1)
}

/// Particles in parts that constraints join.
#[derive(Clone, Debug)]
pub struct Parts {
    joined: Joined,
    /// How many are in the part, for those that stand for one.
    sizes: Vec<u32>,
}

impl Parts {
    /// Each particle alone.
    pub fn new(particle_count: usize) -> Self {
        Self { joined: Joined::new(particle_count), sizes: vec![1; particle_count] }
    }

    /// The particle that stands for the part of another: the lowest.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn root(&mut self, p: u32) -> u32 {
        self.joined.root(p)
    }

    /// Makes the parts of some particles one, if that has no more than `most`. Says whether it did.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn join_up_to(&mut self, particles: &[u32], most: usize) -> bool {
        let mut size = 0;
        for (k, &p) in particles.iter().enumerate() {
            let root = self.root(p);
            let is_new = particles[..k].iter().all(|&other| self.root(other) != root);
            size += if is_new { self.sizes[root as usize] as usize } else { 0 };
        }
        if size > most {
            return false;
        }
        particles.windows(2).for_each(|pair| self.joined.join(pair[0], pair[1]));
        if let Some(&first) = particles.first() {
            let root = self.root(first);
            self.sizes[root as usize] = size as u32;
        }
        true
    }
}
