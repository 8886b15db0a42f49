//! All pairs of one kind that may touch until the next search: plain columns, sorted by colour.

use super::split::Look;
use crate::coloring::Colored;

/// Colours that are tried at once; those above wait for the next round.
const ROUND: u32 = 4 * u64::BITS;

/// The load of a pair that does not touch, in size; its sign is the side.
pub(crate) const IDLE: f32 = f32::MIN_POSITIVE;
/// The load of a pair that touches and slides, in size.
pub(crate) const SLIDES: f32 = 2.0 * f32::MIN_POSITIVE;

/// A key has 21 bits for each patch, 5 for each element in it, 4 for a pair of their parts.
const KEY_FIRST: u32 = KEY_SECOND + 21;
const KEY_SECOND: u32 = 14;
const KEY_PATCH: u64 = (1 << 21) - 1;

/// The key of the pairs of two elements: each its patch, and its number there.
pub(crate) fn key(patches: [u32; 2], [k, l]: [usize; 2]) -> u64 {
    let [a, b] = patches.map(u64::from);
    a << KEY_FIRST | b << KEY_SECOND | (k << 9 | l << 4) as u64
}

/// The patches of a key, each with the number of the element there; and the number of the pair.
pub(crate) fn parties(key: u64) -> ([(usize, usize); 2], usize) {
    let patch = |bits: u64| (bits & KEY_PATCH) as usize;
    let (k, l) = (key >> 9 & 31, key >> 4 & 31);
    let first = (patch(key >> KEY_FIRST), k as usize);
    ([first, (patch(key >> KEY_SECOND), l as usize)], (key & 15) as usize)
}

/// The elements of a key, without the number of the pair; grows as keys do.
pub(crate) fn elements(key: u64) -> u64 {
    key >> 4
}

/// A pair that a search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<const N: usize> {
    /// Names it from one search to the next; grows along the list.
    pub(crate) key: u64,
    pub(crate) ids: [u32; N],
    /// How near its parties may come (m).
    pub(crate) distance: f32,
    /// How much farther apart they were when it was found (m), or [`Found::SOLVED`].
    pub(crate) slack: f32,
    /// 1 or −1: on which side the first party is.
    pub(crate) side: f32,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
}

impl<const N: usize> Found<N> {
    /// The slack of a pair that substeps look at.
    pub(crate) const SOLVED: f32 = f32::NEG_INFINITY;

    /// Whether substeps look at it.
    pub(crate) fn is_solved(&self) -> bool {
        self.slack == Self::SOLVED
    }

    /// The patches that its parties are of.
    pub(crate) fn patches(&self) -> [usize; 2] {
        parties(self.key).0.map(|(patch, _)| patch)
    }
}

/// Pairs that may touch.
#[derive(Debug)]
pub(crate) struct Set<const N: usize> {
    /// In the order of their keys.
    pub(crate) found: Vec<Found<N>>,
    /// Those that substeps look at, by their numbers in `found`; the others wait until they are near.
    pub(crate) solved: Vec<u32>,
    /// The slot of each of these.
    slots: Vec<u32>,
    pub(crate) colored: Colored,
    /// Of each slot: its sign is the side; its size is what has pushed the parties apart in this
    /// substep (kg·m), or [`IDLE`], or [`SLIDES`].
    pub(crate) load: Vec<f32>,
    pub(crate) distance: Vec<f32>,
    pub(crate) friction: Vec<f32>,
    pub(crate) restitution: Vec<f32>,
    /// What sweeps over all pairs at once know of each slot; empty where there are none.
    pub(crate) looks: Vec<Look<N>>,
    /// Those of the present search, and room to merge them with those that stay.
    fresh: Vec<Found<N>>,
    merged: Vec<Found<N>>,
    /// Keys and sides before the present search.
    old: Vec<(u64, f32)>,
    /// Pairs that the search has found on another side than the one that they had, by their numbers.
    pub(crate) turned: Vec<u32>,
    /// The keys of pairs with the first party outside that the search has not found again.
    pub(crate) lost: Vec<u64>,
    /// Whether there was nothing to remember.
    new: bool,
    colors: Vec<u32>,
    /// The colours of a round that each particle has seen.
    taken: Vec<[u64; 4]>,
    seen: Vec<u32>,
}

