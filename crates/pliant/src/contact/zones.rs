//! Which pairs does one thread solve, and in which order?
//!
//! Threads that share every colour of pairs hand the same particles to each other all the time. So space is cut
//! into strips across its longest side: the pairs in a strip are a zone, which one thread solves colour after
//! colour. What crosses a border is of a second phase, whose zones lie around the borders:
//!
//! ```text
//! |    zone 0    |    zone 1    |    zone 2    |      first phase
//!     0   |       1      |       2      |  3          second phase
//! ```
//!
//! What reaches farther, and what is found late, is solved last and by one thread. No two zones of a phase share a
//! particle, so that the result does not depend on who solves which. Strips are not the threads' but the pairs':
//! so many that there are enough of both in each.

use std::ops::Range;

use glam::Vec4;

use crate::lanes::LANES;

/// Places along the axis that a border can be at.
const PLACES: usize = 256;
/// Most strips.
const MOST_STRIPS: usize = 64;
/// Pairs that are worth a strip: colours of fewer leave lanes empty.
const FEWEST_PAIRS: usize = 1024;
/// How wide a strip is at least, over what pairs extend along the axis in the mean: a sixth of them crosses a
/// border then.
const WIDTH: usize = 6;
/// Pairs that are looked at to find where they are.
const SAMPLES: usize = 4096;

/// Phases in which zones are solved at once; what is left comes after them.
const PHASES: usize = 2;

/// Zones of a phase that pairs are in, by number; of the last there is but one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    pub(crate) phase: usize,
    number: usize,
}

impl Zone {
    /// Of what is solved last.
    pub(crate) const LAST: Self = Self { phase: PHASES, number: 0 };
}

/// Which zones particles may be solved in.
#[derive(Debug)]
pub(crate) struct Strips {
    /// Of every particle, its place along the axis.
    places: Vec<u8>,
    /// Of every place, its zone in each phase.
    zones: [[u8; PLACES]; PHASES],
}

impl Default for Strips {
    fn default() -> Self {
        Self { places: Vec::new(), zones: [[0; PLACES]; PHASES] }
    }
}

