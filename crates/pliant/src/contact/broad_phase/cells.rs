//! Boxes sorted into cells by counting: what `hash` and `grid` share.
//!
//! Each box is stored once, in the cell of its low corner, and what is known of it lies beside what is known of the
//! others in its cell. What overlaps a box begins in the cells from its low corner, less the largest side of any, to its
//! high corner; those in a row along z are one piece of memory, which is compared eight boxes at a time. Boxes are asked
//! as they lie in memory, so that it is near. Boxes of different sizes are in different levels, so that a large one does
//! not make others look far.

use std::ops::Range;

use glam::{IVec3, Vec3};

use super::rows::{Rows, Sink};
use super::{Boxes, GRAIN, Search, Space};
use crate::lanes::{Lanes, at_best_level, each};
use crate::mesh::Aabb;
use crate::parallel::Pool;

/// Boxes that are compared at once.
const WIDE: usize = 8;
/// Sides of a cell over the largest sides of the boxes in it. Along z, cells lie beside each other in memory and may be
/// short; along the others each row is one more to look at: 1.5 takes a tenth longer.
const CELL: Vec3 = Vec3::new(2.5, 2.5, 0.35);
/// A cell's least side over its longest, before [`CELL`]: boxes may have no thickness.
const THINNEST: f32 = 1.0 / 16.0;
/// Cells along an axis where boxes have no size at all.
const OF_POINTS: f32 = 64.0;
/// Most cells per box: a table that is almost empty costs more than it saves.
const MOST_CELLS: f64 = 4.0;
/// Farthest cell from the origin along an axis; boxes beyond share the last.
const FARTHEST: f32 = 1e9;
/// A row of cells takes as long as so many boxes that are looked at without.
const ROW: u64 = 2 * WIDE as u64;

/// Powers of two between which the largest sides of boxes are, by the bits of their exponents.
const OCTAVES: usize = 256;
/// That of boxes without an end.
const ENDLESS: usize = OCTAVES - 1;
/// Boxes that are longer are all in one cell, and so far do cells go: what is computed with these stays finite (m).
const ENDLESS_SIDE: f32 = 1e30;
/// In place of a cell, for a box that is nowhere.
const NOWHERE: u32 = u32::MAX;
/// A level takes the octave below as well, unless that has more boxes than this times its own.
const FEW: u32 = 2;

/// How a level's cells become places in the table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Border {
    /// All boxes are inside; cells outside are empty.
    Closed,
    /// A block of cells is repeated in all directions: cells as far apart as it is long share a place.
    Folded,
}

impl Border {
    /// How often a cell may become twice as long where there are too many, before they fall on each other. Where boxes
    /// are all over their extent, fewer cells hold fewer that are not near; where they are not, it is the other way.
    fn doublings(self) -> u32 {
        match self {
            Self::Closed => u32::MAX,
            Self::Folded => 1,
        }
    }
}

/// Where boxes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) low: Vec3,
    pub(super) size: Vec3,
}

/// A way to lay cells out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pub(super) border: Border,
    pub(super) extent: fn(&[Aabb]) -> Extent,
}

/// What boxes of an octave have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Octave {
    count: u32,
    /// The longest, along each axis.
    sides: Vec3,
    /// Where it is among the levels.
    level: usize,
}

/// Boxes of similar size.
#[derive(Clone, Copy, Debug)]
struct Level {
    border: Border,
    /// What is known of the boxes.
    octave: Octave,
    low: Vec3,
    per_cell: Vec3,
    /// Cells along each axis.
    counts: IVec3,
    /// Where its cells begin in the table.
    first: u32,
    /// Where its boxes are.
    boxes: [u32; 2],
}

/// Eight boxes side by side.
#[derive(Clone, Copy, Debug)]
struct Eight {
    low: [[f32; WIDE]; 3],
    high: [[f32; WIDE]; 3],
    number: [u32; WIDE],
    group: [u32; WIDE],
}

/// In the room that is left: nothing meets these.
const NOBODY: Eight = Eight {
    low: [[f32::INFINITY; WIDE]; 3],
    high: [[f32::NEG_INFINITY; WIDE]; 3],
    number: [0; WIDE],
    group: [0; WIDE],
};

/// A box that others are held against.
#[derive(Clone, Copy)]
struct One<R> {
    bounds: Aabb,
    /// The same in all lanes.
    low: [R; 3],
    high: [R; 3],
    number: u32,
    group: u32,
}

