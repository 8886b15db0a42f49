//! All pairs of one kind that may touch until the next search: plain columns, sorted by colour.

use crate::coloring::Colored;

/// Colours that are tried at once; those above wait for the next round.
const ROUND: u32 = 4 * u64::BITS;

/// The load of a pair that does not touch, in size; its sign is the side.
pub(crate) const IDLE: f32 = f32::MIN_POSITIVE;
/// The load of a pair that touches and slides, in size.
pub(crate) const SLIDES: f32 = 2.0 * f32::MIN_POSITIVE;

/// A pair that a search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<const N: usize> {
    /// Names it from one search to the next; grows along the list.
    pub(crate) key: u64,
    pub(crate) ids: [u32; N],
    /// How near its parties may come (m).
    pub(crate) distance: f32,
    /// 1 or −1: on which side the first party is.
    pub(crate) side: f32,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
}

/// Pairs that may touch.
#[derive(Debug)]
pub(crate) struct Set<const N: usize> {
    /// In the order of their keys.
    pub(crate) found: Vec<Found<N>>,
    /// The slot of each of them.
    pub(crate) slots: Vec<u32>,
    pub(crate) colored: Colored,
    /// Of each slot: its sign is the side; its size is what has pushed the parties apart in this
    /// substep (kg·m), or [`IDLE`], or [`SLIDES`].
    pub(crate) load: Vec<f32>,
    pub(crate) distance: Vec<f32>,
    pub(crate) friction: Vec<f32>,
    pub(crate) restitution: Vec<f32>,
    /// Keys and sides before the present search.
    old: Vec<(u64, f32)>,
    colors: Vec<u32>,
    /// The colours of a round that each particle has seen.
    taken: Vec<[u64; 4]>,
    seen: Vec<u32>,
}

impl<const N: usize> Default for Set<N> {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            slots: Vec::new(),
            colored: Colored::new(N),
            load: Vec::new(),
            distance: Vec::new(),
            friction: Vec::new(),
            restitution: Vec::new(),
            old: Vec::new(),
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

    /// Keys and sides, in the order of the keys: all that a search wants to know of the last one.
    pub(crate) fn sides(&self) -> impl Iterator<Item = (u64, f32)> + '_ {
        self.found.iter().zip(&self.slots).map(|(found, &slot)| {
            (found.key, 1.0f32.copysign(self.load.get(slot as usize).copied().unwrap_or(1.0)))
        })
    }

    /// Forgets all pairs, but not the sides of those that were there.
    pub(crate) fn begin(&mut self) {
        let mut old = std::mem::take(&mut self.old);
        if !self.found.is_empty() {
            old.clear();
            old.extend(self.sides());
        }
        self.old = old;
        self.found.clear();
    }

    /// Forgets everything, sides too.
    pub(crate) fn clear(&mut self) {
        self.old.clear();
        self.found.clear();
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

    /// Gives the pairs that were there before the side that they had, and all of them colours.
    pub(crate) fn finish(&mut self, particle_count: usize) {
        debug_assert!(self.found.is_sorted_by_key(|found| found.key), "pairs in order");
        let mut old = self.old.iter().peekable();
        for found in &mut self.found {
            while old.next_if(|(key, _)| *key < found.key).is_some() {}
            if let Some((_, side)) = old.next_if(|(key, _)| *key == found.key) {
                found.side = *side;
            }
        }
        self.old.clear();
        self.color(particle_count);
        let Self { found, slots, colors, colored, seen, .. } = self;
        let ids = found.iter().map(|found| found.ids);
        colored.assign(ids, colors, (particle_count, seen), slots);
        let columns =
            [&mut self.load, &mut self.distance, &mut self.friction, &mut self.restitution];
        columns.into_iter().for_each(|column| column.resize(self.found.len(), 0.0));
        for (found, &slot) in self.found.iter().zip(&self.slots) {
            let slot = slot as usize;
            self.load[slot] = IDLE.copysign(found.side);
            self.distance[slot] = found.distance;
            self.friction[slot] = found.friction;
            self.restitution[slot] = found.restitution;
        }
    }

    /// First fit, in the order of the keys: the lowest colour that none of its particles has seen.
    fn color(&mut self, particle_count: usize) {
        self.colors.clear();
        self.colors.resize(self.found.len(), u32::MAX);
        let (mut first, mut waiting) = (0, self.found.len());
        while waiting > 0 {
            waiting = 0;
            self.taken.clear();
            self.taken.resize(particle_count, [0; 4]);
            for (found, color) in self.found.iter().zip(&mut self.colors) {
                if *color != u32::MAX {
                    continue;
                }
                let mut taken = [0; 4];
                for id in found.ids {
                    let seen = self.taken[id as usize];
                    (0..4).for_each(|word| taken[word] |= seen[word]);
                }
                let Some(word) = taken.iter().position(|&word| word != u64::MAX) else {
                    waiting += 1;
                    continue;
                };
                let bit = taken[word].trailing_ones();
                *color = first + word as u32 * u64::BITS + bit;
                found.ids.iter().for_each(|&id| self.taken[id as usize][word] |= 1 << bit);
            }
            first += ROUND;
        }
    }
}
