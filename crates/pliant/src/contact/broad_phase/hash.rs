//! A grid without borders, whose cells are sorted into a table by their hash. WGSL twin: `hash.wgsl`

use glam::{IVec3, Vec3};

use super::{Boxes, BroadPhase, Search, by_item};
use crate::mesh::Aabb;

pub(crate) const WGSL: &str = include_str!("hash.wgsl");

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "hash",
    shows: "cells of a grid without borders, sorted into a table by counting",
    find,
};

/// Cells over the mean side of a box. Larger cells hold more that is not near, smaller ones make
/// more copies of each box: 1.5 to 2.5 take the same time within 5 %.
const CELL: f32 = 2.0;
/// A box in more cells than this is looked for by all others instead.
const MOST_CELLS: i64 = 64;
/// Farthest cell from the origin along an axis; boxes beyond share the last.
const FARTHEST: f32 = 1e9;

/// A box in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    cell: IVec3,
    item: u32,
}

/// The cells, by hash.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Where each bucket starts; one more than there are.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// Boxes in too many cells, in order.
    giants: Vec<u32>,
    per_cell: f32,
}

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    search.space.hash.fill(boxes.boxes);
    let table = &search.space.hash;
    by_item(boxes.len(), (search.pool, &mut search.space.parts), pairs, |i, out| {
        table.partners(boxes, i, out);
    });
}

impl Table {
    /// Sorts the boxes into their cells by counting: how many has each bucket, where does it start,
    /// then each to its place. Teschner et al. 2003, "Optimized Spatial Hashing for Collision
    /// Detection of Deformable Objects"; the counting as in Green 2008, "CUDA Particles".
    fn fill(&mut self, boxes: &[Aabb]) {
        let sides = boxes.iter().map(|b| f64::from(b.size().max_element()));
        let mean = (sides.sum::<f64>() / boxes.len().max(1) as f64) as f32;
        self.per_cell = if mean > 0.0 { 1.0 / (CELL * mean) } else { 1.0 };
        let buckets = (2 * boxes.len()).next_power_of_two();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.giants.clear();
        for (i, one) in boxes.iter().enumerate() {
            let (low, high) = self.cells(one);
            if count(low, high) > MOST_CELLS {
                self.giants.push(i as u32);
            } else {
                each(low, high, |cell| self.starts[bucket(cell, buckets) + 1] += 1);
            }
        }
        for bucket in 0..buckets {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        self.entries.clear();
        self.entries.resize(self.starts[buckets] as usize, Entry::default());
        // From the last box to the first, each before the one that came before it: the starts end
        // up where they began, and every bucket is in order.
        self.starts.rotate_left(1);
        for (i, one) in boxes.iter().enumerate().rev() {
            let (low, high) = self.cells(one);
            if count(low, high) <= MOST_CELLS {
                each(low, high, |cell| {
                    let next = &mut self.starts[bucket(cell, buckets)];
                    *next -= 1;
                    self.entries[*next as usize] = Entry { cell, item: i as u32 };
                });
            }
        }
        self.starts[buckets] = self.entries.len() as u32;
    }

    fn partners(&self, boxes: Boxes<'_>, i: u32, out: &mut Vec<[u32; 2]>) {
        let one = &boxes.boxes[i as usize];
        let (low, high) = self.cells(one);
        if count(low, high) > MOST_CELLS {
            let later = (i + 1..boxes.len() as u32).filter(|&j| boxes.pair(i, j));
            out.extend(later.map(|j| [i, j]));
            return;
        }
        let later = self.giants.iter().filter(|&&j| j > i && boxes.pair(i, j));
        out.extend(later.map(|&j| [i, j]));
        let buckets = self.starts.len() - 1;
        each(low, high, |cell| {
            let bucket = bucket(cell, buckets);
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for entry in self.entries[range].iter().rev().take_while(|entry| entry.item > i) {
                let other = &boxes.boxes[entry.item as usize];
                // Two boxes may share several cells: the lowest of them reports the pair.
                if entry.cell == cell
                    && boxes.pair(i, entry.item)
                    && self.cell(one.low.max(other.low)) == cell
                {
                    out.push([i, entry.item]);
                }
            }
        });
    }

    fn cells(&self, one: &Aabb) -> (IVec3, IVec3) {
        (self.cell(one.low), self.cell(one.high))
    }

    fn cell(&self, x: Vec3) -> IVec3 {
        let x = (x * self.per_cell).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
        // The next whole number below, without the platform's `floor`.
        let whole = x.as_ivec3();
        whole - IVec3::select(x.cmplt(whole.as_vec3()), IVec3::ONE, IVec3::ZERO)
    }
}

fn count(low: IVec3, high: IVec3) -> i64 {
    let size = |k: usize| i64::from(high[k]) - i64::from(low[k]) + 1;
    size(0).saturating_mul(size(1)).saturating_mul(size(2))
}

fn each(low: IVec3, high: IVec3, mut visit: impl FnMut(IVec3)) {
    for x in low.x..=high.x {
        for y in low.y..=high.y {
            for z in low.z..=high.z {
                visit(IVec3::new(x, y, z));
            }
        }
    }
}

/// Teschner et al. 2003, section 3.1, with their primes; then mixed, since tables here have sizes
/// that are powers of two.
fn bucket(cell: IVec3, buckets: usize) -> usize {
    let [x, y, z] = cell.to_array().map(|c| c as u32);
    let hash = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
    (hash ^ hash >> 15) as usize & (buckets - 1)
}