/// The cells, and the boxes in each.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    octaves: Vec<Octave>,
    levels: Vec<Level>,
    /// Where each cell starts; one more than there are.
    starts: Vec<u32>,
    eights: Vec<Eight>,
}

/// All pairs of boxes, by cells on such a ground, on the threads of `pool`.
pub(super) fn find(
    search: &mut Search<'_>,
    pool: &Pool,
    ground: Ground,
    pairs: &mut Vec<[u32; 2]>,
) {
    let (boxes, Space { cells, rows, .. }) = (search.boxes, &mut *search.space);
    cells.fill(boxes, (ground, pool), rows);
    let cells = &*cells;
    rows.collect(pool, pairs, |_, sink| cells.ask(sink));
}

impl Cells {
    /// Sorts the boxes by counting: how many has each cell, where does it start, then each to its place. Teschner et
    /// al. 2003, "Optimized Spatial Hashing for Collision Detection of Deformable Objects"; the counting as in Green
    /// 2008, "CUDA Particles"; levels as in Ericson 2005, "Real-Time Collision Detection", section 7.2.
    fn fill(&mut self, boxes: Boxes<'_>, (ground, pool): (Ground, &Pool), rows: &mut Rows) {
        let Rows { order, places, .. } = rows;
        self.divide(boxes.boxes, places);
        self.lay_out(boxes.boxes, ground);
        let Self { octaves, levels, starts, eights } = self;
        pool.for_rows((places.as_mut_slice(),), GRAIN, |first, (places,)| {
            for (one, place) in boxes.boxes[first..].iter().zip(places) {
                if *place != NOWHERE {
                    *place = levels[octaves[*place as usize].level].place(one.low);
                }
            }
        });
        // Two ahead, so that each start is where it belongs after it has counted up to the end of its cell.
        let here = |place: &&mut u32| **place != NOWHERE;
        places.iter_mut().filter(here).for_each(|place| starts[*place as usize + 2] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        order.clear();
        order.resize(sum as usize, 0);
        for (i, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != NOWHERE) {
            let next = &mut starts[*place as usize + 1];
            *place = *next;
            order[*next as usize] = i as u32;
            *next += 1;
        }
        for level in levels {
            let cells = level.counts.element_product() as u32;
            level.boxes = [level.first, level.first + cells].map(|place| starts[place as usize]);
        }
        eights.resize(order.len().div_ceil(WIDE), NOBODY);
        pool.for_rows((eights.as_mut_slice(),), GRAIN / WIDE, |first, (eights,)| {
            for (eight, numbers) in eights.iter_mut().zip(order[first * WIDE..].chunks(WIDE)) {
                *eight = Eight::of(boxes, numbers);
            }
        });
    }

    /// Finds the octaves of all boxes, and makes levels of them.
    fn divide(&mut self, boxes: &[Aabb], places: &mut Vec<u32>) {
        let Self { octaves, levels, .. } = self;
        octaves.clear();
        octaves.resize(OCTAVES, Octave::default());
        places.clear();
        places.extend(boxes.iter().map(|one| {
            let sides = one.size();
            if sides.is_finite() {
                let octave =
                    (sides.max_element().max(0.0).to_bits() >> (f32::MANTISSA_DIGITS - 1)) as usize;
                octaves[octave].add(sides);
                octave as u32
            } else if one.low.is_nan() || one.high.is_nan() {
                NOWHERE
            } else {
                octaves[ENDLESS].add(Vec3::INFINITY);
                ENDLESS as u32
            }
        }));
        levels.clear();
        let mut below = usize::MAX; // the octave that the last level may take as well
        for (k, octave) in octaves.iter_mut().enumerate().rev().filter(|(_, it)| it.count > 0) {
            match levels.last_mut() {
                Some(level) if k == below && octave.count <= FEW * level.octave.count => {
                    level.octave.count += octave.count;
                    level.octave.sides = level.octave.sides.max(octave.sides);
                    below = usize::MAX;
                }
                _ => {
                    levels.push(Level::of(*octave));
                    below = if k == ENDLESS { usize::MAX } else { k.wrapping_sub(1) };
                }
            }
            octave.level = levels.len() - 1;
        }
    }

    /// Gives every level its cells, and their places.
    fn lay_out(&mut self, boxes: &[Aabb], ground: Ground) {
        let Self { levels, starts, .. } = self;
        let Extent { low, size } = (ground.extent)(boxes);
        let most = Vec3::splat(ENDLESS_SIDE);
        let extent = Extent { low: low.clamp(-most, most), size: size.clamp(Vec3::ZERO, most) };
        let mut first = 0;
        for level in levels {
            level.first = first;
            level.lay_out(ground.border, extent);
            first += level.counts.element_product() as u32;
        }
        starts.clear();
        starts.resize(first as usize + 2, 0);
    }

    /// Finds the partners of some boxes.
    fn ask(&self, sink: &mut Sink<'_>) {
        let mut places = sink.places();
        at_best_level!(Wide, simd => for place in places.by_ref() {
            self.partners::<Wide>(place, simd, sink);
        });
        places.for_each(|place| self.partners::<f32>(place, (), sink));
    }

    #[inline(always)]
    fn partners<R: Lanes>(&self, place: usize, proof: R::Proof, sink: &mut Sink<'_>) {
        let one = self.eights[place / WIDE].one::<R>(place % WIDE, proof);
        for level in &self.levels {
            level.visit(
                &self.starts,
                &one.bounds,
                #[inline(always)]
                |range| self.compare(&one, range, proof, sink),
            );
        }
        sink.next();
    }

    /// Holds a box against those in a range of places.
    #[inline(always)]
    fn compare<R: Lanes>(
        &self,
        one: &One<R>,
        range: Range<u32>,
        proof: R::Proof,
        sink: &mut Sink<'_>,
    ) {
        if range.is_empty() {
            return;
        }
        let (first, last) = (range.start as usize / WIDE, (range.end - 1) as usize / WIDE);
        let mut here = u32::MAX << (range.start as usize % WIDE);
        for (k, eight) in (first..).zip(&self.eights[first..=last]) {
            let mut met = eight.meeting(one, proof) & here;
            here = u32::MAX;
            if k == last {
                met &= (2 << ((range.end - 1) as usize % WIDE)) - 1;
            }
            sink.make_room(WIDE);
            while met != 0 {
                sink.push(eight.number[met.trailing_zeros() as usize % WIDE]);
                met &= met - 1;
            }
        }
    }
}

impl Octave {
    fn add(&mut self, sides: Vec3) {
        self.count += 1;
        self.sides = self.sides.max(sides);
    }
}

impl Level {
    fn of(octave: Octave) -> Self {
        Self {
            border: Border::Closed,
            octave,
            low: Vec3::ZERO,
            per_cell: Vec3::ZERO,
            counts: IVec3::ONE,
            first: 0,
            boxes: [0; 2],
        }
    }

