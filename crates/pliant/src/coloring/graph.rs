//! What is coloured: graphs, and constraints that conflict where they share a particle.

use crate::constraint::set::Set;

/// A vertex without a colour.
pub const UNCOLORED: u32 = u32::MAX;

/// A graph whose vertices can be coloured: the neighbours of every vertex, one list after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Where the list of each vertex starts, and the end of the last.
    starts: Vec<usize>,
    neighbors: Vec<u32>,
}

impl Graph {
    /// The graph of `vertices` vertices with these edges. Loops and repeated edges count once or
    /// not at all: neither changes what a valid colouring is.
    ///
    /// # Panics
    /// If an edge names a vertex that is not there.
    pub fn new(vertices: usize, edges: &[[u32; 2]]) -> Self {
        let ends = edges.iter().filter(|[a, b]| a != b);
        let (starts, neighbors) = lists(vertices, ends.flat_map(|&[a, b]| [(a, b), (b, a)]));
        let mut graph = Self { starts, neighbors };
        graph.sort_lists();
        graph
    }

    /// The graph in which constraints are vertices, joined where they share a particle.
    ///
    /// Its size grows with the square of the constraints at a particle; [`Links`] says the same in
    /// less.
    pub fn of_links(links: &Links<'_>) -> Self {
        let incidence = links.incidence();
        let mut graph = Self { starts: vec![0], neighbors: Vec::new() };
        for v in 0..incidence.len() {
            graph.neighbors.extend(incidence.neighbors(v));
            graph.starts.push(graph.neighbors.len());
        }
        graph.sort_lists();
        graph
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// The neighbours of vertex `v`, in increasing order.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    pub fn neighbors_of(&self, v: usize) -> &[u32] {
        &self.neighbors[self.starts[v]..self.starts[v + 1]]
    }

    /// The most neighbours that a vertex has.
    pub fn largest_degree(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Two neighbours of one colour, or a vertex without (then twice), if there are any.
    ///
    /// # Panics
    /// If there are fewer colours than vertices.
    pub fn conflict(&self, colors: &[u32]) -> Option<[u32; 2]> {
        (0..self.len()).find_map(|v| {
            let mut clash =
                self.neighbors_of(v).iter().filter(|&&n| colors[n as usize] == colors[v]);
            let other = if colors[v] == UNCOLORED { Some(v as u32) } else { clash.next().copied() };
            other.map(|other| [v as u32, other])
        })
    }

    /// Brings every list in order and drops what it names twice.
    fn sort_lists(&mut self) {
        let mut end = 0;
        for v in 0..self.len() {
            let (start, first) = (self.starts[v], end);
            self.neighbors[start..self.starts[v + 1]].sort_unstable();
            for i in start..self.starts[v + 1] {
                let next = self.neighbors[i];
                if end == first || self.neighbors[end - 1] != next {
                    self.neighbors[end] = next;
                    end += 1;
                }
            }
            self.starts[v] = first;
        }
        if let Some(last) = self.starts.last_mut() {
            *last = end;
        }
        self.neighbors.truncate(end);
    }
}

/// Constraints, or blocks of them, and the particles that each touches. Two that share a particle
/// conflict.
#[derive(Clone, Debug)]
pub struct Links<'a> {
    particles: std::borrow::Cow<'a, [u32]>,
    ends: Ends,
    particle_count: usize,
}

/// Where the particles of each constraint are.
#[derive(Clone, Debug)]
enum Ends {
    /// All have as many.
    Every(usize),
    /// Where each starts, and the end of the last.
    At(Vec<usize>),
}

impl<'a> Links<'a> {
    /// Constraints of `arity` particles each.
    ///
    /// # Panics
    /// If a particle is not below `particle_count`, or the particles are no multiple of `arity`.
    pub fn new(particles: &'a [u32], arity: usize, particle_count: usize) -> Self {
        assert!(
            arity > 0 && particles.len().is_multiple_of(arity),
            "{} of {arity}",
            particles.len()
        );
        Self { particles: particles.into(), ends: Ends::Every(arity), particle_count }.checked()
    }

    /// The constraints of all sets together, set after set, each in the order of its slots.
    ///
    /// # Panics
    /// If a particle is not below `particle_count`.
    pub fn joint(sets: &[Set], particle_count: usize) -> Links<'static> {
        let rows = sets.iter().flat_map(|set| {
            set.colored.ids().chunks_exact(set.kind().particles).map(|row| row.iter().copied())
        });
        Links::of_rows(rows, particle_count)
    }

    /// One list of particles per vertex.
    pub(super) fn of_rows(
        rows: impl Iterator<Item = impl Iterator<Item = u32>>,
        particle_count: usize,
    ) -> Links<'static> {
        let (mut particles, mut starts) = (Vec::new(), vec![0]);
        for row in rows {
            particles.extend(row);
            starts.push(particles.len());
        }
        Links { particles: particles.into(), ends: Ends::At(starts), particle_count }.checked()
    }

    fn checked(self) -> Self {
        let count = self.particle_count;
        let missing = self.particles.iter().find(|&&p| p as usize >= count);
        assert!(missing.is_none(), "particle {missing:?} of {count}");
        self
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        match &self.ends {
            Ends::Every(arity) => self.particles.len() / arity,
            Ends::At(starts) => starts.len() - 1,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many particles there are.
    pub fn particle_count(&self) -> usize {
        self.particle_count
    }

    /// The particles of constraint `v`.
    ///
    /// # Panics
    /// If there is no such constraint.
    #[inline]
    pub fn particles_of(&self, v: usize) -> &[u32] {
        match &self.ends {
            Ends::Every(arity) => &self.particles[v * arity..][..*arity],
            Ends::At(starts) => &self.particles[starts[v]..starts[v + 1]],
        }
    }

    /// Two constraints of one colour that share a particle, or one without colour (then twice).
    ///
    /// # Panics
    /// If there are fewer colours than constraints.
    pub fn conflict(&self, colors: &[u32]) -> Option<[u32; 2]> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&v| colors[v as usize]);
        let mut last = vec![UNCOLORED; self.particle_count];
        order.iter().find_map(|&v| {
            let color = colors[v as usize];
            let mut others = self
                .particles_of(v as usize)
                .iter()
                .map(|&p| std::mem::replace(&mut last[p as usize], v));
            let clash = others.find(|&u| u != UNCOLORED && u != v && colors[u as usize] == color);
            if color == UNCOLORED { Some([v, v]) } else { clash.map(|u| [u, v]) }
        })
    }

    /// Which constraints touch each particle.
    pub(super) fn incidence(&self) -> Incidence<'_> {
        let pairs = (0..self.len())
            .flat_map(|v| self.particles_of(v).iter().map(move |&particle| (particle, v as u32)));
        let (starts, touching) = lists(self.particle_count, pairs);
        Incidence { links: self, starts, touching }
    }
}

