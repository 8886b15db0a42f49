//! All colours in one dispatch, or several: which particles and constraints a workgroup needs for that.
//!
//! A dispatch for each colour takes a few microseconds whatever its size, and moves every particle
//! through memory. A tile is a group of particles that lie together, with all that their places
//! depend on during a few colours. The order in which constraints are solved stays that of the
//! schedule, and so does every bit. Shader: `tiles.wgsl`.

use std::ops::Range;

use pliant::coloring::tiled::Parts;
use pliant::glam::{Vec3, Vec4};

/// Colours in a dispatch that are tried, unless all are. Every colour adds what its constraints reach to a
/// tile: in solids, soon more than a tile can hold.
const COLORS: [usize; 3] = [5, 4, 3];
/// The same before those where there are [`FEW`] constraints: then fewer dispatches are worth more work.
const COLORS_OF_FEW: [usize; 3] = [10, 8, 6];
/// Colours from which tiles are worth it.
const LEAST_COLORS: usize = 4;
/// Constraints from which tiles are worth it.
const LEAST_CONSTRAINTS: usize = 4096;
/// Particles that tiles are tried with, the most first.
const SIZES: [usize; 18] =
    [2560, 2048, 1792, 1536, 1280, 1024, 768, 704, 640, 576, 512, 448, 384, 320, 192, 128, 96, 64];
/// Particles of a tile that depends on nothing but itself, if its parts are that small.
const CLOSED: usize = 128;
/// Colours for each run, on average, from which on a dispatch for a run is worth it.
const LONG_RUN: usize = 3;
/// Tiles that a GPU should have to work on at once, and particles of a tile that are worth it.
const ENOUGH: [usize; 2] = [64, 192];
/// The same where all colours are in one dispatch: then a step waits for the slowest tile, not for memory,
/// and large GPUs have a hundred processors.
const ENOUGH_AT_ONCE: [usize; 2] = [100, 96];
/// Constraints that tiles may solve for each one that there is; and where there are so few of them that
/// a dispatch takes its time whatever it does.
const MOST_WORK: f64 = 4.0;
const MOST_WORK_OF_FEW: f64 = 10.0;
const FEW: usize = 200_000;

/// Nothing.
const NONE: u32 = u32::MAX;
/// Of a slot in a tile: its multiplier is that of the world.
const HOME: u32 = 1 << 31;

/// The tiles of a set of constraints, for one group of colours after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiles {
    /// A head for each tile, the particles of all, then the places of constraints in their tiles.
    pub(crate) table: Vec<u32>,
    /// Words of a head.
    pub(crate) head: u32,
    /// The slot of the constraint in each row, and [`HOME`].
    pub(crate) slots: Vec<u32>,
    /// The tiles of each group of colours.
    pub(crate) groups: Vec<Range<u32>>,
    /// Constraints that they solve for each one that there is.
    pub(crate) work: f64,
    /// Whether every tile depends on nothing but itself.
    pub(crate) is_closed: bool,
}

/// In how many dispatches an iteration may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// In any number.
    Any,
    /// In an even one, so that rows end where they began.
    Even,
    /// In any number, of tiles that depend on nothing but themselves.
    Closed,
}

/// What tiles are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links<'a> {
    /// The particles of every constraint, `arity` each.
    pub(crate) ids: &'a [u32],
    pub(crate) arity: usize,
    /// The slots of each colour.
    pub(crate) colors: &'a [Range<u32>],
    /// Where the particles are, for those that lie together.
    pub(crate) xw: &'a [Vec4],
    /// Rows that a workgroup can hold.
    pub(crate) room: usize,
}

impl Tiles {
    /// The tiles of a set, or `None` if a dispatch for each colour does as well.
    pub(crate) fn new(links: Links<'_>, turns: Turns) -> Option<Self> {
        let count = links.ids.len() / links.arity;
        if links.colors.len() < LEAST_COLORS || count < LEAST_CONSTRAINTS || count >= HOME as usize
        {
            return None;
        }
        if let Some(closed) = Self::closed(links) {
            return Some(closed);
        }
        if turns == Turns::Closed {
            return None;
        }
        let even = |colors: usize| links.colors.len().div_ceil(colors).next_multiple_of(2);
        let once = if turns == Turns::Any { Self::in_groups(links, 1) } else { None };
        let few = COLORS_OF_FEW.iter().filter(|_| count < FEW);
        let mut tried = few.chain(&COLORS).map(|&colors| even(colors));
        once.or_else(|| tried.find_map(|groups| Self::in_groups(links, groups)))
    }

