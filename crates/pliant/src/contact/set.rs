//! All pairs of one kind that may touch until the next search: plain columns, sorted by zone and colour.

use glam::{Vec3, Vec4};

use super::narrow::Reach;
use super::split::Look;
use super::zones::{Strips, Zone, Zoned};

/// Colours that are tried at once; those above wait for the next round.
const ROUND: u32 = 4 * u64::BITS;
/// One of so many pairs may be late before all get zones and colours anew: late ones are solved by one thread.
const LATE: usize = 4;

/// The load of a pair that does not touch, in size; its sign is the side.
pub(crate) const IDLE: f32 = f32::MIN_POSITIVE;
/// The load of a pair that touches and slides, in size.
pub(crate) const SLIDES: f32 = 2.0 * f32::MIN_POSITIVE;

/// A key has 21 bits for each patch, 5 for each element in it, 4 for a pair of their parts.
const KEY_FIRST: u32 = KEY_SECOND + 21;
const KEY_SECOND: u32 = 14;
const KEY_PATCH: u64 = (1 << 21) - 1;

/// The numbers of pairs whose first party is of the second element.
pub(crate) const SWAPPED: std::ops::Range<usize> = 3..6;

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

/// Brings a list of two parts in order, each of which is; `room` is for the first of them.
pub(crate) fn merge_runs<T: Copy, K: Ord>(
    list: &mut [T],
    middle: usize,
    room: &mut Vec<T>,
    key: impl Fn(&T) -> K,
) {
    let (mut right, mut at) = (middle, 0);
    if middle == 0 || list.get(middle).is_none_or(|it| key(&list[middle - 1]) <= key(it)) {
        return;
    }
    room.clear();
    room.extend_from_slice(&list[..middle]);
    for &left in room.iter() {
        while right < list.len() && key(&list[right]) < key(&left) {
            list[at] = list[right];
            (at, right) = (at + 1, right + 1);
        }
        list[at] = left;
        at += 1;
    }
}

/// A pair that a search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<const N: usize> {
    /// Names it from one search to the next; grows along the list.
    pub(crate) key: u64,
    pub(crate) ids: [u32; N],
    /// How near its parties may come (m).
    pub(crate) distance: f32,
    /// From the second party to the first when it was found, of unit length.
    pub(crate) n: Vec3,
    /// How much farther apart they were then (m), or [`Found::SOLVED`].
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

    /// The patches that its first party and its second are of.
    pub(crate) fn patches(&self) -> [usize; 2] {
        let ([(a, _), (b, _)], number) = parties(self.key);
        if SWAPPED.contains(&number) { [b, a] } else { [a, b] }
    }

    /// Takes off what patches may have come nearer by.
    pub(crate) fn age(&mut self, since: &[Reach]) {
        self.slack -= Reach::towards(self.patches().map(|patch| since[patch])).nearer(self.n);
    }
}

/// Pairs that may touch.
#[derive(Debug)]
pub(crate) struct Set<const N: usize> {
    /// In the order of their keys, but for those at the end that were found late.
    pub(crate) found: Vec<Found<N>>,
    /// How many these are.
    late: usize,
    /// Those that substeps look at, by their numbers in `found`; the others wait until they are near.
    pub(crate) solved: Vec<u32>,
    /// Those that may be next, part by part.
    pub(crate) near: Vec<Vec<u32>>,
    /// The slot of each that substeps look at.
    pub(crate) slots: Vec<u32>,
    pub(crate) zoned: Zoned<N>,
    strips: Strips,
    /// How many pairs had zones when they were last given anew.
    timely: usize,
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
    /// Keys and sides before the present search, and room to bring them in order.
    old: Vec<(u64, f32)>,
    room: Vec<(u64, f32)>,
    /// Pairs that the search has found on another side than the one that they had, by their numbers.
    pub(crate) turned: Vec<u32>,
    /// The keys of pairs with the first party outside that the search has not found again.
    pub(crate) lost: Vec<u64>,
    /// Whether there was nothing to remember.
    new: bool,
    colors: Vec<u32>,
    /// The colours of a round that each particle has seen.
    taken: Vec<[u64; 4]>,
    zones: Vec<Zone>,
    /// The particles of pairs that get zones and colours.
    ids: Vec<[u32; N]>,
}