    fn lay_out(&mut self, border: Border, mut extent: Extent) {
        let Octave { count, sides, .. } = &mut self.octave;
        let longest = sides.max_element();
        if longest > ENDLESS_SIDE {
            return; // one cell
        }
        let mut cell = if longest > 0.0 {
            sides.max(Vec3::splat(longest * THINNEST)) * CELL
        } else {
            extent.size / OF_POINTS
        };
        // Rounding must not make the sides too small.
        *sides *= 1.000_001;
        if matches!(border, Border::Folded) {
            // Who looks for what begins before the first of all should not find the last of all.
            extent.low -= *sides;
            extent.size += *sides;
        }
        (self.border, self.low) = (border, extent.low);
        cell = cell.max(Vec3::splat(f32::MIN_POSITIVE));
        let most = MOST_CELLS * f64::from(*count);
        let mut counts = extent.size.as_dvec3() / cell.as_dvec3() + 1.0;
        let mut doubled = [0; 3];
        // Of the longest row, two cells each become one, or fall on one place.
        while counts.element_product() > most && counts.max_element() > 1.0 {
            let axis = counts.max_position();
            counts[axis] /= 2.0;
            if doubled[axis] < border.doublings() {
                doubled[axis] += 1;
                cell[axis] *= 2.0;
            }
        }
        self.per_cell = cell.recip();
        self.counts = counts.as_ivec3().max(IVec3::ONE);
    }

    #[inline(always)]
    fn cell(&self, x: Vec3) -> IVec3 {
        let x = (x - self.low) * self.per_cell;
        let x = x.clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
        // The next whole number below, without the platform's `floor`.
        let whole = x.as_ivec3();
        whole - IVec3::select(x.cmplt(whole.as_vec3()), IVec3::ONE, IVec3::ZERO)
    }