impl Strips {
    /// Cuts space anew for pairs of particles at `x`.
    pub(crate) fn cut<const N: usize>(&mut self, x: &[Vec4], pairs: &[[u32; N]]) {
        let count = pairs.len();
        self.zones = [[0; PLACES]; PHASES];
        self.places.clear();
        if count < 2 * FEWEST_PAIRS {
            self.places.resize(x.len(), 0);
            return;
        }
        let step = count.div_ceil(SAMPLES);
        let samples = || pairs.iter().step_by(step);
        let first = samples().map(|ids| x[ids[0] as usize]);
        let (low, high) = first
            .fold((Vec4::INFINITY, Vec4::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let axis = (high - low).truncate().max_position();
        let per_place = PLACES as f32 / (high - low)[axis].max(f32::MIN_POSITIVE);
        // What is not finite is in the first place, as is what is beyond it.
        let place = |x: &Vec4| ((x[axis] - low[axis]) * per_place) as u8;
        self.places.extend(x.iter().map(place));
        let (mut begin, mut extent, mut all) = ([0; PLACES], 0, 0);
        for &ids in samples() {
            let [from, to] = self.extent(ids);
            begin[usize::from(from)] += 1;
            (extent, all) = (extent + usize::from(to - from), all + 1);
        }
        let strips = (count / FEWEST_PAIRS).min(MOST_STRIPS);
        self.lay([strips, (WIDTH * extent).div_ceil(all)], &begin);
    }

    /// Cuts where strips have equally many pairs, if they are `least` places wide. `begin` says how many pairs
    /// begin at each place.
    fn lay(&mut self, [strips, least]: [usize; 2], begin: &[usize; PLACES]) {
        let all: usize = begin.iter().sum();
        let [inside, around] = &mut self.zones;
        let (mut strip, mut began, mut passed) = (0, 0, 0);
        for place in 0..PLACES {
            if passed * strips >= all * (usize::from(strip) + 1) && place - began >= least.max(2) {
                halve(around, began..place, strip);
                (strip, began) = (strip + 1, place);
            }
            inside[place] = strip;
            passed += begin[place];
        }
        halve(around, began..PLACES, strip);
    }

    /// The first and the last place of some particles.
    fn extent<const N: usize>(&self, ids: [u32; N]) -> [u8; 2] {
        let places = ids.map(|id| self.places[id as usize]);
        [places.into_iter().fold(u8::MAX, u8::min), places.into_iter().fold(0, u8::max)]
    }

    /// The zone of a pair.
    pub(crate) fn zone<const N: usize>(&self, ids: [u32; N]) -> Zone {
        let ends = self.extent(ids).map(usize::from);
        let number = |phase: usize| {
            let [from, to] = ends.map(|place| self.zones[phase][place]);
            (from == to).then_some(Zone { phase, number: usize::from(from) })
        };
        number(0).or_else(|| number(1)).unwrap_or(Zone::LAST)
    }
}

/// Gives the first half of a strip to the zone around the border before it, the second to the next.
fn halve(around: &mut [u8; PLACES], strip: Range<usize>, number: u8) {
    let middle = usize::midpoint(strip.start, strip.end);
    around[strip.start..middle].fill(number);
    around[middle..strip.end].fill(number + 1);
}

/// The pairs of one colour and one zone: their first slot, and how many they are. The slots behind the last one,
/// up to a whole number of lanes, are as it is, so that lanes without a pair do what the last one does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    first: u32,
    count: u32,
}

impl Run {
    /// The slots of its pairs.
    pub(crate) fn slots(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The same with the slots behind them.
    pub(crate) fn room(&self) -> Range<usize> {
        let slots = self.slots();
        slots.start..slots.start + slots.len().next_multiple_of(LANES)
    }
}

/// Which particles each pair joins, sorted by zone and colour.
///
/// They are checked when they are added: other code may rely on it that no two zones of a phase share a particle,
/// and no two pairs of a run.
#[derive(Debug)]
pub(crate) struct Zoned<const N: usize> {
    /// Of each slot, twice its particles: see [`crate::coloring::Colored`].
    doubled: Vec<[u32; N]>,
    /// Zone after zone.
    runs: Vec<Run>,
    /// The runs of each zone of a phase.
    zones: [Vec<Range<u32>>; PHASES],
    /// The first run of what is solved last.
    last: u32,
    /// One more than the largest particle.
    bound: usize,
    /// Buffers: how many pairs there are of each zone and colour, and which zone and which run a particle was in.
    starts: Vec<u32>,
    seen: Vec<[u32; 2]>,
}

impl<const N: usize> Default for Zoned<N> {
    fn default() -> Self {
        Self {
            doubled: Vec::new(),
            runs: Vec::new(),
            zones: [Vec::new(), Vec::new()],
            last: 0,
            bound: 0,
            starts: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl<const N: usize> Zoned<N> {
    pub(crate) fn clear(&mut self) {
        self.doubled.clear();
        self.runs.clear();
        self.zones.iter_mut().for_each(Vec::clear);
        (self.last, self.bound) = (0, 0);
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.doubled.len()
    }

    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// Of each slot, twice its particles.
    #[inline(always)]
    pub(crate) fn doubled(&self) -> &[[u32; N]] {
        &self.doubled
    }

    /// Whether a slot is behind the last pair of its run: it repeats that.
    pub(crate) fn repeats(&self, slot: usize) -> bool {
        slot > 0 && self.doubled[slot] == self.doubled[slot - 1]
    }

    /// Phase after phase, its zones.
    pub(crate) fn phases(&self) -> [&[Range<u32>]; PHASES] {
        self.zones.each_ref().map(Vec::as_slice)
    }

    /// What is solved last.
    pub(crate) fn last(&self) -> Range<u32> {
        self.last..self.runs.len() as u32
    }

    pub(crate) fn runs(&self, zone: &Range<u32>) -> &[Run] {
        &self.runs[zone.start as usize..zone.end as usize]
    }

    /// Adds the pairs of `ids`, of these zones and colours; behind others only such that are solved last. The slot of
    /// each goes to `slots`. Returns the runs that are new.
    ///
    /// # Panics
    /// If two zones of a phase share a particle, or two pairs of a zone and colour do, or if one is not below
    /// `particle_count`.
    pub(crate) fn extend(
        &mut self,
        ids: &[[u32; N]],
        (zones, colors): (&[Zone], &[u32]),
        particle_count: usize,
        slots: &mut Vec<u32>,
    ) -> &[Run] {
        let first = self.runs.len();
        assert!(first == 0 || zones.iter().all(|zone| *zone == Zone::LAST), "late ones come last");
        let colored = || zones.iter().zip(colors.iter().map(|&color| color as usize + 1));
        // Of each phase its first place, and how many zones and colours it has.
        let mut layout = [[0; 3]; PHASES + 1];
        for (zone, color) in colored() {
            let [_, zones, colors] = &mut layout[zone.phase];
            (*zones, *colors) = ((zone.number + 1).max(*zones), color.max(*colors));
        }
        for phase in 0..PHASES {
            let [begin, zones, colors] = layout[phase];
            layout[phase + 1][0] = begin + zones * colors;
        }
        let at = |zone: &Zone, color: usize| {
            let [begin, _, colors] = layout[zone.phase];
            begin + zone.number * colors + color - 1
        };
        let [begin, zone_count, color_count] = layout[PHASES];
        self.starts.clear();
        self.starts.resize(begin + zone_count * color_count, 0);
        colored().for_each(|(zone, color)| self.starts[at(zone, color)] += 1);
        for (phase, &[begin, zones, colors]) in layout.iter().enumerate() {
            for zone in 0..zones {
                let from = self.runs.len() as u32;
                let places = begin + zone * colors..begin + (zone + 1) * colors;
                places.for_each(|place| self.begin_run(place));
                if phase < PHASES {
                    self.zones[phase].push(from..self.runs.len() as u32);
                }
            }
            if phase < PHASES && first == 0 {
                self.last = self.runs.len() as u32;
            }
        }
        for (ids, (zone, color)) in ids.iter().zip(colored()) {
            let next = &mut self.starts[at(zone, color)];
            self.doubled[*next as usize] = ids.map(|id| {
                assert!((id as usize) < particle_count, "particle {id} of {particle_count}");
                2 * id
            });
            slots.push(*next);
            *next += 1;
        }
        self.repeat_last(first);
        self.check(first, particle_count);
        &self.runs[first..]
    }

    /// Makes room for as many pairs as are counted at a place, and says there where it begins.
    fn begin_run(&mut self, place: usize) {
        let run = Run { first: self.doubled.len() as u32, count: self.starts[place] };
        if run.count > 0 {
            self.starts[place] = run.first;
            self.doubled.resize(run.room().end, [0; N]);
            self.runs.push(run);
        }
    }

    /// Fills the slots behind the last pairs of runs.
    fn repeat_last(&mut self, first: usize) {
        for run in &self.runs[first..] {
            let last = self.doubled[run.slots().end - 1];
            self.doubled[run.slots().end..run.room().end].fill(last);
        }
    }

    fn check(&mut self, first: usize, particle_count: usize) {
        let Self { doubled, runs, zones, seen, bound, last, .. } = self;
        let late = *last..runs.len() as u32;
        let phases = zones.iter().map(Vec::as_slice).chain([std::slice::from_ref(&late)]);
        for zones in phases {
            seen.clear();
            seen.resize(particle_count, [u32::MAX; 2]);
            for (zone, range) in (0..).zip(zones) {
                for run in range.start.max(first as u32)..range.end {
                    for id in doubled[runs[run as usize].slots()].iter().flatten().map(|id| id / 2)
                    {
                        let before = std::mem::replace(&mut seen[id as usize], [zone, run]);
                        assert!(
                            [zone, u32::MAX].contains(&before[0]),
                            "particle {id} in two zones"
                        );
                        assert!(before[1] != run, "particle {id} twice in a colour");
                        *bound = (*bound).max(id as usize + 1);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Particles in a bar, and pairs of neighbours.
    fn pairs(count: usize) -> (Vec<Vec4>, Vec<[u32; 4]>) {
        let mut random = Random::new(5);
        let mut x: Vec<Vec4> = (0..count)
            .map(|_| (random.vector(0.05) + glam::Vec3::Z * random.between(0.0, 1.0)).extend(1.0))
            .collect();
        x.sort_by(|a, b| a.z.total_cmp(&b.z));
        let near = |i: u32| [i, i + 1, i + 2, i + 3];
        (x, (0..count as u32 - 3).map(near).collect())
    }

    #[test]
    fn most_pairs_are_in_the_zones_of_the_first_phase() {
        let (x, pairs) = pairs(20_000);
        let mut strips = Strips::default();
        strips.cut(&x, &pairs);
        let zones: Vec<Zone> = pairs.iter().map(|&ids| strips.zone(ids)).collect();
        let count = |phase: usize| zones.iter().filter(|zone| zone.phase == phase).count();
        let most = zones.iter().map(|zone| zone.number).max();
        assert!(most > Some(8), "{most:?} is the last zone");
        assert!(count(0) > pairs.len() * 9 / 10, "{} of {}", count(0), pairs.len());
        assert!(count(1) > 0 && count(2) == 0, "{} and {}", count(1), count(2));
    }

    #[test]
    fn few_pairs_and_pairs_in_one_place_are_one_zone() {
        let (x, all) = pairs(1000);
        let mut strips = Strips::default();
        strips.cut(&x, &all);
        assert!(all.iter().all(|&ids| strips.zone(ids) == Zone { phase: 0, number: 0 }));
        let (_, all) = pairs(9000);
        strips.cut(&vec![Vec4::ONE; 9000], &all);
        assert!(all.iter().all(|&ids| strips.zone(ids) == Zone { phase: 0, number: 0 }));
    }

    #[test]
    #[should_panic(expected = "in two zones")]
    fn zones_that_share_a_particle_are_refused() {
        let zones = [0, 1].map(|number| Zone { phase: 0, number });
        Zoned::default().extend(&[[1, 2], [2, 3]], (&zones, &[0, 0]), 4, &mut Vec::new());
    }

    #[test]
    #[should_panic(expected = "twice in a colour")]
    fn colors_that_share_a_particle_are_refused() {
        let zones = [Zone::LAST; 2];
        Zoned::default().extend(&[[1, 2], [2, 3]], (&zones, &[0, 0]), 4, &mut Vec::new());
    }

    #[test]
    fn runs_are_whole_groups_of_lanes() {
        let mut zoned = Zoned::<2>::default();
        let ids = [[0, 1], [2, 3], [4, 5], [1, 2]];
        let zones = [0, 0, 1, 0].map(|number| Zone { phase: 0, number });
        let mut slots = Vec::new();
        zoned.extend(&ids, (&zones, &[0, 0, 0, 1]), 6, &mut slots);
        assert_eq!(slots, [0, 1, 16, 8], "a run for each zone and colour");
        assert_eq!((zoned.slots(), zoned.bound()), (24, 6));
        let repeats: Vec<usize> = (0..24).filter(|&slot| !zoned.repeats(slot)).collect();
        assert_eq!(repeats, [0, 1, 8, 16]);
        let late = zoned.extend(&[[0, 5]], (&[Zone::LAST], &[0]), 6, &mut slots);
        assert_eq!(late[0].slots(), 24..25);
        assert_eq!((zoned.phases()[0].len(), zoned.last()), (2, 3..4));
    }
}
