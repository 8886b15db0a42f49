//! The vertex first whose neighbours have the most different colours.

use super::Algorithm;
use super::graph::{Conflicts, Taken, UNCOLORED};

/// Degree of saturation: of the vertices without colour, that comes next whose neighbours have the
/// most different colours; of several, the one with the most neighbours. It gets the lowest colour
/// that is free. In the end the last colours, if they have few vertices, are dissolved by swapping
/// two colours in a part of the graph.
///
/// Brélaz 1979, "New Methods to Color the Vertices of a Graph"; the swaps are those of Matula,
/// Marble and Isaacson 1972, "Graph Coloring Algorithms". The next vertex comes from a queue of
/// buckets, so that the time is in proportion to vertices and edges.
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "dsatur",
    shows: "the vertex first that has the fewest colours left (DSATUR): few colours, near-linear",
    of_graph: |graph, colors| color(graph, colors),
    of_links: |links, colors| color(&links.incidence(), colors),
};

fn color(conflicts: &impl Conflicts, colors: &mut [u32]) {
    let all = colors.iter().all(|&color| color == UNCOLORED);
    let mut queue = Queue::new(conflicts, colors);
    while let Some((v, color)) = queue.pop() {
        colors[v] = color;
        queue.take(conflicts.neighbors(v), color);
    }
    // A swap may change any colour, so not where some are to stay.
    if all {
        dissolve(conflicts, colors);
    }
}

/// Classes of degrees; vertices with more neighbours than that count as equal.
const CLASSES: usize = u64::BITS as usize;
/// Colours of which a vertex remembers in a word whether they are taken.
const LOW: u32 = u64::BITS;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// Vertices in stacks, one for each saturation and class of degrees. To put in and to find the best
/// each takes the same time, however many there are. A vertex whose saturation has grown is put in
/// again; what is left of it below is skipped.
struct Queue {
    vertices: Vec<Vertex>,
    /// Colours from [`LOW`] on that are taken, once there are any.
    high: Option<Taken>,
    /// What was put in, each with the entry below it in its stack.
    entries: Vec<[u32; 2]>,
    /// The uppermost entry of each stack; [`CLASSES`] stacks for each saturation.
    stacks: Vec<u32>,
    /// Of each saturation, the classes whose stack is not empty, as bits.
    classes: Vec<u64>,
    /// No vertex has a higher saturation.
    top: usize,
    /// Vertices without colour.
    open: usize,
}

/// A vertex: all that its neighbours change, close together in memory.
#[derive(Clone, Copy)]
struct Vertex {
    /// Which of the colours below [`LOW`] its neighbours have; all, once it has one itself.
    low: u64,
    /// Its stack: [`CLASSES`] times the number of different colours that its neighbours have, plus
    /// its class; [`NONE`] once it has a colour itself.
    stack: u32,
}

impl Queue {
    /// The vertices without colour.
    fn new(conflicts: &impl Conflicts, colors: &[u32]) -> Self {
        let class = |v| conflicts.neighbors(v).take(CLASSES - 1).count() as u32;
        let mut queue = Self {
            vertices: (0..colors.len()).map(|v| Vertex { low: 0, stack: class(v) }).collect(),
            high: None,
            entries: Vec::with_capacity(8 * colors.len()),
            stacks: vec![NONE; CLASSES],
            classes: vec![0],
            top: 0,
            open: 0,
        };
        for v in (0..colors.len()).filter(|&v| colors[v] != UNCOLORED) {
            queue.close(v);
        }
        for v in (0..colors.len()).filter(|&v| colors[v] == UNCOLORED) {
            queue.insert(v);
            queue.open += 1;
        }
        for v in (0..colors.len()).filter(|&v| colors[v] != UNCOLORED) {
            queue.take(conflicts.neighbors(v), colors[v]);
        }
        queue
    }

    /// Takes out the vertex with the highest saturation, and of those one of the highest degree,
    /// and gives it the lowest colour that none of its neighbours has.
    fn pop(&mut self) -> Option<(usize, u32)> {
        // What is in the stacks once all have colours are leftovers.
        self.open = self.open.checked_sub(1)?;
        loop {
            while self.classes[self.top] == 0 {
                self.top = self.top.checked_sub(1)?;
            }
            let class = CLASSES - 1 - self.classes[self.top].leading_zeros() as usize;
            let stack = self.top * CLASSES + class;
            let [v, below] = self.entries[self.stacks[stack] as usize];
            self.stacks[stack] = below;
            if below == NONE {
                self.classes[self.top] &= !(1 << class);
            }
            if self.vertices[v as usize].stack as usize == stack {
                return Some((v as usize, self.close(v as usize)));
            }
        }
    }

