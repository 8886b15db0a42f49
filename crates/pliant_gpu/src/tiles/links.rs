//! What tiles are made of: constraints of some kinds, and which of their colours go together.

use std::ops::Range;

use pliant::coloring::tiled::Parts;
use pliant::glam::Vec4;

use super::tiler::{Tiler, show_parts};
use super::{ENOUGH_AT_ONCE, HEAD, MOST_HEAD, NONE, Size, Turns};

/// Particles that tiles are tried with, the most first.
const SIZES: [usize; 18] =
    [2560, 2048, 1792, 1536, 1280, 1024, 768, 704, 640, 576, 512, 448, 384, 320, 192, 128, 96, 64];
/// Colours for each run, on average, from which on a dispatch for a run is worth it.
const LONG_RUN: usize = 3;

/// What tiles are made of: constraints of some kinds, one kind after the other.
#[derive(Clone, Debug)]
pub(crate) struct Links<'a> {
    pub(super) kinds: Vec<Kind<'a>>,
    pub(super) colors: Vec<Color>,
    /// Where the particles are, for those that lie together.
    pub(super) xw: &'a [Vec4],
    pub(super) size: Size,
}

/// The constraints of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind<'a> {
    /// The particles of every constraint, `arity` each.
    pub(crate) ids: &'a [u32],
    pub(crate) arity: usize,
    /// The slots of each colour.
    pub(crate) colors: &'a [Range<u32>],
}

impl<'a> Kind<'a> {
    pub(super) fn count(&self) -> usize {
        self.ids.len() / self.arity
    }

    pub(super) fn particles(&self, slot: u32) -> &'a [u32] {
        &self.ids[slot as usize * self.arity..][..self.arity]
    }
}

/// A colour of one of the kinds.
#[derive(Clone, Debug)]
pub(super) struct Color {
    pub(super) kind: usize,
    pub(super) slots: Range<u32>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(kinds: Vec<Kind<'a>>, xw: &'a [Vec4], size: Size) -> Self {
        let of_kind = |(kind, of): (usize, &Kind<'a>)| {
            let color = move |slots: &Range<u32>| Color { kind, slots: slots.clone() };
            of.colors.iter().map(color)
        };
        let colors = kinds.iter().enumerate().flat_map(of_kind).collect();
        Self { kinds, colors, xw, size }
    }

    /// Rows that a workgroup can hold.
    pub(super) fn rows(&self) -> usize {
        self.size.rows as usize
    }

    /// Whether a head has words enough for some colours, each in as many steps as it may need.
    pub(super) fn fits_head(&self, colors: Range<usize>) -> bool {
        let steps = |color: &Color| {
            let most = self.rows() / self.kinds[color.kind].arity;
            most.div_ceil(self.size.lanes as usize)
        };
        let words: usize = self.colors[colors].iter().map(steps).sum();
        HEAD + words + self.kinds.len() <= MOST_HEAD
    }

    /// Constraints of all kinds.
    pub(super) fn count(&self) -> usize {
        self.kinds.iter().map(Kind::count).sum()
    }