    /// The same with that many groups of colours.
    fn in_groups(links: Links<'_>, groups: usize) -> Option<Self> {
        let per_group = links.colors.len().div_ceil(groups);
        let head = 4 + per_group + 1;
        let mut draft = Draft::default();
        let mut ends = Vec::new();
        for g in 0..groups {
            let colors = (g * per_group).min(links.colors.len())
                ..((g + 1) * per_group).min(links.colors.len());
            let enough = if groups == 1 { ENOUGH_AT_ONCE } else { ENOUGH };
            Tiler::new(links, &links.colors[colors]).cut(&mut draft, enough)?;
            ends.push(draft.tiles.len() as u32);
        }
        let count = links.ids.len() / links.arity;
        let work = draft.slots.len() as f64 / count as f64;
        let most = if count < FEW { MOST_WORK_OF_FEW } else { MOST_WORK };
        if work > most {
            return None;
        }
        let groups = ranges(&ends);
        let (table, slots) = draft.table(head);
        Some(Self { table, head: head as u32, slots, groups, work, is_closed: false })
    }

    /// Tiles of whole parts, if all colours are in a few runs of which no constraints join more particles
    /// than fit: as in small bodies, or with [`pliant::coloring::tiled`]. Then nothing is solved twice, and
    /// all colours of a run are one dispatch, whatever comes between.
    fn closed(links: Links<'_>) -> Option<Self> {
        let runs = links.runs()?;
        let mut draft = Draft::default();
        let mut ends = Vec::new();
        for run in &runs {
            let mut tiler = Tiler::new(links, &links.colors[run.clone()]);
            let parts = links.parts(run.clone());
            let mut owned: Vec<u32> = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                owned.extend(part);
                let next = parts.get(number + 1).map_or(usize::MAX, Vec::len);
                if owned.len().saturating_add(next) > CLOSED.min(links.room) {
                    owned.sort_unstable(); // as they lie in memory
                    let tile = tiler.gather(&owned)?;
                    tiler.write(tile, owned.len(), &mut draft);
                    owned.clear();
                }
            }
            ends.push(draft.tiles.len() as u32);
        }
        let head = 4 + runs.iter().map(Range::len).max().unwrap_or(0) + 1;
        let groups = ranges(&ends);
        let (table, slots) = draft.table(head);
        Some(Self { table, head: head as u32, slots, groups, work: 1.0, is_closed: true })
    }
}

/// From each end to the next.
fn ranges(ends: &[u32]) -> Vec<Range<u32>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| start..end).collect()
}

/// Tiles that are being made.
#[derive(Default)]
struct Draft {
    tiles: Vec<Head>,
    rows: Vec<u32>,
    places: Vec<u32>,
    slots: Vec<u32>,
}

/// Where a tile has what.
struct Head {
    first_row: u32,
    owned: u32,
    all: u32,
    /// The row of the first constraint of each colour, and the row after the last.
    starts: Vec<u32>,
}

impl Draft {
    fn table(self, head: usize) -> (Vec<u32>, Vec<u32>) {
        let rows = (head * self.tiles.len()) as u32;
        let places = rows + self.rows.len() as u32;
        let mut table = Vec::with_capacity(places as usize + self.places.len());
        for tile in &self.tiles {
            let end = table.len() + head;
            table.extend([rows + tile.first_row, tile.owned, tile.all, places]);
            table.extend(&tile.starts);
            table.resize(end, tile.starts.last().copied().unwrap_or_default());
        }
        table.extend(self.rows);
        table.extend(self.places);
        (table, self.slots)
    }
}