    /// Marks `v` as coloured and returns the lowest colour that none of its neighbours has.
    fn close(&mut self, v: usize) -> u32 {
        let Vertex { low, stack } = &mut self.vertices[v];
        let free = low.trailing_ones();
        (*low, *stack) = (u64::MAX, NONE);
        let beyond = || self.high.as_ref().map_or(0, |high| high.nth_free(v, 0));
        if free < LOW { free } else { LOW + beyond() }
    }

    /// A neighbour of these got that colour: the saturation of each grows by one at most.
    fn take(&mut self, neighbors: impl Iterator<Item = u32>, color: u32) {
        if self.classes.len() < self.top + 2 {
            self.classes.resize(self.top + 2, 0);
            self.stacks.resize((self.top + 2) * CLASSES, NONE);
        }
        if color >= LOW {
            return self.take_high(neighbors, color - LOW);
        }
        let bit = 1 << color;
        for v in neighbors {
            let vertex = &mut self.vertices[v as usize];
            if vertex.low & bit == 0 {
                vertex.low |= bit;
                vertex.stack += CLASSES as u32;
                self.insert(v as usize);
            }
        }
    }

    fn take_high(&mut self, neighbors: impl Iterator<Item = u32>, color: u32) {
        let mut high = self.high.take().unwrap_or_else(|| Taken::none(self.vertices.len()));
        for v in neighbors {
            let vertex = &mut self.vertices[v as usize];
            if vertex.stack != NONE && high.take(v as usize, color) {
                vertex.stack += CLASSES as u32;
                self.insert(v as usize);
            }
        }
        self.high = Some(high);
    }

    #[inline(always)]
    fn insert(&mut self, v: usize) {
        let stack = self.vertices[v].stack as usize;
        let (saturation, class) = (stack / CLASSES, stack % CLASSES);
        self.entries.push([v as u32, self.stacks[stack]]);
        self.stacks[stack] = self.entries.len() as u32 - 1;
        self.classes[saturation] |= 1 << class;
        self.top = self.top.max(saturation);
    }
}

/// A colour with more than one of this many vertices is not worth the swaps.
const RARE: usize = 64;
/// Vertices that a swap may change; in larger parts most searches would be in vain.
const FARTHEST: usize = 256;

/// Gives the vertices of the last colour others, as long as it has few of them.
fn dissolve(conflicts: &impl Conflicts, colors: &mut [u32]) {
    let mut swap = Swap { marks: vec![0; colors.len()], mark: 0, part: Vec::new() };
    while let Some(&last) = colors.iter().max() {
        let few = || (0..colors.len()).filter(|&v| colors[v] == last);
        if few().count() > colors.len() / RARE {
            return;
        }
        let pairs = || (0..last).flat_map(|a| (0..last).map(move |b| (a, b)));
        for v in few().collect::<Vec<_>>() {
            let mut unequal = pairs().filter(|(a, b)| a != b);
            let Some((a, _)) = unequal.find(|&(a, b)| swap.free(conflicts, colors, v, (a, b)))
            else {
                return;
            };
            colors[v] = a;
        }
    }
}

/// Swaps of two colours in a connected part of the graph, after which it is as valid as before.
struct Swap {
    /// In which attempt each vertex was last found.
    marks: Vec<u32>,
    mark: u32,
    /// What was found in this one.
    part: Vec<u32>,
}

impl Swap {
    /// Makes `v` lose its neighbours of colour `a` to `b`; whether that could be done.
    fn free(
        &mut self,
        conflicts: &impl Conflicts,
        colors: &mut [u32],
        v: usize,
        (a, b): (u32, u32),
    ) -> bool {
        self.mark += 1;
        self.part.clear();
        self.find(conflicts, colors, v, a);
        let mut next = 0;
        while next < self.part.len() && self.part.len() <= FARTHEST {
            let u = self.part[next] as usize;
            self.find(conflicts, colors, u, a + b - colors[u]);
            next += 1;
        }
        // Else `v` would only change its neighbours of colour `a` for others.
        let found = |u: &u32| self.marks[*u as usize] == self.mark;
        let stuck = conflicts.neighbors(v).any(|u| colors[u as usize] == b && found(&u));
        if stuck || self.part.len() > FARTHEST {
            return false;
        }
        self.part.iter().for_each(|&u| colors[u as usize] = a + b - colors[u as usize]);
        true
    }

    /// Adds the neighbours of `v` that have that colour.
    fn find(&mut self, conflicts: &impl Conflicts, colors: &[u32], v: usize, color: u32) {
        for u in conflicts.neighbors(v) {
            if colors[u as usize] == color && self.marks[u as usize] != self.mark {
                self.marks[u as usize] = self.mark;
                self.part.push(u);
            }
        }
    }
}