    /// The particles of the constraints of a colour.
    fn of_color(&self, color: usize) -> impl Iterator<Item = &'a [u32]> {
        let Color { kind, slots, .. } = self.colors[color].clone();
        let kind = self.kinds[kind];
        slots.map(move |slot| kind.particles(slot))
    }

    /// Numbers of tiles that are tried, if so many tiles, or tiles of so many particles, are enough. Halves of
    /// halves are as regular as what they are halves of.
    pub(super) fn counts(
        &self,
        [tiles, particles]: [usize; 2],
    ) -> impl Iterator<Item = usize> + Clone + use<> {
        let count = self.xw.len();
        let wanted = (count / tiles).max(particles);
        let sizes = SIZES.into_iter().filter(move |&size| size <= wanted);
        sizes.map(move |size| count.div_ceil(size).next_power_of_two())
    }

    /// Groups of colours, in an even number if need be, each as long as what its tiles depend on fits, and the number of
    /// tiles with which these are fewest; `None` if the groups are short.
    pub(super) fn longest(&self, turns: Turns) -> Option<(Vec<Range<usize>>, usize)> {
        let most = self.counts(ENOUGH_AT_ONCE).next()?;
        let tried = [most, most / 2].into_iter().filter(|&tiles| tiles > 0);
        let found = tried.filter_map(|tiles| Some((self.longest_of(tiles, turns)?, tiles)));
        let (groups, tiles) = found.min_by_key(|(groups, _)| groups.len())?;
        (2 * groups.len() <= self.colors.len()).then_some((groups, tiles))
    }

    /// The same for so many tiles.
    fn longest_of(&self, tiles: usize, turns: Turns) -> Option<Vec<Range<usize>>> {
        let mut owned: Vec<Vec<u32>> = Vec::new();
        show_parts(self.xw, tiles, |part| {
            owned.push(part.to_vec());
            true
        });
        let fits = |colors: Range<usize>| {
            if !self.fits_head(colors.clone()) {
                return false;
            }
            let mut tiler = Tiler::new(self, colors);
            owned.iter().all(|owned| tiler.gather(owned).is_some())
        };
        let (mut groups, mut first) = (Vec::new(), 0);
        while first < self.colors.len() {
            let more = (first + 1..=self.colors.len()).take_while(|&end| fits(first..end));
            let end = more.last()?;
            groups.push(first..end);
            first = end;
        }
        if turns != Turns::Any && groups.len() % 2 == 1 {
            let (place, longest) =
                groups.iter().enumerate().max_by_key(|(_, group)| group.len())?;
            let Range { start, end } = *longest;
            let middle = start + longest.len().div_ceil(2);
            groups.splice(place..=place, [start..middle, middle..end]);
        }
        Some(groups)
    }

    /// The colours in runs, each as long as no part that its constraints join has more particles than a
    /// tile; `None` if they are short.
    pub(super) fn runs(&self) -> Option<Vec<Range<usize>>> {
        let mut parts = Parts::new(self.xw.len());
        let mut runs = Vec::from([Range { start: 0, end: 0 }]);
        for color in 0..self.colors.len() {
            let fits_head = self.fits_head(runs.last()?.start..color + 1);
            if !fits_head || !self.of_color(color).all(|ids| parts.join_up_to(ids, self.rows())) {
                parts = Parts::new(self.xw.len());
                self.of_color(color).for_each(|ids| {
                    parts.join_up_to(ids, self.rows());
                });
                runs.push(color..color);
            }
            let run = runs.last_mut()?;
            run.end = color + 1;
            if runs.len() > 1 && LONG_RUN * runs.len() > self.colors.len() {
                return None;
            }
        }
        Some(runs)
    }

    /// The particles that no constraint of a run of colours has.
    pub(super) fn bare(&self, run: Range<usize>) -> Vec<u32> {
        let mut is_linked = vec![false; self.xw.len()];
        for &i in run.flat_map(|color| self.of_color(color)).flatten() {
            is_linked[i as usize] = true;
        }
        (0..self.xw.len() as u32).filter(|&i| !is_linked[i as usize]).collect()
    }

    /// The particles in parts that the constraints of a run of colours join, in the order of their first
    /// ones. What none of them has is in none.
    pub(super) fn parts(&self, run: Range<usize>) -> Vec<Vec<u32>> {
        let mut joined = Parts::new(self.xw.len());
        let mut is_linked = vec![false; self.xw.len()];
        for particles in run.flat_map(|color| self.of_color(color)) {
            joined.join_up_to(particles, usize::MAX);
            particles.iter().for_each(|&i| is_linked[i as usize] = true);
        }
        let mut place = vec![NONE; self.xw.len()];
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for i in (0..self.xw.len() as u32).filter(|&i| is_linked[i as usize]) {
            let first = joined.root(i) as usize;
            if place[first] == NONE {
                place[first] = parts.len() as u32;
                parts.push(Vec::new());
            }
            parts[place[first] as usize].push(i);
        }
        parts
    }
}
