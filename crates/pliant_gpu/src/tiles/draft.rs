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
    /// For each kind the row of the first constraint of each colour, and the row after the last, among those of the
    /// kind; when a group has ended, of each step.
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
        let (first, end) = (self.first_of_group(), self.tiles.len());
        let tiles = &mut self.tiles[first..];
        let steps = |kind: usize| {
            let colors = links.colors[colors.clone()].iter().filter(|color| color.kind == kind);
            steps_of_colors(tiles, (kind, colors.count()), links.size.lanes)
        };
        let steps: Vec<Vec<u32>> = (0..links.kinds.len()).map(steps).collect();
        for tile in tiles {
            for (starts, steps) in tile.starts.iter_mut().zip(&steps) {
                *starts = starts_of_steps(starts, steps, links.size.lanes);
            }
        }
        let end = end as u32;
        let group = Group {
            tiles: first as u32..end,
            idle: end..end,
            steps: steps.iter().map(|of_colors| of_colors.iter().sum()).collect(),
        };
        self.groups.push(group);
    }

    /// The first tile that is of no group yet.
    fn first_of_group(&self) -> usize {
        self.groups.last().map_or(0, |group| group.idle.end as usize)
    }

    /// Particles of the largest tile.
    pub(super) fn longest(&self) -> usize {
        self.tiles.iter().map(|tile| tile.rows.len()).max().unwrap_or(1)
    }

    /// All tiles since the last group are of particles that have no constraints.
    pub(super) fn end_idle(&mut self) {
        let first = self.first_of_group();
        let Some(group) = self.groups.last_mut() else { return };
        group.idle.end = self.tiles.len() as u32;
        for tile in &mut self.tiles[first..] {
            for (starts, &steps) in tile.starts.iter_mut().zip(&group.steps) {
                starts.resize(steps as usize + 1, starts[0]);
            }
        }
    }

    pub(super) fn tiles(self, links: &Links<'_>) -> Tiles {
        let words = |group: &Group| group.starts(group.steps.len()) as usize;
        let head = self.groups.iter().map(words).max().unwrap_or(HEAD);
        let stride = head + self.longest();
        let (mut first, mut kinds) = (0, Vec::new());
        for (slots, places) in self.slots.into_iter().zip(self.places) {
            let count = slots.len() as u32;
            kinds.push(Rows { first, slots, places });
            first += count;
        }
        let mut table = Vec::with_capacity(stride * self.tiles.len());
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
        let work = f64::from(first) / links.count() as f64;
        let (head, stride) = (head as u32, stride as u32);
        let groups = self.groups;
        Tiles { table, head, stride, kinds, groups, work, is_closed: false, is_whole: true }
    }
}

/// Steps of each colour of a kind: as many as the tile with the most of it needs, at least one.
fn steps_of_colors(tiles: &[Head], (kind, colors): (usize, usize), lanes: u32) -> Vec<u32> {
    let rows = |tile: &Head, color: usize| tile.starts[kind][color + 1] - tile.starts[kind][color];
    let most = |color| tiles.iter().map(|tile| rows(tile, color)).max().unwrap_or(0);
    (0..colors).map(|color| most(color).div_ceil(lanes).max(1)).collect()
}

/// The first row of each step, and the row after the last, from those of each colour.
fn starts_of_steps(of_colors: &[u32], steps: &[u32], lanes: u32) -> Vec<u32> {
    let mut starts = vec![of_colors[0]];
    for (color, &steps) in of_colors.windows(2).zip(steps) {
        starts.extend((1..=steps).map(|step| color[1].min(color[0] + step * lanes)));
    }
    starts
}
