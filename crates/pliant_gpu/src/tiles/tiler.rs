//! Cuts a world into tiles for a group of colours.

use std::ops::Range;

use pliant::glam::{Vec3, Vec4};

use super::draft::{Draft, Head};
use super::links::{Color, Links};
use super::{HOME, NONE};

/// Shows the particles in so many groups that lie together, of like sizes: parts of parts, each cut across
/// its longest side. Ends where `show` says so, and tells whether it went on to the end.
pub(super) fn show_parts(xw: &[Vec4], count: usize, mut show: impl FnMut(&[u32]) -> bool) -> bool {
    let mut order: Vec<u32> = (0..xw.len() as u32).collect();
    let x = |i: u32| xw[i as usize].truncate();
    let mut waiting = vec![(0, xw.len(), count)];
    while let Some((start, end, parts)) = waiting.pop() {
        let ids = &mut order[start..end];
        if parts <= 1 {
            ids.sort_unstable(); // as they lie in memory
            if !show(ids) {
                return false;
            }
            continue;
        }
        let low = ids.iter().map(|&i| x(i)).fold(Vec3::INFINITY, Vec3::min);
        let high = ids.iter().map(|&i| x(i)).fold(Vec3::NEG_INFINITY, Vec3::max);
        let axis = (high - low).max_position();
        let first = parts / 2;
        let middle = ids.len() * first / parts;
        ids.select_nth_unstable_by(middle, |&a, &b| {
            x(a)[axis].total_cmp(&x(b)[axis]).then(a.cmp(&b))
        });
        waiting.push((start + middle, end, parts - first));
        waiting.push((start, start + middle, first));
    }
    true
}

/// Cuts a world into tiles for a group of colours.
pub(super) struct Tiler<'a> {
    links: &'a Links<'a>,
    colors: Range<usize>,
    /// For each colour, the slot of the constraint of each particle.
    slot_of: Vec<Vec<u32>>,
    /// The tile that last had each particle, and its place there.
    here: Vec<[u32; 2]>,
    /// The tile that last had each constraint of each kind.
    taken: Vec<Vec<u32>>,
    tile: u32,
}

/// One tile: its particles, of which the first are its own, and the slots of each colour.
pub(super) struct Tile {
    rows: Vec<u32>,
    slots: Vec<Vec<u32>>,
}

impl<'a> Tiler<'a> {
    pub(super) fn new(links: &'a Links<'a>, colors: Range<usize>) -> Self {
        let count = links.xw.len();
        let slot_of = |Color { kind, slots, .. }: &Color| {
            let mut slot_of = vec![NONE; count];
            for slot in slots.clone() {
                for &id in links.kinds[*kind].particles(slot) {
                    slot_of[id as usize] = slot;
                }
            }
            slot_of
        };
        Self {
            links,
            slot_of: links.colors[colors.clone()].iter().map(slot_of).collect(),
            colors,
            here: vec![[NONE; 2]; count],
            taken: links.kinds.iter().map(|kind| vec![NONE; kind.count()]).collect(),
            tile: 0,
        }
    }

    /// The kind of one of its colours.
    fn kind_of(&self, color: usize) -> usize {
        self.links.colors[self.colors.start + color].kind
    }

    /// Cuts all particles and adds the tiles to the draft, the first of these numbers of them that fits; `None`
    /// if none does.
    pub(super) fn cut(
        &mut self,
        draft: &mut Draft,
        counts: impl Iterator<Item = usize>,
    ) -> Option<()> {
        let mark = draft.mark();
        for count in counts {
            let fits = show_parts(self.links.xw, count, |owned| {
                self.gather(owned).map(|tile| self.write(tile, owned.len(), draft)).is_some()
            });
            if fits {
                return Some(());
            }
            draft.return_to(&mark);
        }
        None
    }

    /// All that the particles of a tile depend on; `None` if that is too much.
    pub(super) fn gather(&mut self, owned: &[u32]) -> Option<Tile> {
        self.tile += 1;
        let mut rows = Vec::with_capacity(self.links.rows());
        for &id in owned {
            self.here[id as usize] = [self.tile, rows.len() as u32];
            rows.push(id);
        }
        let mut slots = vec![Vec::new(); self.slot_of.len()];
        for color in (0..slots.len()).rev() {
            let kind = self.kind_of(color);
            for k in 0..rows.len() {
                let slot = self.slot_of[color][rows[k] as usize];
                if slot == NONE || self.taken[kind][slot as usize] == self.tile {
                    continue;
                }
                self.taken[kind][slot as usize] = self.tile;
                slots[color].push(slot);
                for &id in self.links.kinds[kind].particles(slot) {
                    if self.here[id as usize][0] != self.tile {
                        self.here[id as usize] = [self.tile, rows.len() as u32];
                        rows.push(id);
                    }
                }
            }
            if rows.len() > self.links.rows() {
                return None;
            }
            slots[color].sort_unstable(); // as they lie in memory
        }
        rows[owned.len()..].sort_unstable();
        for (place, &id) in rows.iter().enumerate() {
            self.here[id as usize][1] = place as u32;
        }
        Some(Tile { rows, slots })
    }

    /// Adds a tile that was just gathered to the draft.
    pub(super) fn write(&self, tile: Tile, owned: usize, draft: &mut Draft) {
        let mut starts = vec![Vec::new(); self.links.kinds.len()];
        for (color, slots) in tile.slots.into_iter().enumerate() {
            let kind = self.kind_of(color);
            let (all, places) = (&mut draft.slots[kind], &mut draft.places[kind]);
            starts[kind].push(all.len() as u32);
            for slot in slots {
                self.write_row(kind, slot, owned, (all, places));
            }
        }
        for (starts, all) in starts.iter_mut().zip(&draft.slots) {
            starts.push(all.len() as u32);
        }
        draft.tiles.push(Head { owned: owned as u32, rows: tile.rows, starts });
    }

    fn write_row(
        &self,
        kind: usize,
        slot: u32,
        owned: usize,
        (slots, places): (&mut Vec<u32>, &mut Vec<u32>),
    ) {
        let ids = self.links.kinds[kind].particles(slot);
        let place = |id: &u32| self.here[*id as usize][1];
        let home = if (place(&ids[0]) as usize) < owned { HOME } else { 0 };
        slots.push(slot | home);
        let pairs = ids.chunks(2);
        places.extend(pairs.map(|two| place(&two[0]) | two.get(1).map_or(0, place) << 16));
    }
}
