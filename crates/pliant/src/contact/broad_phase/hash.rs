//! A grid without borders, whose cells are sorted into a table by their hash. WGSL twin: `hash.wgsl`
//!
//! The hash of a cell is its place in a block of cells that is repeated in all directions: neighbours lie beside each
//! other in the table, as in a grid with borders, and what is far away makes no cell larger. The rest is in `cells.rs`.
//! The twin has the same idea and finds the same pairs, but mixes the bits of cells and puts a box into every cell that
//! it touches.

use glam::Vec3;

use super::BroadPhase;
use super::cells::{self, Border, Extent, Ground};
use crate::mesh::Aabb;

pub(crate) const WGSL: &str = include_str!("hash.wgsl");

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "hash",
    shows: "cells of a grid without borders, folded onto a table and sorted by counting",
    find: |search, pairs| {
        let pool = search.pool;
        cells::find(search, pool, GROUND, pairs);
    },
};

/// What most boxes fill, whatever flies away.
const GROUND: Ground = Ground { border: Border::Folded, extent };

/// Boxes that are looked at to find where most are.
const SAMPLES: usize = 128;
/// The golden ratio's part behind the point, of 2⁶⁴: multiples of it are spread evenly.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// What the middle three quarters fill, and that much of it more on both sides.
const MARGIN: f32 = 0.25;

fn extent(boxes: &[Aabb]) -> Extent {
    let mut extent = Extent { low: Vec3::ZERO, size: Vec3::ZERO };
    if boxes.is_empty() {
        return extent;
    }
    let mut samples = [[0.0; SAMPLES]; 3];
    for k in 0..SAMPLES {
        let share = u128::from((k as u64).wrapping_mul(GOLDEN));
        let low = boxes[((share * boxes.len() as u128) >> u64::BITS) as usize].low;
        for axis in 0..3 {
            samples[axis][k] = low[axis];
        }
    }
    for axis in 0..3 {
        // The first of the middle ones, and the last of them among those that are not before it.
        let (_, &mut first, rest) =
            samples[axis].select_nth_unstable_by(SAMPLES / 8, f32::total_cmp);
        let (_, &mut last, _) =
            rest.select_nth_unstable_by(SAMPLES - 2 - SAMPLES / 4, f32::total_cmp);
        if (last - first).is_finite() {
            extent.low[axis] = first - MARGIN * (last - first);
            extent.size[axis] = (1.0 + 2.0 * MARGIN) * (last - first);
        }
    }
    extent
}