    /// Where cells from `low` to `high` along an axis have their places: the first, and how many they are. They go on
    /// from the start after the end.
    #[inline(always)]
    fn span(&self, axis: usize, low: i32, high: i32) -> (i32, i32) {
        let count = self.counts[axis];
        match self.border {
            Border::Closed => {
                let (first, last) = (low.clamp(0, count - 1), high.clamp(0, count - 1));
                (first, last - first + 1)
            }
            Border::Folded => {
                // Most are in the block or beside it, which needs no division.
                let near = if low < 0 { low + count } else { low };
                let inside = (near as u32) < count as u32;
                let first = if inside { near } else { low.rem_euclid(count) };
                (first, (high - low + 1).clamp(0, count))
            }
        }
    }

    /// The place of the cell of a point.
    #[inline(always)]
    fn place(&self, x: Vec3) -> u32 {
        let cell = self.cell(x);
        let [x, y, z] = each(|axis| self.span(axis, cell[axis], cell[axis]).0);
        self.first + ((x * self.counts.y + y) * self.counts.z + z) as u32
    }

    /// Visits where the boxes are that may meet one, each once.
    #[inline(always)]
    fn visit(&self, starts: &[u32], one: &Aabb, mut visit: impl FnMut(Range<u32>)) {
        let (low, high) = (self.cell(one.low - self.octave.sides), self.cell(one.high));
        let [x, y, z] = each(
            #[inline(always)]
            |axis| self.span(axis, low[axis], high[axis]),
        );
        let [start, end] = self.boxes;
        if (x.1 * y.1) as u64 * ROW >= u64::from(end - start) {
            visit(start..end);
            return;
        }
        let IVec3 { y: rows, z: long, .. } = self.counts;
        let wrapped = |k: i32, count: i32| if k < count { k } else { k - count };
        // Where the row goes on from its start.
        let (end, over) = ((z.0 + z.1).min(long), z.0 + z.1 - long);
        for i in 0..x.1 {
            let plane = wrapped(x.0 + i, self.counts.x) * rows;
            for j in 0..y.1 {
                let row = self.first as usize + ((plane + wrapped(y.0 + j, rows)) * long) as usize;
                visit(starts[row + z.0 as usize]..starts[row + end as usize]);
                if over > 0 {
                    visit(starts[row]..starts[row + over as usize]);
                }
            }
        }
    }
}

impl Eight {
    /// Those of up to eight numbers.
    fn of(boxes: Boxes<'_>, numbers: &[u32]) -> Self {
        let mut eight = NOBODY;
        for (k, &i) in numbers.iter().enumerate() {
            let Aabb { low, high } = boxes.boxes[i as usize];
            for axis in 0..3 {
                (eight.low[axis][k], eight.high[axis][k]) = (low[axis], high[axis]);
            }
            (eight.number[k], eight.group[k]) = (i, boxes.group(i));
        }
        eight
    }

    #[inline(always)]
    fn one<R: Lanes>(&self, k: usize, proof: R::Proof) -> One<R> {
        let corner =
            |column: &[[f32; WIDE]; 3]| Vec3::new(column[0][k], column[1][k], column[2][k]);
        let bounds = Aabb { low: corner(&self.low), high: corner(&self.high) };
        let wide = |corner: Vec3| {
            each(
                #[inline(always)]
                |axis| R::splat(proof, corner[axis]),
            )
        };
        One {
            bounds,
            low: wide(bounds.low),
            high: wide(bounds.high),
            number: self.number[k],
            group: self.group[k],
        }
    }

    /// Which of them are partners of a higher number: bit k is number k.
    #[inline(always)]
    fn meeting<R: Lanes>(&self, one: &One<R>, proof: R::Proof) -> u32 {
        let (mut met, mut first) = (0, 0);
        while first < WIDE {
            let column = |column: &[f32; WIDE]| R::load(proof, &column[first..]);
            let below = each::<_, 3>(
                #[inline(always)]
                |axis| [column(&self.low[axis]), one.high[axis]],
            );
            let above = each::<_, 3>(
                #[inline(always)]
                |axis| [one.low[axis], column(&self.high[axis])],
            );
            let meet = R::in_order([below[0], below[1], below[2], above[0], above[1], above[2]]);
            let mut bits = meet & R::above(proof, &self.number[first..], one.number);
            if one.group != 0 {
                bits &= !R::same(proof, &self.group[first..], one.group);
            }
            met |= bits << first;
            first += R::WIDTH;
        }
        met
    }
}
