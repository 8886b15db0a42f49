//! The partners of boxes, found in any order of the boxes, brought into the order of their numbers.

use std::ops::Range;

use super::GRAIN;
use crate::parallel::Pool;

/// Into how many parts the boxes are cut, whatever the number of threads.
const PARTS: usize = 32;

/// Boxes in the order in which they are asked, and what each said.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Who is in each place.
    pub(super) order: Vec<u32>,
    /// Where each box is; a number that is no place for those that are nowhere.
    pub(super) places: Vec<u32>,
    /// Of each place.
    rows: Vec<Row>,
    parts: Vec<Part>,
}

/// Where the partners of a box are.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    part: u32,
    start: u32,
    count: u32,
}

/// What some boxes have said.
#[derive(Debug, Default)]
struct Part {
    number: u32,
    /// Partners, and room for more.
    found: Vec<u32>,
    /// Pairs of the boxes whose numbers are the same part of all.
    count: usize,
}

/// Takes what boxes say, one after the other.
pub(super) struct Sink<'a> {
    first: usize,
    rows: &'a mut [Row],
    /// Boxes that have said all.
    asked: usize,
    part: u32,
    found: &'a mut Vec<u32>,
    /// Where the partners of the present box begin, and where they end.
    start: usize,
    end: usize,
}

impl Sink<'_> {
    /// The places of the boxes that are to be asked, in this order.
    pub(super) fn places(&self) -> Range<usize> {
        self.first..self.first + self.rows.len()
    }

    /// Must come before that many partners at most.
    #[inline(always)]
    pub(super) fn make_room(&mut self, count: usize) {
        if self.found.len() < self.end + count {
            self.found.resize(2 * self.found.len() + count, 0);
        }
    }

    /// Takes a partner of the present box, which has the lower number.
    #[inline(always)]
    pub(super) fn push(&mut self, partner: u32) {
        self.found[self.end] = partner;
        self.end += 1;
    }

    /// Takes partners of the present box, of those with higher numbers.
    pub(super) fn extend(&mut self, partners: impl Iterator<Item = u32>) {
        for partner in partners {
            self.make_room(1);
            self.push(partner);
        }
    }

    /// The present box has said all.
    #[inline(always)]
    pub(super) fn next(&mut self) {
        sort(&mut self.found[self.start..self.end]);
        let count = (self.end - self.start) as u32;
        self.rows[self.asked] = Row { part: self.part, start: self.start as u32, count };
        self.asked += 1;
        self.start = self.end;
    }
}

/// Sorts numbers that are all different. Few: each goes to the place that says how many are less, without a branch.
#[inline(always)]
fn sort(row: &mut [u32]) {
    match row.len() {
        0 | 1 => {}
        2..=8 => sort_few::<8>(row),
        9..=16 => sort_few::<16>(row),
        _ => row.sort_unstable(),
    }
}

#[inline(always)]
fn sort_few<const N: usize>(row: &mut [u32]) {
    let (mut all, mut less) = ([0; N], [0; N]);
    all[..row.len()].copy_from_slice(row);
    for &one in &*row {
        for k in 0..N {
            less[k] += u32::from(one < all[k]);
        }
    }
    for k in 0..row.len() {
        row[less[k] as usize] = all[k];
    }
}

impl Rows {
    /// The pairs of all boxes in order: each box is asked in turn of the places, on all threads.
    pub(super) fn collect(
        &mut self,
        pool: &Pool,
        pairs: &mut Vec<[u32; 2]>,
        ask: impl Fn(&[u32], &mut Sink<'_>) + Sync,
    ) {
        let Self { order, places, rows, parts } = self;
        parts.resize_with(PARTS, Part::default);
        (0..).zip(&mut *parts).for_each(|(number, part)| part.number = number);
        rows.resize(order.len(), Row::default());
        let (order, grain) = (&*order, 2 * GRAIN);
        pool.for_parts((rows.as_mut_slice(),), (parts, grain), |part, first, (rows,)| {
            let (part, found) = (part.number, &mut part.found);
            let mut sink = Sink { first, rows, asked: 0, part, found, start: 0, end: 0 };
            ask(order, &mut sink);
        });
        let rows = &*rows;
        let of = |place: u32| rows.get(place as usize).copied().unwrap_or_default();
        pool.for_parts((places.as_mut_slice(),), (parts, grain), |part, _, (places,)| {
            part.count = places.iter().map(|&place| of(place).count as usize).sum();
        });
        let parts = &*parts;
        pairs.resize(parts.iter().map(|part| part.count).sum(), [0; 2]);
        let mut rest = pairs.as_mut_slice();
        let mut shares: [&mut [[u32; 2]]; PARTS] = std::array::from_fn(|k| {
            let (own, after) = std::mem::take(&mut rest).split_at_mut(parts[k].count);
            rest = after;
            own
        });
        pool.for_parts(
            (places.as_mut_slice(),),
            (&mut shares, grain),
            |share, first, (places,)| {
                let mut at = 0;
                for (i, &mut place) in (first as u32..).zip(places) {
                    let Row { part, start, count } = of(place);
                    let (start, count) = (start as usize, count as usize);
                    let partners = &parts[part as usize].found[start..start + count];
                    for (pair, &j) in share[at..at + count].iter_mut().zip(partners) {
                        *pair = [i, j];
                    }
                    at += count;
                }
            },
        );
    }

    /// The same where `partners` says those of a box that have higher numbers.
    pub(super) fn by_item(
        &mut self,
        order: &[u32],
        (pool, pairs): (&Pool, &mut Vec<[u32; 2]>),
        partners: impl Fn(u32, &mut Sink<'_>) + Sync,
    ) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.places.resize(order.len(), 0);
        for (place, &i) in (0..).zip(order) {
            self.places[i as usize] = place;
        }
        self.collect(pool, pairs, |order, sink| {
            for place in sink.places() {
                partners(order[place], sink);
                sink.next();
            }
        });
    }
}
