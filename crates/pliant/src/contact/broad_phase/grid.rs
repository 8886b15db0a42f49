//! A uniform grid over all boxes, on one thread.

use glam::{UVec3, Vec3};

use super::{Boxes, BroadPhase, Search, by_item};
use crate::mesh::Aabb;
use crate::parallel::Pool;

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "grid",
    shows: "cells of a grid with borders, on one thread; good where all is in one place",
    find: |search, pairs| fill_and_ask(search, &Pool::default(), pairs),
};

/// Side of a cell over the mean side of a box, unless there would be too many cells.
const CELL: f32 = 2.0;
/// Most cells per box: a grid that is almost empty costs more than it saves.
const MOST_CELLS: f32 = 4.0;

/// How the grid lies.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    low: Vec3,
    per_cell: f32,
    counts: UVec3,
}

/// The cells, and the boxes in each.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    layout: Layout,
    /// Where each cell starts; one more than there are.
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// The grid, asked on the threads of `pool`.
pub(super) fn fill_and_ask(search: &mut Search<'_>, pool: &Pool, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    search.space.cells.fill(boxes.boxes);
    let cells = &search.space.cells;
    by_item(boxes.len(), (pool, &mut search.space.parts), pairs, |i, out| {
        cells.partners(boxes, i, out);
    });
}

impl Layout {
    fn of(boxes: &[Aabb]) -> Self {
        let all = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::join);
        let sides = boxes.iter().map(|b| f64::from(b.size().max_element()));
        let mean = (sides.sum::<f64>() / boxes.len().max(1) as f64) as f32;
        let size = all.size().max(Vec3::ZERO);
        let most = (MOST_CELLS * boxes.len() as f32).max(1.0);
        let mut cell = (CELL * mean).max(size.max_element() / 1024.0).max(f32::MIN_POSITIVE);
        while (size / cell).floor().element_product() > most {
            cell *= 1.5;
        }
        let counts = (size / cell).floor().as_uvec3() + UVec3::ONE;
        Self { low: all.low, per_cell: 1.0 / cell, counts }
    }

    fn cell(&self, x: Vec3) -> UVec3 {
        let cell = ((x - self.low) * self.per_cell).max(Vec3::ZERO).as_uvec3();
        cell.min(self.counts - UVec3::ONE)
    }

    /// Visits the cells of a box: its place in memory, and where it is.
    fn each(&self, one: &Aabb, mut visit: impl FnMut(usize, UVec3)) {
        let (low, high) = (self.cell(one.low), self.cell(one.high));
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let place = (x * self.counts.y + y) * self.counts.z + z;
                    visit(place as usize, UVec3::new(x, y, z));
                }
            }
        }
    }
}

impl Cells {
    /// By counting, as the hash does.
    fn fill(&mut self, boxes: &[Aabb]) {
        self.layout = Layout::of(boxes);
        let Self { layout, starts, items } = self;
        let count = layout.counts.element_product() as usize;
        starts.clear();
        starts.resize(count + 1, 0);
        for one in boxes {
            layout.each(one, |place, _| starts[place + 1] += 1);
        }
        for place in 0..count {
            starts[place + 1] += starts[place];
        }
        items.clear();
        items.resize(starts[count] as usize, 0);
        starts.rotate_left(1);
        for (i, one) in boxes.iter().enumerate().rev() {
            layout.each(one, |place, _| {
                starts[place] -= 1;
                items[starts[place] as usize] = i as u32;
            });
        }
        starts[count] = items.len() as u32;
    }

    fn partners(&self, boxes: Boxes<'_>, i: u32, out: &mut Vec<[u32; 2]>) {
        let one = &boxes.boxes[i as usize];
        self.layout.each(one, |place, cell| {
            let range = self.starts[place] as usize..self.starts[place + 1] as usize;
            for &j in self.items[range].iter().rev().take_while(|&&j| j > i) {
                let low = one.low.max(boxes.boxes[j as usize].low);
                // Two boxes may share several cells: the lowest of them reports the pair.
                if boxes.pair(i, j) && self.layout.cell(low) == cell {
                    out.push([i, j]);
                }
            }
        });
    }
}