/// Shows the particles in so many groups that lie together, of like sizes: parts of parts, each cut across
/// its longest side. Ends where `show` says so, and tells whether it went on to the end.
fn show_parts(xw: &[Vec4], count: usize, mut show: impl FnMut(&[u32]) -> bool) -> bool {
    let mut order: Vec<u32> = (0..xw.len() as u32).collect();
    let x = |i: u32| xw[i as usize].truncate();
    let mut waiting = vec![(0, xw.len(), count)];
    while let Some((start, end, parts)) = waiting.pop() {
        let ids = &mut order[start..end];
        if parts <= 1 {
            ids.sort_unstable(); // as they lie in memory
            if !show(ids) {
                return false;
            }
            continue;
        }
        let low = ids.iter().map(|&i| x(i)).fold(Vec3::INFINITY, Vec3::min);
        let high = ids.iter().map(|&i| x(i)).fold(Vec3::NEG_INFINITY, Vec3::max);
        let axis = (high - low).max_position();
        let first = parts / 2;
        let middle = ids.len() * first / parts;
        ids.select_nth_unstable_by(middle, |&a, &b| {
            x(a)[axis].total_cmp(&x(b)[axis]).then(a.cmp(&b))
        });
        waiting.push((start + middle, end, parts - first));
        waiting.push((start, start + middle, first));
    }
    true
}

/// Cuts a world into tiles for a group of colours.
struct Tiler<'a> {
    links: Links<'a>,
    /// For each colour, the slot of the constraint of each particle.
    slot_of: Vec<Vec<u32>>,
    /// The tile that last had each particle, and its place there.
    here: Vec<[u32; 2]>,
    /// The tile that last had each constraint of the group.
    taken: Vec<u32>,
    first_slot: u32,
    tile: u32,
}

/// One tile: its particles, of which the first are its own, and the slots of each colour.
struct Tile {
    rows: Vec<u32>,
    slots: Vec<Vec<u32>>,
}

impl<'a> Tiler<'a> {
    fn new(links: Links<'a>, colors: &[Range<u32>]) -> Self {
        let count = links.xw.len();
        let first_slot = colors.first().map_or(0, |slots| slots.start);
        let end = colors.last().map_or(0, |slots| slots.end);
        let slot_of = colors
            .iter()
            .map(|slots| {
                let mut slot_of = vec![NONE; count];
                for slot in slots.clone() {
                    for &id in links.particles(slot) {
                        slot_of[id as usize] = slot;
                    }
                }
                slot_of
            })
            .collect();
        Self {
            links,
            slot_of,
            here: vec![[NONE; 2]; count],
            taken: vec![NONE; (end - first_slot) as usize],
            first_slot,
            tile: 0,
        }
    }

    /// Cuts all particles and adds the tiles to the draft. `None` if even small tiles need too much.
    fn cut(&mut self, draft: &mut Draft, [tiles, particles]: [usize; 2]) -> Option<()> {
        let count = self.links.xw.len();
        let wanted = (count / tiles).max(particles);
        let sizes = SIZES.iter().copied().filter(|&size| size <= wanted);
        let known = [draft.tiles.len(), draft.rows.len(), draft.places.len(), draft.slots.len()];
        for size in sizes {
            let fits = show_parts(self.links.xw, count.div_ceil(size), |owned| {
                self.gather(owned).map(|tile| self.write(tile, owned.len(), draft)).is_some()
            });
            if fits {
                return Some(());
            }
            draft.tiles.truncate(known[0]);
            draft.rows.truncate(known[1]);
            draft.places.truncate(known[2]);
            draft.slots.truncate(known[3]);
        }
        None
    }

    /// All that the particles of a tile depend on; `None` if that is too much.
    fn gather(&mut self, owned: &[u32]) -> Option<Tile> {
        self.tile += 1;
        let mut rows = Vec::with_capacity(self.links.room);
        for &id in owned {
            self.here[id as usize] = [self.tile, rows.len() as u32];
            rows.push(id);
        }
        let mut slots = vec![Vec::new(); self.slot_of.len()];
        for color in (0..slots.len()).rev() {
            for k in 0..rows.len() {
                let slot = self.slot_of[color][rows[k] as usize];
                if slot == NONE || self.taken[(slot - self.first_slot) as usize] == self.tile {
                    continue;
                }
                self.taken[(slot - self.first_slot) as usize] = self.tile;
                slots[color].push(slot);
                for &id in self.links.particles(slot) {
                    if self.here[id as usize][0] != self.tile {
                        self.here[id as usize] = [self.tile, rows.len() as u32];
                        rows.push(id);
                    }
                }
            }
            if rows.len() > self.links.room {
                return None;
            }
            slots[color].sort_unstable(); // as they lie in memory
        }
        rows[owned.len()..].sort_unstable();
        for (place, &id) in rows.iter().enumerate() {
            self.here[id as usize][1] = place as u32;
        }
        Some(Tile { rows, slots })
    }

