//! A grid without borders, whose cells are sorted into a table by their hash. WGSL twin: `hash.wgsl`
//!
//! The hash of a cell is its place in a block of cells that is repeated in all directions: neighbours lie beside each
//! other in the table, as in a grid with borders, and what is far away makes no cell larger.

use glam::{IVec3, UVec3, Vec3};

use super::{Boxes, BroadPhase, Search, by_item};
use crate::mesh::Aabb;

pub(crate) const WGSL: &str = include_str!("hash.wgsl");

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "hash",
    shows: "cells of a grid without borders, folded onto a table and sorted by counting",
    find,
};

/// Cells over the mean side of a box. Larger cells hold more that is not near, smaller ones make
/// more copies of each box: 1.5 to 2.5 take the same time within 5 %.
const CELL: f32 = 2.0;
/// A box in more cells than this is looked for by all others instead.
const MOST_CELLS: i64 = 64;
/// Farthest cell from the origin along an axis; boxes beyond share the last.
const FARTHEST: f32 = 1e9;

/// Bits of the sides of the block, at least: few boxes are longer than four cells.
const LEAST_BITS: u32 = 2;
/// Boxes that are looked at to find the sides of the block.
const SAMPLES: usize = 128;
/// The golden ratio's part behind the point, of 2⁶⁴: multiples of it are spread evenly.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The block of cells that is repeated: the bits of its sides.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    bits: UVec3,
}

/// The cells, by hash.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Where each bucket starts; one more than there are.
    starts: Vec<u32>,
    items: Vec<u32>,
    /// Boxes in too many cells, in order.
    giants: Vec<u32>,
    per_cell: f32,
    block: Block,
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
        self.block = Block::of(boxes, self.per_cell);
        let buckets = 1 << self.block.bits.element_sum();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.giants.clear();
        for (i, one) in boxes.iter().enumerate() {
            let (low, high) = self.cells(one);
            if self.block.holds(low, high) {
                each(low, high, |cell| self.starts[self.block.bucket(cell) + 1] += 1);
            } else {
                self.giants.push(i as u32);
            }
        }
        for bucket in 0..buckets {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        self.items.clear();
        self.items.resize(self.starts[buckets] as usize, 0);
        // From the last box to the first, each before the one that came before it: the starts end
        // up where they began, and every bucket is in order.
        self.starts.rotate_left(1);
        for (i, one) in boxes.iter().enumerate().rev() {
            let (low, high) = self.cells(one);
            if self.block.holds(low, high) {
                each(low, high, |cell| {
                    let next = &mut self.starts[self.block.bucket(cell)];
                    *next -= 1;
                    self.items[*next as usize] = i as u32;
                });
            }
        }
        self.starts[buckets] = self.items.len() as u32;
    }

    fn partners(&self, boxes: Boxes<'_>, i: u32, out: &mut Vec<[u32; 2]>) {
        let one = &boxes.boxes[i as usize];
        let (low, high) = self.cells(one);
        if !self.block.holds(low, high) {
            let later = (i + 1..boxes.len() as u32).filter(|&j| boxes.pair(i, j));
            out.extend(later.map(|j| [i, j]));
            return;
        }
        let later = self.giants.iter().filter(|&&j| j > i && boxes.pair(i, j));
        out.extend(later.map(|&j| [i, j]));
        each(low, high, |cell| {
            let bucket = self.block.bucket(cell);
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for &j in self.items[range].iter().rev().take_while(|&&j| j > i) {
                let low = one.low.max(boxes.boxes[j as usize].low);
                // Two boxes may share several cells: the lowest of them reports the pair. The other box is in this
                // bucket once, since no two of its cells are.
                if boxes.pair(i, j) && self.cell(low) == cell {
                    out.push([i, j]);
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

/// How long along an axis is what the middle three quarters of all boxes fill, and a third more.
fn length(boxes: &[Aabb], axis: usize) -> f32 {
    if boxes.is_empty() {
        return 0.0;
    }
    let mut at = [0.0; SAMPLES];
    for (k, at) in (0u64..).zip(&mut at) {
        let share = u128::from(k.wrapping_mul(GOLDEN));
        let number = (share * boxes.len() as u128) >> u64::BITS;
        let one = &boxes[number as usize];
        *at = one.low[axis];
    }
    at.sort_unstable_by(f32::total_cmp);
    (at[SAMPLES - 1 - SAMPLES / 8] - at[SAMPLES / 8]) * 4.0 / 3.0
}

impl Block {
    /// Twice as many cells as there are boxes, in the proportions of what most boxes fill, whatever flies away.
    fn of(boxes: &[Aabb], per_cell: f32) -> Self {
        let wanted = (2 * boxes.len()).next_power_of_two().trailing_zeros();
        let mut bits = UVec3::splat(LEAST_BITS);
        let mut sides = Vec3::from_array([0, 1, 2].map(|axis| length(boxes, axis))) * per_cell;
        sides /= (1 << LEAST_BITS) as f32;
        while bits.element_sum() < wanted {
            let axis = sides.max_position();
            bits[axis] += 1;
            sides[axis] /= 2.0;
        }
        Self { bits }
    }

    /// Whether a box is in few cells, no two of which have the same bucket.
    fn holds(&self, low: IVec3, high: IVec3) -> bool {
        let longest = |k: usize| i64::from(high[k]) - i64::from(low[k]) < 1 << self.bits[k];
        count(low, high) <= MOST_CELLS && (0..3).all(longest)
    }

    fn bucket(&self, cell: IVec3) -> usize {
        let place = |k: usize| cell[k] as usize & ((1 << self.bits[k]) - 1);
        (place(0) << self.bits[1] | place(1)) << self.bits[2] | place(2)
    }
}
