//! Tiles that are being made, before they are one table.

use std::ops::Range;

use super::links::Links;
use super::{Group, HEAD, Rows, Tiles};

/// Tiles that are being made.
pub(super) struct Draft {
    pub(super) tiles: Vec<Head>,
    /// Of each kind.
    pub(super) places: Vec<Vec<u32>>,
    pub(super) slots: Vec<Vec<u32>>,
    groups: Vec<Group>,
}

/// Where a tile has what.
pub(super) struct Head {
    pub(super) owned: u32,
    /// All its particles.
    pub(super) rows: Vec<u32>,
    /// For each kind the row of the first constraint of each colour, and the row after the last: among those
    /// of the kind.
    pub(super) starts: Vec<Vec<u32>>,
}

/// How much of a draft there is.
pub(super) struct Mark {
    tiles: usize,
    kinds: Vec<[usize; 2]>,
}

impl Draft {
    pub(super) fn new(links: &Links<'_>) -> Self {
        let of_kinds = vec![Vec::new(); links.kinds.len()];
        Self { tiles: Vec::new(), places: of_kinds.clone(), slots: of_kinds, groups: Vec::new() }
    }

    pub(super) fn mark(&self) -> Mark {
        let kinds = self.places.iter().zip(&self.slots);
        Mark {
            tiles: self.tiles.len(),
            kinds: kinds.map(|(places, slots)| [places.len(), slots.len()]).collect(),
        }
    }

    /// Forgets what came after a mark.
    pub(super) fn return_to(&mut self, mark: &Mark) {
        self.tiles.truncate(mark.tiles);
        for (kind, &[places, slots]) in mark.kinds.iter().enumerate() {
            self.places[kind].truncate(places);
            self.slots[kind].truncate(slots);
        }
    }

    /// All tiles since the last group are one of these colours.
    pub(super) fn end_group(&mut self, links: &Links<'_>, colors: Range<usize>) {
        let first = self.groups.last().map_or(0, |group| group.idle.end);
        let mut counts = vec![0; links.kinds.len()];
        let mut unbroken = vec![0u64; links.kinds.len()];
        for color in &links.colors[colors] {
            let count = &mut counts[color.kind];
            if color.goes_on && *count > 0 {
                unbroken[color.kind] |= 1u64.checked_shl(*count - 1).unwrap_or(0);
            }
            *count += 1;
        }
        let end = self.tiles.len() as u32;
        self.groups.push(Group { tiles: first..end, idle: end..end, colors: counts, unbroken });
    }

    /// Particles of the largest tile.
    pub(super) fn longest(&self) -> usize {
        self.tiles.iter().map(|tile| tile.rows.len()).max().unwrap_or(1)
    }

    /// All tiles since the last group are of particles that have no constraints.
    pub(super) fn end_idle(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.idle.end = self.tiles.len() as u32;
        }
    }

    pub(super) fn tiles(self, links: &Links<'_>) -> Tiles {
        let words = |group: &Group| group.starts(group.colors.len()) as usize;
        let head = self.groups.iter().map(words).max().unwrap_or(HEAD);
        let stride = head + self.longest();
        let (mut first, mut places) = (0, (stride * self.tiles.len()) as u32);
        let mut kinds = Vec::new();
        for (slots, words) in self.slots.into_iter().zip(&self.places) {
            let next = [first + slots.len() as u32, places + words.len() as u32];
            kinds.push(Rows { first, slots, places });
            [first, places] = next;
        }
        let mut table = Vec::with_capacity(places as usize);
        for tile in &self.tiles {
            let start = table.len();
            table.extend([tile.owned, tile.rows.len() as u32]);
            for (kind, starts) in kinds.iter().zip(&tile.starts) {
                table.extend(starts.iter().map(|row| kind.first + row));
            }
            table.resize(start + head, 0);
            table.extend(&tile.rows);
            table.resize(start + stride, tile.rows[0]);
        }
        self.places.into_iter().for_each(|words| table.extend(words));
        let work = f64::from(first) / links.count() as f64;
        let (head, stride) = (head as u32, stride as u32);
        let groups = self.groups;
        Tiles { table, head, stride, kinds, groups, work, is_closed: false, is_whole: true }
    }
}