    /// Adds a tile that was just gathered to the draft.
    fn write(&self, tile: Tile, owned: usize, draft: &mut Draft) {
        let mut starts = Vec::with_capacity(tile.slots.len() + 1);
        let first_row = draft.rows.len() as u32;
        for slots in &tile.slots {
            starts.push(draft.slots.len() as u32);
            for &slot in slots {
                let ids = self.links.particles(slot);
                let place = |id: &u32| self.here[*id as usize][1];
                let home = if (place(&ids[0]) as usize) < owned { HOME } else { 0 };
                draft.slots.push(slot | home);
                let pairs = ids.chunks(2);
                draft
                    .places
                    .extend(pairs.map(|two| place(&two[0]) | two.get(1).map_or(0, place) << 16));
            }
        }
        starts.push(draft.slots.len() as u32);
        let all = tile.rows.len() as u32;
        draft.rows.extend(tile.rows);
        draft.tiles.push(Head { first_row, owned: owned as u32, all, starts });
    }
}

impl<'a> Links<'a> {
    /// The colours in runs, each as long as no part that its constraints join has more particles than a
    /// tile; `None` if they are short.
    fn runs(&self) -> Option<Vec<Range<usize>>> {
        let mut parts = Parts::new(self.xw.len());
        let mut runs = Vec::from([Range { start: 0, end: 0 }]);
        for (color, slots) in self.colors.iter().enumerate() {
            let mut all = slots.clone();
            if !all.all(|slot| parts.join_up_to(self.particles(slot), self.room)) {
                parts = Parts::new(self.xw.len());
                slots.clone().for_each(|slot| {
                    parts.join_up_to(self.particles(slot), self.room);
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

    /// The particles in parts that the constraints of a run of colours join, in the order of their first
    /// ones. What none of them has is in none.
    fn parts(&self, run: Range<usize>) -> Vec<Vec<u32>> {
        let mut joined = Parts::new(self.xw.len());
        let mut is_linked = vec![false; self.xw.len()];
        for slot in self.colors[run].iter().cloned().flatten() {
            let particles = self.particles(slot);
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

    fn particles(&self, slot: u32) -> &'a [u32] {
        &self.ids[slot as usize * self.arity..][..self.arity]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square net, its links in four colours.
    fn net(size: u32) -> (Vec<u32>, Vec<Range<u32>>, Vec<Vec4>) {
        let mut ids = Vec::new();
        let mut colors = Vec::new();
        for (step, across, parity) in
            [(1, true, 0), (1, true, 1), (size, false, 0), (size, false, 1)]
        {
            let start = ids.len() as u32 / 2;
            for i in 0..size * size {
                let (column, row) = (i % size, i / size);
                let along = if across { column } else { row };
                if along % 2 == parity && along + 1 < size {
                    ids.extend([i, i + step]);
                }
            }
            colors.push(start..ids.len() as u32 / 2);
        }
        let x = |i: u32| Vec4::new((i % size) as f32, 0.0, (i / size) as f32, 1.0);
        (ids, colors, (0..size * size).map(x).collect())
    }

    #[test]
    fn tiles_own_every_particle_once_and_solve_all_that_they_depend_on() {
        let (ids, colors, xw) = net(100);
        let links = Links { ids: &ids, arity: 2, colors: &colors, xw: &xw, room: 1024 };
        for (turns, groups) in [(Turns::Any, 1), (Turns::Even, 2)] {
            let tiles = Tiles::new(links, turns).unwrap();
            assert_eq!(tiles.groups.len(), groups);
            let per_group = colors.len() / groups;
            for (number, group) in tiles.groups.iter().enumerate() {
                let colors = &colors[number * per_group..][..per_group];
                check(&tiles, group.clone(), colors, links);
            }
        }
    }

    /// Fails unless the tiles of a group solve what they must.
    fn check(tiles: &Tiles, group: Range<u32>, colors: &[Range<u32>], links: Links<'_>) {
        let (ids, xw) = (links.ids, links.xw);
        // Whether each particle has a link of each colour.
        let linked = |slots: &Range<u32>| {
            let mut linked = vec![false; xw.len()];
            let ends = &ids[2 * slots.start as usize..2 * slots.end as usize];
            ends.iter().for_each(|&i| linked[i as usize] = true);
            linked
        };
        let linked: Vec<Vec<bool>> = colors.iter().map(linked).collect();
        let mut owners = vec![0; xw.len()];
        let mut homes = vec![0; ids.len() / 2];
        for tile in group {
            let head = &tiles.table[(tile * tiles.head) as usize..][..tiles.head as usize];
            let [first, owned, all, places] = [0, 1, 2, 3].map(|k| head[k] as usize);
            assert!(all <= links.room);
            let rows = &tiles.table[first..][..all];
            rows[..owned].iter().for_each(|&i| owners[i as usize] += 1);
            // Rows that are as they should be after each colour, going back: all that is owned, and
            // before a colour also what its constraints read.
            let mut right = vec![false; all];
            right[..owned].fill(true);
            for (color, slots) in colors.iter().enumerate().rev() {
                let mut touched = vec![false; all];
                for row in head[4 + color] as usize..head[5 + color] as usize {
                    let slot = (tiles.slots[row] & !HOME) as usize;
                    homes[slot] += usize::from(tiles.slots[row] & HOME != 0);
                    let word = tiles.table[places + row];
                    let ends = [word & 0xffff, word >> 16].map(|k| k as usize);
                    assert_eq!(ends.map(|k| rows[k]), [ids[2 * slot], ids[2 * slot + 1]]);
                    assert!(slots.contains(&(slot as u32)));
                    ends.iter().for_each(|&k| touched[k] = true);
                }
                for k in (0..all).filter(|&k| right[k]) {
                    assert_eq!(linked[color][rows[k] as usize], touched[k]);
                }
                (0..all).for_each(|k| right[k] |= touched[k]);
            }
        }
        assert!(owners.iter().all(|&count| count == 1));
        let of_group = colors[0].start..colors[colors.len() - 1].end;
        assert!(of_group.clone().all(|slot| homes[slot as usize] == 1));
    }

    #[test]
    fn small_bodies_are_tiles_of_their_own_and_nothing_is_solved_twice() {
        let (one, colors, x) = net(10);
        let (count, links) = (60, one.len() as u32 / 2);
        // Colour by colour, all nets.
        let mut ids = Vec::new();
        let mut all = Vec::new();
        for color in &colors {
            let start = ids.len() as u32 / 2;
            let own = &one[2 * color.start as usize..2 * color.end as usize];
            (0..count).for_each(|n| ids.extend(own.iter().map(|i| i + n * x.len() as u32)));
            all.push(start..ids.len() as u32 / 2);
        }
        let xw = x.repeat(count as usize);
        let links_of_all = Links { ids: &ids, arity: 2, colors: &all, xw: &xw, room: 1024 };
        let tiles = Tiles::new(links_of_all, Turns::Even).unwrap();
        assert!(tiles.is_closed && tiles.work == 1.0);
        assert_eq!(tiles.groups.len(), 1);
        assert_eq!(tiles.groups[0], 0..count, "100 particles each: two are more than a tile");
        assert_eq!(tiles.slots.len() as u32, count * links);
        check(&tiles, 0..count, &all, links_of_all);
    }

    #[test]
    fn few_constraints_and_few_colours_have_no_tiles() {
        let (ids, colors, xw) = net(20);
        let links = Links { ids: &ids, arity: 2, colors: &colors, xw: &xw, room: 1024 };
        assert_eq!(Tiles::new(links, Turns::Any), None);
        let (ids, colors, xw) = net(100);
        let two = &colors[..2];
        let links = Links { ids: &ids, arity: 2, colors: two, xw: &xw, room: 1024 };
        assert_eq!(Tiles::new(links, Turns::Any), None);
    }
}