impl<const N: usize> Default for Set<N> {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            solved: Vec::new(),
            slots: Vec::new(),
            colored: Colored::new(N),
            load: Vec::new(),
            distance: Vec::new(),
            friction: Vec::new(),
            restitution: Vec::new(),
            looks: Vec::new(),
            fresh: Vec::new(),
            merged: Vec::new(),
            old: Vec::new(),
            turned: Vec::new(),
            lost: Vec::new(),
            new: true,
            colors: Vec::new(),
            taken: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl<const N: usize> Set<N> {
    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// The pairs that substeps look at, each with its load.
    pub(crate) fn loads(&self) -> impl Iterator<Item = (&Found<N>, f32)> {
        let solved = self.solved.iter().map(|&number| &self.found[number as usize]);
        solved.zip(&self.slots).map(|(found, &slot)| (found, self.load[slot as usize]))
    }

    /// Keys and sides, in the order of the keys: all that a search wants to know of the last one.
    fn sides(&self) -> impl Iterator<Item = (u64, f32)> {
        self.loads().map(|(found, load)| (found.key, 1.0f32.copysign(load)))
    }

    /// Forgets the pairs that do not stay, but not the sides of those that were solved.
    pub(crate) fn begin(&mut self, stays: impl Fn(&[u32; N]) -> bool) {
        self.remember_sides();
        let Self { found, solved, old, .. } = self;
        if !found.is_empty() {
            let solved = solved.iter().map(|&number| &found[number as usize]);
            old.clear();
            old.extend(solved.map(|found| (found.key, found.side)));
        }
        found.retain(|found| stays(&found.ids));
        self.solved.clear();
        self.slots.clear();
    }

    /// Takes pairs that a search has found; `moved` is how far a patch may have moved before (m).
    pub(crate) fn take(&mut self, found: &mut Vec<Found<N>>, moved: impl Fn(usize) -> f32) {
        for found in found.iter_mut() {
            found.slack -= found.patches().map(&moved).into_iter().sum::<f32>();
        }
        self.fresh.append(found);
    }

    /// The elements of pairs that were solved before.
    pub(crate) fn remembered(&self) -> impl Iterator<Item = u64> {
        self.old.iter().map(|&(key, _)| elements(key))
    }

    /// Lets no pair be solved for now; their sides are remembered.
    pub(crate) fn rest(&mut self) {
        self.remember_sides();
        self.solved.clear();
        self.slots.clear();
    }

    /// Joins the pairs that there are, in the order of their keys, and those that were taken.
    pub(crate) fn merge(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        self.fresh.sort_unstable_by_key(|found| found.key);
        if self.found.is_empty() {
            std::mem::swap(&mut self.found, &mut self.fresh);
            return;
        }
        let Self { found, fresh, merged, .. } = self;
        merged.clear();
        let mut stayed = found.drain(..).peekable();
        for new in fresh.drain(..) {
            while let Some(before) = stayed.next_if(|found| found.key < new.key) {
                merged.push(before);
            }
            merged.push(new);
        }
        merged.extend(stayed);
        std::mem::swap(found, merged);
    }

    /// Forgets everything, sides too.
    pub(crate) fn clear(&mut self) {
        self.old.clear();
        self.found.clear();
        self.solved.clear();
        self.slots.clear();
    }

    /// Takes the sides that a snapshot has kept, for the next search.
    pub(crate) fn restore(&mut self, sides: Vec<(u64, f32)>) {
        self.clear();
        self.old = sides;
    }

    /// What a snapshot keeps.
    pub(crate) fn kept(&self) -> Vec<(u64, f32)> {
        if self.found.is_empty() { self.old.clone() } else { self.sides().collect() }
    }

    /// Gives the pairs that were solved before the side that they had. Those that have left it may have
    /// gone through, and are not left alone.
    pub(crate) fn finish(&mut self) {
        self.merge();
        debug_assert!(self.found.is_sorted_by_key(|found| found.key), "pairs in order");
        let Self { old, turned, lost, .. } = self;
        self.new = old.is_empty();
        turned.clear();
        lost.clear();
        let mut old = old.drain(..).peekable();
        let mut lose = |(key, side): (u64, f32)| lost.extend((side > 0.0).then_some(key));
        for (number, found) in (0..).zip(&mut self.found) {
            while let Some(gone) = old.next_if(|(key, _)| *key < found.key) {
                lose(gone);
            }
            if let Some((_, side)) = old.next_if(|(key, _)| *key == found.key)
                && side != found.side
            {
                (found.side, found.slack) = (side, Found::<N>::SOLVED);
                turned.push(number);
            }
        }
        old.for_each(lose);
    }

    /// Whether the search had nothing to remember.
    pub(crate) fn is_new(&self) -> bool {
        self.new
    }

    /// Takes a pair in, instead of the one with the same key.
    pub(crate) fn force(&mut self, pair: Found<N>) {
        match self.found.binary_search_by_key(&pair.key, |found| found.key) {
            Ok(at) => self.found[at] = pair,
            Err(at) => self.found.insert(at, pair),
        }
    }

    /// Lets the pairs know the side that substeps have left them on.
    fn remember_sides(&mut self) {
        for (&number, &slot) in self.solved.iter().zip(&self.slots) {
            self.found[number as usize].side = 1.0f32.copysign(self.load[slot as usize]);
        }
    }

    /// Gives the solved pairs colours and slots.
    pub(crate) fn sort(&mut self, particle_count: usize) {
        self.color(particle_count);
        let Self { found, solved, slots, colors, colored, seen, .. } = self;
        let ids = solved.iter().map(|&number| found[number as usize].ids);
        colored.assign(ids, colors, (particle_count, seen), slots);
        let columns =
            [&mut self.load, &mut self.distance, &mut self.friction, &mut self.restitution];
        columns.into_iter().for_each(|column| column.resize(self.solved.len(), 0.0));
        for (&number, &slot) in self.solved.iter().zip(&self.slots) {
            let (found, slot) = (&self.found[number as usize], slot as usize);
            self.load[slot] = IDLE.copysign(found.side);
            self.distance[slot] = found.distance;
            self.friction[slot] = found.friction;
            self.restitution[slot] = found.restitution;
        }
    }

    /// First fit, in the order of the keys: the lowest colour that none of its particles has seen.
    fn color(&mut self, particle_count: usize) {
        self.colors.clear();
        self.colors.resize(self.solved.len(), u32::MAX);
        let (mut first, mut waiting) = (0, self.solved.len());
        while waiting > 0 {
            waiting = 0;
            self.taken.resize(particle_count, [0; 4]);
            for &number in &self.solved {
                self.found[number as usize]
                    .ids
                    .iter()
                    .for_each(|&i| self.taken[i as usize] = [0; 4]);
            }
            for (&number, color) in self.solved.iter().zip(&mut self.colors) {
                if *color != u32::MAX {
                    continue;
                }
                let ids = self.found[number as usize].ids;
                let mut taken = [0; 4];
                for id in ids {
                    let seen = self.taken[id as usize];
                    (0..4).for_each(|word| taken[word] |= seen[word]);
                }
                let Some(word) = taken.iter().position(|&word| word != u64::MAX) else {
                    waiting += 1;
                    continue;
                };
                let bit = taken[word].trailing_ones();
                *color = first + word as u32 * u64::BITS + bit;
                ids.iter().for_each(|&id| self.taken[id as usize][word] |= 1 << bit);
            }
            first += ROUND;
        }
    }
}