impl<const N: usize> Default for Set<N> {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            late: 0,
            solved: Vec::new(),
            near: Vec::new(),
            slots: Vec::new(),
            zoned: Zoned::default(),
            strips: Strips::default(),
            timely: 0,
            load: Vec::new(),
            distance: Vec::new(),
            friction: Vec::new(),
            restitution: Vec::new(),
            looks: Vec::new(),
            fresh: Vec::new(),
            merged: Vec::new(),
            old: Vec::new(),
            room: Vec::new(),
            turned: Vec::new(),
            lost: Vec::new(),
            new: true,
            colors: Vec::new(),
            taken: Vec::new(),
            zones: Vec::new(),
            ids: Vec::new(),
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

    /// Forgets the pairs that do not stay, if any do, but not the sides of those that were solved.
    pub(crate) fn begin(&mut self, stays: Option<impl Fn(&[u32; N]) -> bool>) {
        self.remember_sides();
        let Self { found, late, fresh, old, room, .. } = self;
        let in_order = found.len() - std::mem::take(late);
        if !found.is_empty() {
            let side = |found: &Found<N>| found.is_solved().then_some((found.key, found.side));
            old.clear();
            old.extend(found[..in_order].iter().filter_map(side));
            let middle = old.len();
            old.extend(found[in_order..].iter().filter_map(side));
            old[middle..].sort_unstable_by_key(|&(key, _)| key);
            merge_runs(old, middle, room, |&(key, _)| key);
        }
        if let Some(stays) = stays {
            fresh.extend(found.drain(in_order..).filter(|found| stays(&found.ids)));
            found.retain(|found| stays(&found.ids));
        } else {
            found.clear();
        }
        self.solved.clear();
        self.slots.clear();
    }

    /// Takes the pairs that the parts of a search have found.
    pub(crate) fn take<P>(&mut self, parts: &mut [P], of: impl Fn(&mut P) -> &mut Vec<Found<N>>) {
        let Self { found, fresh, .. } = self;
        // Where nothing stays there is nothing to merge.
        let taken = if found.is_empty() && fresh.is_empty() { found } else { fresh };
        taken.reserve(parts.iter_mut().map(|part| of(part).len()).sum());
        parts.iter_mut().for_each(|part| taken.append(of(part)));
    }

    /// The same for pairs of which it is known only that they have to be measured.
    pub(crate) fn take_late<P>(
        &mut self,
        parts: &mut [P],
        of: impl Fn(&mut P) -> &mut Vec<Found<N>>,
    ) {
        let late: usize = parts.iter_mut().map(|part| of(part).len()).sum();
        self.found.reserve(late);
        for part in parts {
            let found = of(part);
            found.iter_mut().for_each(|found| found.slack = f32::MIN);
            self.found.append(found);
        }
        self.late += late;
    }

    /// The elements of pairs that were solved before.
    pub(crate) fn remembered(&self) -> impl Iterator<Item = u64> {
        self.old.iter().map(|&(key, _)| elements(key))
    }

    /// Joins the pairs that there are, in the order of their keys, and those that were taken.
    fn merge(&mut self) {
        let Self { found, fresh, merged, .. } = self;
        if fresh.is_empty() {
            found.sort_unstable_by_key(|found| found.key);
            return;
        }
        fresh.sort_unstable_by_key(|found| found.key);
        let middle = found.len();
        found.append(fresh);
        merge_runs(found, middle, merged, |found| found.key);
    }

