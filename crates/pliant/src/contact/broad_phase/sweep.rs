//! Sweep and prune: boxes in the order in which they begin along an axis.

use super::{BroadPhase, GRAIN, Search, Space};
use crate::mesh::Aabb;

/// See [`BROAD_PHASE`].
///
/// Cohen et al. 1995, "I-COLLIDE: An Interactive and Exact Collision Detection System for
/// Large-Scale Environments".
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "sweep",
    shows: "boxes in the order in which they begin along the longest axis; good for long rows",
    find,
};

/// Into how many parts the boxes are cut, whatever the number of threads.
const PARTS: usize = 32;

/// Boxes in the order in which they begin.
#[derive(Debug, Default)]
pub(crate) struct Line {
    order: Vec<u32>,
    /// Copied, since each is looked at many times.
    boxes: Vec<Aabb>,
    /// The pairs that the boxes of each part have found.
    parts: Vec<Vec<[u32; 2]>>,
}

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let (boxes, Space { line: Line { order, boxes: line, parts }, .. }) =
        (search.boxes, &mut *search.space);
    let spread = Aabb::of(boxes.boxes.iter().map(|b| b.low)).size();
    let axis = spread.max_position();
    let low = |i: u32| boxes.boxes[i as usize].low[axis];
    order.clear();
    order.extend(0..boxes.len() as u32);
    order.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
    line.clear();
    line.extend(order.iter().map(|&i| boxes.boxes[i as usize]));
    parts.resize_with(PARTS, Vec::new);
    let (order, line, count) = (&*order, &*line, boxes.len());
    let grain = if count < 2 * GRAIN { PARTS } else { 1 };
    search.pool.for_rows((parts.as_mut_slice(),), grain, |first, (parts,)| {
        for (k, part) in (first..).zip(parts) {
            part.clear();
            for at in count * k / PARTS..count * (k + 1) / PARTS {
                let (i, one) = (order[at], &line[at]);
                let after = (at + 1..count).take_while(|&k| line[k].low[axis] <= one.high[axis]);
                let found = after.filter(|&k| one.overlaps(&line[k])).map(|k| order[k]);
                let found = found.filter(|&j| boxes.apart(i, j));
                part.extend(found.map(|j| [i.min(j), i.max(j)]));
            }
        }
    });
    pairs.clear();
    parts.iter().for_each(|part| pairs.extend_from_slice(part));
    pairs.sort_unstable();
}