/// Lists of what comes second in `pairs`, one for each that comes first, and where they start.
pub(super) fn lists(
    count: usize,
    pairs: impl Iterator<Item = (u32, u32)> + Clone,
) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    pairs.clone().for_each(|(key, _)| starts[key as usize + 1] += 1);
    (0..count).for_each(|key| starts[key + 1] += starts[key]);
    let (mut next, mut values) = (starts.clone(), vec![0; starts[count]]);
    for (key, value) in pairs {
        values[next[key as usize]] = value;
        next[key as usize] += 1;
    }
    (starts, values)
}

/// Something with vertices of which some conflict.
pub(super) trait Conflicts {
    /// How many vertices there are.
    fn len(&self) -> usize;
    /// Those that may not have the colour of `v`; some perhaps twice.
    fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_;
}

impl Conflicts for Graph {
    fn len(&self) -> usize {
        self.len()
    }
    #[inline]
    fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        self.neighbors_of(v).iter().copied()
    }
}

/// [`Links`] both ways: the particles of constraints, and the constraints of particles.
pub(super) struct Incidence<'a> {
    links: &'a Links<'a>,
    starts: Vec<usize>,
    touching: Vec<u32>,
}

impl Conflicts for Incidence<'_> {
    fn len(&self) -> usize {
        self.links.len()
    }
    #[inline]
    fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        let at = |p: u32| &self.touching[self.starts[p as usize]..self.starts[p as usize + 1]];
        let around = self.links.particles_of(v).iter().flat_map(move |&p| at(p));
        around.copied().filter(move |&other| other as usize != v)
    }
}

/// For every vertex, the colours that its neighbours have.
pub(super) struct Taken {
    /// Words of 64 colours that each vertex has.
    words: usize,
    bits: Vec<u64>,
}

impl Taken {
    /// Nothing, for `count` vertices.
    pub(super) fn none(count: usize) -> Self {
        Self { words: 1, bits: vec![0; count] }
    }

    /// What the coloured neighbours of those without colour have taken.
    pub(super) fn new(conflicts: &impl Conflicts, colors: &[u32]) -> Self {
        let mut taken = Self::none(conflicts.len());
        for v in (0..conflicts.len()).filter(|&v| colors[v] == UNCOLORED) {
            for neighbor in conflicts.neighbors(v) {
                if colors[neighbor as usize] != UNCOLORED {
                    taken.take(v, colors[neighbor as usize]);
                }
            }
        }
        taken
    }

    /// Takes a colour from `v`; whether it was still free.
    #[inline]
    pub(super) fn take(&mut self, v: usize, color: u32) -> bool {
        let word = color as usize / 64;
        if word >= self.words {
            self.widen(word + 1);
        }
        let (bits, bit) = (&mut self.bits[v * self.words + word], 1 << (color % 64));
        let free = *bits & bit == 0;
        *bits |= bit;
        free
    }

    /// The colour that `v` may have and that has `n` such colours below it.
    pub(super) fn nth_free(&self, v: usize, mut n: u32) -> u32 {
        for (word, &bits) in self.bits[v * self.words..][..self.words].iter().enumerate() {
            let mut free = !bits;
            if n < free.count_ones() {
                (0..n).for_each(|_| free &= free - 1);
                return 64 * word as u32 + free.trailing_zeros();
            }
            n -= free.count_ones();
        }
        64 * self.words as u32 + n
    }

    /// How many colours below `limit` are free for `v`.
    pub(super) fn free_below(&self, v: usize, limit: u32) -> u32 {
        let words = self.bits[v * self.words..][..self.words].iter().enumerate();
        let taken: u32 = words
            .map(|(word, bits)| match limit.saturating_sub(64 * word as u32) {
                below @ 0..64 => (bits & ((1 << below) - 1)).count_ones(),
                _ => bits.count_ones(),
            })
            .sum();
        limit - taken
    }

    fn widen(&mut self, least: usize) {
        let (old, new) = (self.words, least.max(2 * self.words));
        let mut bits = vec![0; self.bits.len() / old * new];
        for (from, to) in self.bits.chunks_exact(old).zip(bits.chunks_exact_mut(new)) {
            to[..old].copy_from_slice(from);
        }
        (self.words, self.bits) = (new, bits);
    }
}