    /// Forgets everything, sides too.
    pub(crate) fn clear(&mut self) {
        self.old.clear();
        self.found.clear();
        self.late = 0;
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
        if self.found.is_empty() {
            return self.old.clone();
        }
        let side = |(found, load): (&Found<N>, f32)| (found.key, 1.0f32.copysign(load));
        let mut sides: Vec<_> = self.loads().map(side).collect();
        sides.sort_unstable_by_key(|&(key, _)| key);
        sides
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

    /// Gives the solved pairs from number `first` on colours and slots, behind the others; or all of them
    /// zones and colours anew, where many would have none. `x` is where particles are.
    pub(crate) fn sort(&mut self, mut first: usize, x: &[Vec4]) {
        let count = self.solved.len();
        if first == 0 || (count - self.timely) * LATE > count {
            self.remember_sides();
            (first, self.timely) = (0, count);
            self.zoned.clear();
            self.slots.clear();
        }
        if count == 0 {
            self.load.clear(); // of which there is one for each slot
        }
        if first < count {
            let ids = self.solved[first..].iter().map(|&number| self.found[number as usize].ids);
            self.ids.clear();
            self.ids.extend(ids);
            self.find_zones(first, x);
            self.color(x.len());
            self.place(first, x.len());
        }
    }

    fn find_zones(&mut self, first: usize, x: &[Vec4]) {
        let Self { ids, strips, zones, .. } = self;
        zones.clear();
        if first > 0 {
            zones.resize(ids.len(), Zone::LAST);
        } else {
            strips.cut(x, ids);
            zones.extend(ids.iter().map(|&ids| strips.zone(ids)));
        }
    }

    /// First fit in each phase, in the order in which pairs are listed: the lowest colour that none of its
    /// particles has seen.
    fn color(&mut self, particle_count: usize) {
        let Self { ids, zones, colors, taken, .. } = self;
        colors.clear();
        colors.resize(ids.len(), u32::MAX);
        for phase in 0..=Zone::LAST.phase {
            let (mut first, mut waiting) = (0, zones.iter().any(|zone| zone.phase == phase));
            while waiting {
                waiting = false;
                taken.clear();
                taken.resize(particle_count, [0; 4]);
                for ((&ids, zone), color) in ids.iter().zip(&*zones).zip(&mut *colors) {
                    if zone.phase == phase && *color == u32::MAX {
                        *color = free(taken, ids).map_or(u32::MAX, |color| first + color);
                        waiting |= *color == u32::MAX;
                    }
                }
                first += ROUND;
            }
        }
    }

    /// Gives pairs slots, and fills their columns.
    fn place(&mut self, first: usize, particle_count: usize) {
        let Self { found, solved, slots, ids, zones, colors, zoned, .. } = self;
        let runs = zoned.extend(ids, (zones, colors), particle_count, slots);
        let Self { load, distance, friction, restitution, .. } = self;
        let room = runs.last().map_or(0, |run| run.room().end);
        for column in [&mut *load, distance, friction, restitution] {
            column.resize(room, 0.0);
        }
        for (&number, &slot) in solved.iter().zip(&*slots).skip(first) {
            let (found, slot) = (&found[number as usize], slot as usize);
            load[slot] = IDLE.copysign(found.side);
            distance[slot] = found.distance;
            friction[slot] = found.friction;
            restitution[slot] = found.restitution;
        }
        for run in runs {
            let (last, behind) = (run.slots().end - 1, run.slots().end..run.room().end);
            for column in [&mut *load, distance, friction, restitution] {
                let value = column[last];
                column[behind.clone()].fill(value);
            }
        }
    }
}

/// The lowest colour of a round that no particle of a pair has seen, if there is one; now they have.
fn free<const N: usize>(seen: &mut [[u64; 4]], ids: [u32; N]) -> Option<u32> {
    let mut taken = [0; 4];
    for id in ids {
        let seen = seen[id as usize];
        (0..4).for_each(|word| taken[word] |= seen[word]);
    }
    let word = taken.iter().position(|&word| word != u64::MAX)?;
    let bit = taken[word].trailing_ones();
    ids.iter().for_each(|&id| seen[id as usize][word] |= 1 << bit);
    Some(word as u32 * u64::BITS + bit)
}
